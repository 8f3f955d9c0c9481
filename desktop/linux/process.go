//go:build linux

package linux

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// SessionIDVariable is the environment variable that marks the processes of a
// display session.
const SessionIDVariable = "OPENDESK_SESSION_ID"

// process is one process as /proc shows it.
type process struct {
	pid, parent, session int
	// name is the executable's name, cut to 15 bytes by the kernel.
	name string
	// state is R, S, D, T (stopped), Z (dead, not waited for), …
	state byte
	// started is the start time in clock ticks since boot; with pid it names
	// a process for good.
	started uint64
	// threads is how many it has, cpu the processor time that it has used.
	threads int
	cpu     time.Duration
}

// alive reports whether the process still runs; a zombie does not.
func (p process) alive() bool { return p.state != 'Z' && p.state != 'X' && p.state != 0 }

// stopped reports whether a signal (or a debugger) has stopped the process.
func (p process) stopped() bool { return p.state == 'T' || p.state == 't' }

// isStopped reports whether the process is stopped: it answers nothing until
// it goes on, so that waiting for its answer only costs time.
func isStopped(pid int) bool {
	p, err := readProcess(pid)
	return err == nil && p.stopped()
}

var errStat = errors.New("unexpected format of /proc/PID/stat")

// readProcess reads one process; an error means that there is none.
func readProcess(pid int) (process, error) {
	b, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return process{}, err
	}
	return parseStat(b)
}

// parseStat reads the text of /proc/PID/stat. The name stands in parentheses
// and may hold any character, parentheses and spaces too.
func parseStat(b []byte) (process, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return process{}, errStat
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:open])))
	if err != nil {
		return process{}, errStat
	}
	fields := strings.Fields(string(b[end+1:]))
	if len(fields) < 20 || len(fields[0]) != 1 {
		return process{}, errStat
	}
	p := process{pid: pid, name: string(b[open+1 : end]), state: fields[0][0]}
	if p.parent, err = strconv.Atoi(fields[1]); err != nil {
		return process{}, errStat
	}
	if p.session, err = strconv.Atoi(fields[3]); err != nil {
		return process{}, errStat
	}
	if p.started, err = strconv.ParseUint(fields[19], 10, 64); err != nil {
		return process{}, errStat
	}
	if p.threads, err = strconv.Atoi(fields[17]); err != nil {
		return process{}, errStat
	}
	for _, field := range fields[11:13] { // in user and in system mode
		ticks, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			return process{}, errStat
		}
		p.cpu += time.Duration(ticks) * clockTick
	}
	return p, nil
}

// processes are all processes that can be seen, by pid.
func processes() map[int]process {
	all := map[int]process{}
	dir, err := os.Open("/proc")
	if err != nil {
		return all
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			all[pid] = p
		}
	}
	return all
}

// family are the pids of the living processes that were started by root, at
// any remove: those in its session (setsid), which stays when a parent ends,
// and everything below them. Where another process has root's number now,
// nothing of the family is left by that number: the kernel gives none away
// that is still the id of a session.
func family(all map[int]process, root processKey) map[int]bool {
	in := map[int]bool{}
	if p, ok := all[root.pid]; ok && root.started != 0 && p.started != root.started {
		return in
	}
	var below func(pid int, hops int) bool
	below = func(pid, hops int) bool {
		p, ok := all[pid]
		if !ok || hops > len(all) {
			return false
		}
		return pid == root.pid || p.session == root.pid || below(p.parent, hops+1)
	}
	for pid, p := range all {
		if p.alive() && below(pid, 0) {
			in[pid] = true
		}
	}
	return in
}

// arguments is the command line of a process, nil where it cannot be read, and
// for a moment while the process is started.
func arguments(pid int) []string {
	b, err := os.ReadFile(procPath(pid, "cmdline"))
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// programNames are the name of a process, whole where that can be told, and
// the base name of the program that it runs: its script's where it is an
// interpreter.
func programNames(pid int) (name, program string) {
	p, err := readProcess(pid)
	if err != nil {
		return "", ""
	}
	args := arguments(pid)
	program = programOf(args)
	exe, _ := os.Readlink(procPath(pid, "exe"))
	name = p.name
	if len(name) == 15 {
		for _, candidate := range append([]string{exe}, args...) {
			if base := filepath.Base(candidate); len(base) > len(name) && strings.HasPrefix(base, name) {
				name = strings.TrimSuffix(base, " (deleted)")
				break
			}
		}
	}
	return name, program
}

// runs reports whether the process executes the file, itself or as a script.
func runs(pid int, file string) bool {
	if exe, err := os.Readlink(procPath(pid, "exe")); err == nil && sameFile(exe, file) {
		return true
	}
	for i, a := range arguments(pid) {
		if i <= 3 && filepath.IsAbs(a) && sameFile(a, file) {
			return true
		}
	}
	return false
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	fa, err := os.Stat(a)
	if err != nil {
		return false
	}
	fb, err := os.Stat(b)
	return err == nil && os.SameFile(fa, fb)
}

// variable is an environment variable as a process was started with it.
func variable(pid int, key string) string { return environment(pid).get(key) }

// environment is the environment that a process was started with. It is empty
// where it cannot be read, and for a moment while the process is started.
func environment(pid int) environ {
	b, err := os.ReadFile(procPath(pid, "environ"))
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

func procPath(pid int, file string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), file)
}
