//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memoryOf notes what a peer's process needed at most.
func (b *bench) memoryOf(args []string, ended *os.ProcessState) {
	if usage, ok := ended.SysUsage().(*syscall.Rusage); ok {
		name, _, _ := strings.Cut(args[0], "_")
		b.book.add("memory", name, "MiB", float64(usage.Maxrss)/1024)
	}
}

// watchMemory notes what the worker with that job needs at most, until stop.
func (b *bench) watchMemory(jobFile string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		pid, most := 0, 0.0
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			if pid == 0 {
				pid = processOf("worker\x00--job\x00" + jobFile)
			}
			most = max(most, peakOf(pid))
			select {
			case <-tick.C:
			case <-quit:
				if most > 0 {
					b.book.add("memory", us+", worker", "MiB", most)
				}
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

// processOf finds the process whose command line has that in it, 0 for none.
func processOf(arguments string) int {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(arguments)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}

// peakOf is the most that a process had in memory so far, in MiB.
func peakOf(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseFloat(fields[0], 64)
	return kib / 1024
}
