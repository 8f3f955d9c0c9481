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

// What is measured of whole runs.
const (
	perMinute        = "programs a minute"
	perMinutePausing = "programs a minute, each with a pause of a second"
	harnessShare     = "harness's share of the CPU"
)

// workers measures whole runs: programs a minute with one, two and four
// workers, what a program takes of CPU time, and the harness of that. One worker
// can keep two processors busy, since the next session is started and the last
// one ended beside; what more workers are good for shows where programs wait.
func (b *bench) workers() error {
	copies, rounds := 4, (b.rounds+1)/2
	if b.quick {
		copies, rounds = 2, 1
	}
	for range rounds {
		for _, what := range []string{perMinute, perMinutePausing} {
			project, err := b.project(what == perMinutePausing, copies)
			if err != nil {
				return err
			}
			for _, workers := range []int{1, 2, 4} {
				if workers == 4 && what == perMinutePausing {
					continue
				}
				if err := b.run(what, project, workers, copies*len(flows)); err != nil {
					b.logf("%d workers: %v", workers, err)
					b.book.fail(what, strconv.Itoa(workers))
				}
				if b.ctx.Err() != nil {
					return b.ctx.Err()
				}
			}
		}
	}
	return nil
}

// project makes a project of so many copies of the flows.
func (b *bench) project(pausing bool, copies int) (string, error) {
	project := filepath.Join(b.temp, fmt.Sprintf("project-%t", pausing))
	learned := filepath.Join(project, ".opendesk", "learned")
	if err := os.MkdirAll(learned, 0o755); err != nil {
		return "", err
	}
	for _, f := range flows {
		source, err := os.ReadFile(filepath.Join(b.dir, "programs", f.name+".program.json"))
		if err != nil {
			return "", err
		}
		for i := range copies {
			name := fmt.Sprintf("%s-%d", f.name, i)
			named := strings.Replace(string(source), `"name": "`+f.name+`"`, `"name": "`+name+`"`, 1)
			if pausing {
				named = strings.Replace(named, `"steps": [`, `"steps": [
    {"id": "s0", "tool": "wait", "params": {"seconds": 1}},`, 1)
			}
			if err := os.WriteFile(filepath.Join(learned, name+".program.json"), []byte(named), 0o644); err != nil {
				return "", err
			}
		}
	}
	return project, nil
}

// run runs the project once.
func (b *bench) run(what, project string, workers, programs int) error {
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
	who, took := strconv.Itoa(workers), time.Since(began)
	b.book.add(what, who, "a minute", float64(programs)/took.Minutes())
	if what != perMinute {
		return nil
	}
	whole := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	b.book.add("processors busy", who, "processors", whole.Seconds()/took.Seconds())
	b.book.add("CPU time", who, "ms a program", milliseconds(whole)/float64(programs))
	b.book.add(harnessShare, who, "%", 100*harness.Seconds()/whole.Seconds())
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
