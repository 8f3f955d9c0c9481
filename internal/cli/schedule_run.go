package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/policy"
	"github.com/opendesk/opendesk/schedule"
	"github.com/spf13/cobra"
)

const scheduledHelp = `Results go to a folder of the run and to the project's history as those of
'opendesk eval run' do, and tell that a schedule ran it (kind: schedule). Settings
are those of eval.yaml. With --notify a command is run where there is news, as
'opendesk eval nightly' does; with --keep N all but the newest N runs are removed.
`

// scheduledOptions are how schedules are run.
type scheduledOptions struct {
	*scheduleOptions
	notify string
	keep   int
}

func scheduledFlags(cmd *cobra.Command) *scheduledOptions {
	o := &scheduledOptions{scheduleOptions: scheduleFlags(cmd, false)}
	cmd.Flags().StringVar(&o.notify, "notify", "", "a command that is run where there is news (see 'opendesk eval nightly --help')")
	cmd.Flags().IntVar(&o.keep, "keep", 0, "how many of the newest runs are kept (0: all)")
	return o
}

func (o *scheduledOptions) check() error {
	if o.keep < 0 {
		return usage("--keep must not be negative")
	}
	return nil
}

func newScheduleRun(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run a schedule now",
		Long: `Runs what a schedule runs, at once, whether it is enabled or not, unless it is
being run already. When it is due next does not change.

` + scheduledHelp + `
The exit codes are those of 'opendesk eval run', and 1 where it is being run already.
` + exitCodes,
		Args: oneSchedule,
	}
	o := scheduledFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.check(); err != nil {
			return err
		}
		_, s, err := o.open(st)
		if err != nil {
			return err
		}
		entries, err := s.Load()
		if err != nil {
			return scheduleEnds(s, false, err)
		}
		e, err := schedule.Find(entries, args[0])
		if err != nil {
			return scheduleEnds(s, false, err)
		}
		release, err := s.HoldTask(e)
		if err != nil {
			return scheduleEnds(s, false, err)
		}
		defer release() //nolint:errcheck // the process ends with it
		if err := s.Began(e.Name, st.Now()); err != nil {
			return scheduleEnds(s, false, err)
		}
		status, runErr := o.run(cmd.Context(), st, e)
		if err := s.Ended(e.Name, status); err != nil {
			fmt.Fprintf(st.Stderr, "opendesk: %v\n", err)
		}
		return runErr
	}
	return cmd
}

// run runs a schedule's task and says what came of it: schedule.StatusOK or a
// sentence. The error is that of the command.
func (o *scheduledOptions) run(ctx context.Context, st *State, e *schedule.Entry) (status string, err error) {
	p, err := openProject(o.project)
	if err != nil {
		return "error: " + said(err.Error()), err
	}
	task, err := parseTask(p, e.Task)
	if err != nil {
		return "refused: " + said(err.Error()), err
	}
	var run runOptions
	run.addFlags(&cobra.Command{}) // the defaults
	run.project, run.kind = p.Dir, policy.Schedule
	if task.program != "" {
		run.selection.programs = []string{literal(task.program)}
	}
	nightly := nightlyOptions{notify: o.notify, keep: o.keep}
	run.after = func(ctx context.Context, p *project.Project, dir string, r *results.Run) error {
		status = statusOf(r)
		if o.notify == "" && o.keep == 0 {
			return nil
		}
		return nightly.after(ctx, st, p, dir, r)
	}
	err = evalRun(ctx, st, task.suite, &run, func(string) bool { return false })
	var code *exit
	if status == "" || errors.As(err, &code) && code.err != nil {
		reason := "the run did not begin"
		if err != nil {
			reason = said(err.Error())
		}
		if status != "" && status != schedule.StatusOK {
			return status, err
		}
		return "error: " + reason, err
	}
	return status, err
}

// statusOf is what came of a run in one line.
func statusOf(r *results.Run) string {
	if r.ExitCode == results.ExitPassed {
		return schedule.StatusOK
	}
	if r.Interrupted {
		return fmt.Sprintf("interrupted (%s)", r.ID)
	}
	bad := 0
	for i := range r.Programs {
		switch r.Programs[i].Status {
		case results.Failed, results.Broken, results.Invalid:
			bad++
		}
	}
	return fmt.Sprintf("%s: %d of %s (%s)", r.Status, bad, count(len(r.Programs), "program"), r.ID)
}
