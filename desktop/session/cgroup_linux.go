package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// controller is a part of the kernel that keeps a limit.
type controller struct {
	limit string // its limit's name
	name  string
	// max are the files that take the limit, without a swap for the memory that
	// is over it; only the first must exist. zero is written to those of zero.
	max, zero []string
	// events is the file, and key the line in it, that counts how often the
	// limit was reached.
	events, key string
}

// controllersOf are the controllers of each version of cgroups.
var controllersOf = map[string][]controller{
	cgroup2: {
		{LimitMemory, "memory", []string{"memory.max"}, []string{"memory.swap.max"}, "memory.events", "oom_kill"},
		{LimitProcesses, "pids", []string{"pids.max"}, nil, "pids.events", "max"},
	},
	cgroup1: {
		{LimitMemory, "memory", []string{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}, nil, "memory.oom_control", "oom_kill"},
		{LimitProcesses, "pids", []string{"pids.max"}, nil, "pids.events", "max"},
	},
}

const (
	cgroup1 = "cgroup v1"
	cgroup2 = "cgroup v2"
	// procsFile lists a group's processes, and takes those that are to be in it.
	procsFile = "cgroup.procs"
)

// group is the place of a session's control group for one controller. Those of
// version 2 have one folder for all.
type group struct {
	controller
	version string
	// parent is the group that it is made in, dir its folder.
	parent, dir string
}

// hierarchy is a mounted tree of control groups with our place in it.
type hierarchy struct {
	version string
	names   []string // the controllers, of version 1
	mount   string   // where it is mounted
	own     string   // the folder of our own group
}

// hierarchies reads what is mounted, from the contents of /proc/self/mountinfo
// and /proc/self/cgroup.
func hierarchies(mountinfo, self string) []hierarchy {
	places := map[string]string{} // of a controller, or of "" for version 2
	for line := range strings.Lines(self) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		for _, name := range strings.Split(fields[1], ",") {
			places[name] = fields[2]
		}
	}
	var found []hierarchy
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
		where, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(where) < 5 || len(kind) < 3 {
			continue
		}
		h := hierarchy{mount: unescapeMount(where[4])}
		place, known := "", false
		switch kind[0] {
		case "cgroup2":
			h.version = cgroup2
			place, known = places[""]
		case "cgroup":
			h.version = cgroup1
			for _, name := range strings.Split(kind[2], ",") {
				if p, ours := places[name]; ours {
					h.names, place, known = append(h.names, name), p, true
				}
			}
		}
		if !known {
			continue
		}
		// What is mounted can be a part of the tree.
		below, inside := strings.CutPrefix(place, strings.TrimSuffix(unescapeMount(where[3]), "/"))
		if !inside {
			below = ""
		}
		h.own = filepath.Join(h.mount, below)
		found = append(found, h)
	}
	return found
}

