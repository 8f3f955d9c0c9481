//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// workers measures whole runs: programs a minute with one, two and four
// workers, and what the harness itself takes of the run's CPU time.
func (b *bench) workers() error {
	copies, rounds := 4, (b.rounds+1)/2
	if b.quick {
		copies, rounds = 2, 1
	}
	project := filepath.Join(b.temp, "project")
	learned := filepath.Join(project, ".opendesk", "learned")
	if err := os.MkdirAll(learned, 0o755); err != nil {
		return err
	}
	for _, f := range flows {
		source, err := os.ReadFile(filepath.Join(b.dir, "programs", f.name+".program.json"))
		if err != nil {
			return err
		}
		for i := range copies {
			name := fmt.Sprintf("%s-%d", f.name, i)
			named := strings.Replace(string(source), `"name": "`+f.name+`"`, `"name": "`+name+`"`, 1)
			if err := os.WriteFile(filepath.Join(learned, name+".program.json"), []byte(named), 0o644); err != nil {
				return err
			}
		}
	}
	for range rounds {
		for _, workers := range []int{1, 2, 4} {
			if err := b.run(project, workers, copies*len(flows)); err != nil {
				b.logf("%d workers: %v", workers, err)
				b.book.fail("programs a minute", strconv.Itoa(workers))
			}
			if b.ctx.Err() != nil {
				return b.ctx.Err()
			}
		}
	}
	return nil
}

func (b *bench) run(project string, workers, programs int) error {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, b.opendesk, "eval", "run", "learn-regression", "--project", project, "--workers", strconv.Itoa(workers))
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 20 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	began := time.Now()
	if err := c.Start(); err != nil {
		return err
	}
	stop := watchHarness(c.Process.Pid)
	err := c.Wait()
	harness, memory := stop()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out.String())
	}
	who := strconv.Itoa(workers)
	b.book.add("programs a minute", who, "a minute", float64(programs)/time.Since(began).Minutes())
	whole := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	b.book.add("harness's share of the CPU", who, "%", 100*harness.Seconds()/whole.Seconds())
	b.book.add("memory", us+", harness", "MiB", memory)
	return nil
}

// watchHarness follows a process: its own CPU time, and the most that it had in
// memory, in MiB.
func watchHarness(pid int) (stop func() (time.Duration, float64)) {
	quit, done := make(chan struct{}), make(chan struct{})
	var cpu time.Duration
	var memory float64
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			cpu, memory = max(cpu, ownCPU(pid)), max(memory, peakOf(pid))
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() (time.Duration, float64) { close(quit); <-done; return cpu, memory }
}

// ownCPU is the CPU time of a process without its children's.
func ownCPU(pid int) time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / clockTicks
}

// clockTicks are the units of /proc in a second, the same on every Linux.
const clockTicks = 100
