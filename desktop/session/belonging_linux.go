package session

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// belonging lists the living processes of a session, except ourselves. It
// looks from outside, when nobody is left who has started them:
//
//   - what is in the session's control groups;
//   - what carries its marker in its environment;
//   - what has no environment to speak of (some programs write over it, others
//     start their children without) and a place in the session's folder;
//   - what was started by one of those, or is in a process session that has no
//     other leader.
//
// A program of the user's that only looks into the folder is none of these.
func belonging(dir string, groups []string) []process {
	members := map[int]process{}
	for _, p := range inGroups(slices.DeleteFunc(slices.Clone(groups), func(g string) bool { return !isGroup(g) })) {
		members[p.pid] = p
	}
	delete(members, os.Getpid())
	all := ourProcesses()
	for _, p := range all {
		if bears(p.pid, dir) {
			members[p.pid] = p
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if _, known := members[p.pid]; !known && follows(p, members) {
				members[p.pid] = p
				grown = true
			}
		}
	}
	found := make([]process, 0, len(members))
	for _, p := range members {
		found = append(found, p)
	}
	slices.SortFunc(found, func(a, b process) int { return a.pid - b.pid })
	return found
}

// ourProcesses lists the living processes of our own user, without those of
// the kernel and without ourselves.
func ourProcesses() []process {
	const kernel = 2 // starts the kernel's own
	return slices.DeleteFunc(allProcesses(), func(p process) bool {
		return p.pid == os.Getpid() || p.pid == kernel || p.ppid == kernel || !ours(p.pid)
	})
}

// ours says whether a process is our user's. The owner of its folder in /proc
// does not tell that of one that keeps its memory to itself.
func ours(pid int) bool {
	data, err := os.ReadFile(procFile(pid, "status"))
	if err != nil {
		return false
	}
	_, rest, found := strings.Cut(string(data), "\nUid:")
	fields := strings.Fields(rest)
	if !found || len(fields) < 2 {
		return false
	}
	uid, err := strconv.Atoi(fields[1])
	return err == nil && uid == os.Geteuid()
}

// follows says whether a process comes from one of the members.
func follows(p process, members map[int]process) bool {
	if _, child := members[p.ppid]; child {
		return true
	}
	for _, m := range members {
		if m.sid != p.sid || m.sid == 0 {
			continue
		}
		// While anybody is in a process session, no other process gets its
		// leader's number.
		if _, leads := members[m.sid]; leads || !alive(m.sid) {
			return true
		}
	}
	return false
}

// bears says whether a process is known by itself to be of the session.
func bears(pid int, dir string) bool {
	env, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return len(env) == 0 && names(pid, dir) // it keeps its memory to itself
	}
	marker := append([]byte{0}, MarkerDir+"="+dir+"\x00"...)
	env = append([]byte{0}, env...)
	switch {
	case bytes.Contains(env, marker):
		return true
	case bytes.Contains(env, []byte("\x00PATH=")), bytes.Contains(env, []byte("\x00HOME=")):
		return false
	}
	return names(pid, dir) || livesIn(pid, dir)
}

// names says whether a process was started with a place in the folder as an
// argument, or within one.
func names(pid int, dir string) bool {
	command, err := os.ReadFile(procFile(pid, "cmdline"))
	return err == nil && bytes.Contains(command, []byte(dir+"/"))
}

// livesIn says whether a process runs in the folder, runs a program that lies
// there, or writes to a file that does.
func livesIn(pid int, dir string) bool {
	for _, link := range []string{"cwd", "exe"} {
		if target, err := os.Readlink(procFile(pid, link)); err == nil && inside(target, dir) {
			return true
		}
	}
	descriptors, err := os.ReadDir(procFile(pid, "fd"))
	if err != nil {
		return false
	}
	for _, d := range descriptors {
		link := procFile(pid, filepath.Join("fd", d.Name()))
		target, err := os.Readlink(link)
		if err != nil || !inside(target, dir) {
			continue
		}
		// The mode of the link says how the file is open.
		if info, err := os.Lstat(link); err == nil && info.Mode().Perm()&unix.S_IWUSR != 0 {
			return true
		}
	}
	return false
}

func inside(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
