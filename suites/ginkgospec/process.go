package ginkgospec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/opendesk/opendesk/results"
)

// grace is how long an interrupted opendesk has to take its session down and
// to write its results. Ginkgo gives specs 30 seconds for that.
var grace = 15 * time.Second

// Names in the folder of a run.
const (
	eventsFile  = "events.ndjson"
	consoleFile = "console.txt"
)

// outcome is what came of one run of opendesk.
type outcome struct {
	// program is the result of the program as far as events told it.
	program results.Program
	// run is the run's; nil where there was no event.
	run *results.Run
	// finished says that the run was brought to its end and all events of it
	// were read.
	finished bool
	// exitCode is -1 where a signal ended opendesk.
	exitCode int
	// err is why opendesk or its events are not to be trusted.
	err error
}

// play runs opendesk with its run in the folder and hands on its events of the
// program while they arrive. When ctx ends it interrupts opendesk.
func play(ctx context.Context, binary string, args []string, folder, path string, each func(results.Event)) outcome {
	console, err := os.Create(filepath.Join(folder, consoleFile))
	if err != nil {
		return outcome{exitCode: -1, err: err}
	}
	defer console.Close() // its reader looks at the file
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = console, console
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	endWithUs(cmd)

	ended := make(chan struct{})
	var failed error
	go func() {
		defer close(ended)
		// The thread must live as long as the command does: see endWithUs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		failed = cmd.Run()
	}()
	events := &tail{path: filepath.Join(folder, eventsFile), ended: ended}
	defer events.Close()
	o, err := follow(events, path, each)
	<-ended

	o.exitCode = cmd.ProcessState.ExitCode()
	var exit *exec.ExitError
	if failed != nil && !errors.As(failed, &exit) || o.exitCode < 0 {
		o.err = failed
	}
	if o.err == nil {
		o.err = err
	}
	return o
}

// follow reads the events up to their end.
func follow(r io.Reader, path string, each func(results.Event)) (outcome, error) {
	acc := results.NewAccumulator()
	reader := results.NewEventReader(r, eventsFile)
	var o outcome
	for {
		ev, err := reader.Next()
		if err == nil {
			err = acc.Apply(ev)
		}
		if err != nil {
			if run := acc.Run(); run.ID != "" {
				o.run = run
				o.program, _ = acc.Program(results.Event{Path: path})
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			o.finished = o.finished && err == nil
			return o, err
		}
		o.finished = o.finished || ev.Type == results.EventRunFinished
		if ev.Path == path {
			each(ev)
		}
	}
}

// trusted says why there is no verdict to rely on; nil where there is one.
func (o *outcome) trusted() error {
	switch {
	case o.err != nil:
		return fmt.Errorf("opendesk ended without a verdict: %w", o.err)
	case !o.finished:
		return fmt.Errorf("opendesk ended without a verdict, with exit code %d (%s)", o.exitCode, results.ExitMeaning(o.exitCode))
	case o.exitCode != o.run.ExitCode:
		return fmt.Errorf("opendesk ended with exit code %d, but its events say %d", o.exitCode, o.run.ExitCode)
	case o.program.Path == "":
		return errors.New("opendesk did not run the program")
	case (o.program.Status == results.Passed || o.program.Status == results.Flaky) && o.exitCode != results.ExitPassed:
		return fmt.Errorf("the program is %s, but opendesk ended with exit code %d", o.program.Status, o.exitCode)
	}
	return nil
}

// escapeGlob gives the glob that matches nothing but the path.
func escapeGlob(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`\*?[]{}`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
