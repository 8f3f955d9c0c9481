package script

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage is what a sandbox's processes use at a moment.
type usage struct {
	processes int // threads included
	cpu       time.Duration
	memory    int64
}

// clockTick is the unit of processor time in /proc. It is the same on every
// architecture that Linux has.
const clockTick = 10 * time.Millisecond

var pageSize = int64(os.Getpagesize())

// measure adds up the processes below and with the first of a sandbox. Nobody
// leaves that tree: who loses its parent gets the first process as parent.
func measure(first int) usage {
	var u usage
	for _, pid := range tree(first) {
		stat, err := os.ReadFile(procFile(pid, "stat"))
		if err != nil {
			continue
		}
		s := parseStat(string(stat))
		u.processes += s.threads
		u.cpu += s.cpu
		u.memory += s.memory
	}
	return u
}

// tree lists the processes below and with the first one.
func tree(first int) []int {
	if _, err := os.Stat(procFile(os.Getpid(), filepath.Join("task", strconv.Itoa(os.Getpid()), "children"))); err != nil {
		return treeByParents(first) // a kernel without such lists
	}
	found := []int{first}
	for i := 0; i < len(found); i++ {
		tasks, err := os.ReadDir(procFile(found[i], "task"))
		if err != nil {
			continue
		}
		for _, task := range tasks {
			children, err := os.ReadFile(procFile(found[i], filepath.Join("task", task.Name(), "children")))
			if err != nil {
				continue
			}
			for _, child := range strings.Fields(string(children)) {
				if pid, err := strconv.Atoi(child); err == nil {
					found = append(found, pid)
				}
			}
		}
	}
	return found
}

// treeByParents is tree by a look at every process of the machine.
func treeByParents(first int) []int {
	below := map[int][]int{}
	all, _ := os.ReadDir("/proc")
	for _, entry := range all {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			parent := parentOf(pid)
			below[parent] = append(below[parent], pid)
		}
	}
	found := []int{first}
	for i := 0; i < len(found); i++ {
		found = append(found, below[found[i]]...)
	}
	return found
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// parentOf is the parent of a process, 0 where that is not known.
func parentOf(pid int) int {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0
	}
	return parseStat(string(stat)).parent
}

// processStat is what a line of /proc/PID/stat tells.
type processStat struct {
	parent  int
	threads int
	cpu     time.Duration // with that of children that have ended
	memory  int64         // resident
}

// parseStat reads such a line; the zero value for what is none.
func parseStat(stat string) processStat {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	// Counted from the state, which is field 3 of the line.
	const parent, utime, cstime, threads, resident = 4 - 3, 14 - 3, 17 - 3, 20 - 3, 24 - 3
	if len(fields) <= resident {
		return processStat{}
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	s := processStat{parent: int(number(parent)), threads: int(number(threads)), memory: number(resident) * pageSize}
	for i := utime; i <= cstime; i++ {
		s.cpu += time.Duration(number(i)) * clockTick
	}
	return s
}

// proportional is the memory of the sandbox's processes with what they share
// counted once, which takes the kernel longer to tell.
func proportional(first int) int64 {
	var total int64
	for _, pid := range tree(first) {
		data, err := os.ReadFile(procFile(pid, "smaps_rollup"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "Pss:" {
				n, _ := strconv.ParseInt(fields[1], 10, 64)
				total += n << 10
			}
		}
	}
	return total
}

// diskFull says whether nothing more fits into the sandbox's work folder, by
// bytes or by the number of files.
func diskFull(first int) (full, tooMany bool) {
	const (
		fullBelow = 64 << 10
		maxFiles  = 20_000
	)
	var st unix.Statfs_t
	if unix.Statfs(procFile(first, "root"+WorkDir), &st) != nil || st.Type != unix.TMPFS_MAGIC {
		return false, false
	}
	return st.Bavail*uint64(st.Bsize) < fullBelow, st.Files-st.Ffree > maxFiles
}
