package session

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process is one process as /proc has it.
type process struct {
	pid, ppid int
	// sid is the process session that it is in: its leader's process id.
	sid   int
	state byte
	// started is its start time in clock ticks after boot: with the process
	// id it names one process for good.
	started uint64
}

// readProcess reads /proc/<pid>/stat; false for a process that is not there.
func readProcess(pid int) (process, bool) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return process{}, false
	}
	return parseStat(pid, string(data))
}

// parseStat understands the content of /proc/<pid>/stat. The second field is
// the program's name in parentheses and may contain anything.
func parseStat(pid int, stat string) (process, bool) {
	_, rest, found := cutLast(stat, ") ")
	fields := strings.Fields(rest)
	if !found || len(fields) < 20 {
		return process{}, false
	}
	ppid, err1 := strconv.Atoi(fields[1])
	started, err2 := strconv.ParseUint(fields[19], 10, 64)
	sid, err3 := strconv.Atoi(fields[3])
	if err1 != nil || err2 != nil || err3 != nil {
		return process{}, false
	}
	return process{pid: pid, ppid: ppid, sid: sid, state: fields[0][0], started: started}, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// alive says whether there is such a process that has not ended.
func alive(pid int) bool {
	p, ok := readProcess(pid)
	return ok && p.state != 'Z' && p.state != 'X'
}

// allProcesses lists the processes that are alive: zombies are left out.
func allProcesses() []process {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok && p.state != 'Z' && p.state != 'X' {
			all = append(all, p)
		}
	}
	return all
}

// descendants lists the living processes below root, except those that are
// in or below the given ones.
func descendants(root int, except ...int) []process {
	below := map[int][]process{}
	for _, p := range allProcesses() {
		below[p.ppid] = append(below[p.ppid], p)
	}
	var found []process
	var walk func(pid int)
	walk = func(pid int) {
		for _, p := range below[pid] {
			if !slices.Contains(except, p.pid) {
				found = append(found, p)
				walk(p.pid)
			}
		}
	}
	walk(root)
	return found
}

// signalProcess sends a signal to exactly that process: the process is pinned
// first, then compared with what was seen before.
func signalProcess(p process, sig unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == unix.ENOSYS || err == unix.EPERM {
		if now, ok := readProcess(p.pid); ok && now.started == p.started {
			_ = unix.Kill(p.pid, sig)
		}
		return
	}
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if now, ok := readProcess(p.pid); ok && now.started == p.started {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// end kills what list gives, again and again until it gives nothing or the
// time is over, and reports whether nothing is left. A process that forks
// while it is being killed is found in the next round.
func end(list func() []process, within time.Duration) bool {
	deadline := time.Now().Add(within)
	for {
		left := list()
		if len(left) == 0 {
			return true
		}
		for _, p := range left {
			signalProcess(p, unix.SIGKILL)
		}
		if time.Now().After(deadline) {
			return false
		}
		<-time.After(5 * time.Millisecond)
	}
}