// unescapeMount takes the escapes of spaces out of a path of mountinfo.
func unescapeMount(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// planGroups says where a session's groups of that name can be, and for each
// limit that has none why. Nothing is made yet.
func planGroups(name string, trees []hierarchy) (groups []group, missing map[string]string) {
	missing = map[string]string{}
	for _, limit := range []string{LimitMemory, LimitProcesses} {
		why := "no control groups with this controller are mounted"
		for _, version := range []string{cgroup2, cgroup1} {
			c := controllersOf[version][slices.IndexFunc(controllersOf[version], func(c controller) bool { return c.limit == limit })]
			parent, reason := place(c, version, trees)
			if parent != "" {
				groups = append(groups, group{controller: c, version: version, parent: parent, dir: filepath.Join(parent, name)})
				why = ""
				break
			}
			if reason != "" {
				why = reason
			}
		}
		if why != "" {
			missing[limit] = why
		}
	}
	return groups, missing
}

// place is the group below which ours can be made, "" with the reason where
// there is none, and without one where the controller is not of this version.
func place(c controller, version string, trees []hierarchy) (parent, reason string) {
	for _, h := range trees {
		switch {
		case h.version != version:
		case version == cgroup1 && slices.Contains(h.names, c.name):
			if unix.Access(h.own, unix.W_OK) != nil {
				return "", cgroup1 + " is not writable"
			}
			return h.own, ""
		case version == cgroup2 && slices.Contains(words(filepath.Join(h.mount, "cgroup.controllers")), c.name):
			return delegated(h, c.name)
		}
	}
	return "", ""
}

// delegated is the nearest group from ours upwards that hands the controller
// on to groups below it and lets us make one. A group that has processes of
// its own hands nothing on, so that it is hardly ever ours.
func delegated(h hierarchy, name string) (parent, reason string) {
	for dir := h.own; ; dir = filepath.Dir(dir) {
		writable := unix.Access(dir, unix.W_OK) == nil && unix.Access(filepath.Join(dir, procsFile), unix.W_OK) == nil
		if writable && slices.Contains(words(filepath.Join(dir, "cgroup.controllers")), name) {
			handed := filepath.Join(dir, "cgroup.subtree_control")
			if slices.Contains(words(handed), name) || writeExisting(handed, "+"+name) == nil {
				return dir, ""
			}
		}
		if dir == h.mount || len(dir) <= len(h.mount) {
			return "", cgroup2 + " is not delegated (systemd-run --user --scope -p Delegate=yes COMMAND does that)"
		}
	}
}

// words are the words of a file, none of one that cannot be read.
func words(file string) []string {
	data, _ := os.ReadFile(file)
	return strings.Fields(string(data))
}

// ownTrees are the hierarchies that this process is in.
func ownTrees() []hierarchy {
	mounts, err1 := os.ReadFile("/proc/self/mountinfo")
	self, err2 := os.ReadFile("/proc/self/cgroup")
	if err1 != nil || err2 != nil {
		return nil
	}
	return hierarchies(string(mounts), string(self))
}

// make makes the group with its limit, 0 for none.
func (g group) make(limit int64) error {
	if err := os.Mkdir(g.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if limit == 0 {
		return nil
	}
	for i, file := range g.max {
		err := writeExisting(filepath.Join(g.dir, file), strconv.FormatInt(limit, 10))
		if err != nil && (i == 0 || !errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	for _, file := range g.zero {
		if err := writeExisting(filepath.Join(g.dir, file), "0"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeExisting writes to a file of the kernel, and makes none.
func writeExisting(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// reached is how often the limit was reached; 0 where that cannot be read.
func (g group) reached() int64 {
	data, err := os.ReadFile(filepath.Join(g.dir, g.events))
	if err != nil {
		return 0
	}
	return counter(string(data), g.key)
}

// counter reads one line of a file of keys and numbers.
func counter(text, key string) int64 {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == key {
			n, _ := strconv.ParseInt(value, 10, 64)
			return n
		}
	}
	return 0
}

// inGroups lists the processes in these groups and below them.
func inGroups(dirs []string) []process {
	var found []process
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return nil
			}
			for _, word := range words(filepath.Join(path, procsFile)) {
				pid, err := strconv.Atoi(word)
				if err != nil || pid <= 0 {
					continue
				}
				if p, ok := readProcess(pid); ok && p.state != 'Z' && p.state != 'X' {
					found = append(found, p)
				}
			}
			return nil
		})
	}
	return found
}

// removeGroups removes groups that have no processes any more. Only groups of
// sessions are touched. A group is in use as long as the one who is to collect
// its last process has not: what is so slow is left to sweepGroups.
func removeGroups(dirs []string, within time.Duration) error {
	deadline := time.Now().Add(within)
	for _, dir := range dirs {
		if !isGroup(dir) {
			continue
		}
		for {
			err := removeGroup(dir)
			if err == nil || errors.Is(err, unix.EBUSY) && time.Now().After(deadline) {
				break
			}
			if !errors.Is(err, unix.EBUSY) {
				return fmt.Errorf("remove the session's control group: %w", err)
			}
			<-time.After(5 * time.Millisecond)
		}
	}
	return nil
}

// isGroup says whether the folder can be a session's group: by its name, and
// by its being there.
func isGroup(dir string) bool {
	return filepath.IsAbs(dir) && strings.HasPrefix(filepath.Base(dir), folderPrefix) && exists(filepath.Join(dir, procsFile))
}

// sweepGroups removes groups of sessions that are empty and were made before
// then: those whose session's folder somebody else has removed.
func sweepGroups(trees []hierarchy, before time.Time) {
	groups, _ := planGroups(folderPrefix, trees)
	for _, g := range groups {
		entries, err := os.ReadDir(g.parent)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			dir := filepath.Join(g.parent, entry.Name())
			info, err := entry.Info()
			if err == nil && isGroup(dir) && info.ModTime().Before(before) && len(inGroups([]string{dir})) == 0 {
				_ = removeGroup(dir) // one that is in use after all stays
			}
		}
	}
}

// removeGroup removes a group and those that were made below it.
func removeGroup(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeGroup(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := unix.Rmdir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "rmdir", Path: dir, Err: err}
	}
	return nil
}
