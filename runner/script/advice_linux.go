package script

import (
	"fmt"
	"time"
)

// advise says in one sentence which limit a script ran into, and what to do.
func advise(limit string, l Limits) string {
	switch limit {
	case LimitTime:
		return fmt.Sprintf("it took longer than %s and was ended: split the work into smaller parts, narrow it, or raise timeout_ms", seconds(l.Time))
	case LimitCPU:
		return fmt.Sprintf("it used more than %s of the processor's time and was ended: narrow the work, or raise the limit of cpu", seconds(l.CPU))
	case LimitMemory:
		return fmt.Sprintf("it reached its limit of %s of memory: hold less at a time, or raise the limit of memory", size(l.Memory))
	case LimitDisk:
		return fmt.Sprintf("it filled its work folder, which holds %s: write less, or raise the limit of disk", size(l.Disk))
	case LimitOutput:
		return fmt.Sprintf("it printed more than %s and was ended: print summaries, and save the rest to a file", size(l.Output))
	case LimitProcesses:
		return fmt.Sprintf("it reached its limit of %d processes and threads at a time: start fewer, or raise the limit of processes", l.Processes)
	case LimitCalls:
		return fmt.Sprintf("it made more than %d tool calls: narrow the scope, or split it into steps", l.Calls)
	}
	return ""
}

func seconds(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }

// size writes a number of bytes in the largest unit that keeps it whole.
func size(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	for i := len(units) - 1; i > 0; i-- {
		if unit := int64(1) << (10 * i); n >= unit && n%unit == 0 {
			return fmt.Sprintf("%d %s", n/unit, units[i])
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// ranInto tells the limit from how the script failed, "" for none: what Python
// makes of the kernel's refusals.
func ranInto(f *failure, attempts []Attempt, code int) string {
	if code == 128+sigXCPU {
		return LimitCPU
	}
	if code == 128+sigXFSZ {
		return LimitDisk
	}
	if f == nil || code == 0 {
		return ""
	}
	switch {
	case f.Type == "MemoryError":
		return LimitMemory
	case f.Number == errnoNoSpace || f.Number == errnoTooBig:
		return LimitDisk
	case f.Line == "RuntimeError: can't start new thread":
		return LimitProcesses
	case f.Number == errnoAgain:
		for _, a := range attempts {
			if a.Number == errnoAgain && (a.Event == "os.fork" || a.Event == "subprocess.Popen" || a.Event == "os.posix_spawn") {
				return LimitProcesses
			}
		}
	}
	return ""
}

// The numbers of Linux that Python's errors carry.
const (
	errnoAgain   = 11
	errnoTooBig  = 27
	errnoNoSpace = 28
	sigXCPU      = 24
	sigXFSZ      = 25
)
