package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/opendesk/opendesk/schedule"
	"github.com/spf13/cobra"
)

// maxParallel bounds how many schedules run at the same time.
const maxParallel = 64

func newScheduleStart(st *State) *cobra.Command {
	var parallel int
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Run schedules at their times until interrupted",
		Long: `Runs the project's schedules at their times, in the foreground, until it is
interrupted: what is under way then is ended as 'opendesk eval run' ends, in good
order, and told. One scheduler runs per project; a second one is refused. Changes
of the store are seen within five seconds.

Schedules wait for each other unless --parallel says otherwise, and none is run
twice at the same time: what is due while it is still being run is left out. What
was missed, because the machine slept or the scheduler was not running, is made up
for once.

` + scheduledHelp + `
Exit codes: 0 ended by an interrupt, 1 another scheduler is running, 2 wrong usage,
3 the store cannot be read or written, or this build cannot run programs.
`,
		Args: cobra.NoArgs,
	}
	o := scheduledFlags(cmd)
	cmd.Flags().IntVar(&parallel, "parallel", 1, "how many schedules may run at the same time")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if err := o.check(); err != nil {
			return err
		}
		if parallel < 1 || parallel > maxParallel {
			return usage("--parallel must be from 1 to %d, not %d", maxParallel, parallel)
		}
		if lacks := buildLacks(); lacks != "" {
			return &exit{exitInternal, fmt.Errorf("this build cannot run programs: %s", lacks)}
		}
		p, s, err := o.open(st)
		if err != nil {
			return err
		}
		release, err := s.Hold()
		if err != nil {
			return scheduleEnds(s, false, err)
		}
		defer func() { err = errors.Join(err, release()) }()
		out := &lines{st: st}
		d := schedule.Daemon{
			Store: s, Parallel: parallel, Log: out.log,
			Run: func(ctx context.Context, e schedule.Entry) string { return o.runApart(ctx, out, &e) },
		}
		out.log("schedules of %s", p.Dir)
		err = d.Serve(cmd.Context())
		if err == nil {
			out.log("ended")
		}
		return scheduleEnds(s, true, err)
	}
	return cmd
}

// lines are the output of several at the same time: each writes in one go.
type lines struct {
	st    *State
	mutex sync.Mutex
}

func (l *lines) log(format string, args ...any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	fmt.Fprintf(l.st.Stdout, "%s  %s\n", l.st.Now().Format("2006-01-02 15:04:05"), said(fmt.Sprintf(format, args...)))
}

// write writes what a run has printed.
func (l *lines) write(stdout, stderr []byte) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, _ = l.st.Stdout.Write(stdout)
	_, _ = l.st.Stderr.Write(stderr)
}

// runApart runs a schedule whose output comes at its end.
func (o *scheduledOptions) runApart(ctx context.Context, out *lines, e *schedule.Entry) (status string) {
	var stdout, stderr bytes.Buffer
	own := *out.st
	own.Stdout, own.Stderr = &stdout, &stderr
	defer func() { out.write(stdout.Bytes(), stderr.Bytes()) }()
	status, err := o.run(ctx, &own, e)
	var code *exit
	if err != nil && (!errors.As(err, &code) || code.err != nil) {
		fmt.Fprintf(&stderr, "opendesk: %s: %v\n", e.Name, err)
	}
	return status
}
