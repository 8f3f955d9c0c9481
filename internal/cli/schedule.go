package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/schedule"
	"github.com/spf13/cobra"
)

const scheduleExitCodes = `
Exit codes: 0 done, 1 refused (there already, or being run), 2 wrong usage, no such
schedule, or a task that cannot be scheduled, 3 the store cannot be read or written.
`

func newSchedule(st *State) *cobra.Command {
	cmd := group("schedule", "Run programs and suites at their times",
		newScheduleAdd(st), newScheduleList(st), newScheduleRemove(st),
		newScheduleEnable(st, true), newScheduleEnable(st, false),
		newScheduleRun(st), newScheduleStart(st), newScheduleStatus(st), newScheduleUnit(st))
	cmd.Long = `Runs learned programs and suites at their times. Schedules are kept in
.opendesk/schedules.json; 'opendesk schedule start' runs them as long as it runs
itself, and 'opendesk schedule unit' prints a unit by which systemd starts it.
`
	return cmd
}

// scheduleOptions are what all commands about schedules take.
type scheduleOptions struct {
	project string
	json    bool
}

func scheduleFlags(cmd *cobra.Command, asJSON bool) *scheduleOptions {
	var o scheduleOptions
	cmd.Flags().StringVar(&o.project, "project", ".", "the project's folder")
	if asJSON {
		cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	}
	return &o
}

// open gives the project and its store.
func (o *scheduleOptions) open(st *State) (*project.Project, *schedule.Store, error) {
	p, err := openProject(o.project)
	if err != nil {
		return nil, nil, err
	}
	return p, &schedule.Store{
		File: filepath.Join(p.Dir, ".opendesk", "schedules.json"),
		Dir:  filepath.Join(p.EvalDir(), "schedule"),
		Now:  st.Now,
	}, nil
}

// oneSchedule wants the name of a schedule as the only argument.
func oneSchedule(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usage("which schedule? See '%s schedule list'.", cmd.Root().Name())
	case len(args) > 1:
		return usage("one schedule at a time (given: %q)", args)
	}
	return nil
}

// scheduleEnds gives an error of the schedule package its exit code. A store
// that is broken is kept aside where the command would have written to it.
func scheduleEnds(s *schedule.Store, writes bool, err error) error {
	if err == nil {
		return nil
	}
	var (
		known   *exit
		held    *schedule.HeldError
		unknown *schedule.UnknownError
		syntax  *schedule.SyntaxError
		broken  *schedule.BrokenError
	)
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, schedule.ErrExists), errors.As(err, &held):
		return &exit{exitRefused, err}
	case errors.As(err, &unknown), errors.As(err, &syntax):
		return usage("%w", err)
	case writes && errors.As(err, &broken):
		err = s.KeepAside(err)
	}
	return &exit{exitInternal, err}
}

func newScheduleAdd(st *State) *cobra.Command {
	var e schedule.Entry
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "add NAME --task TASK --timing TIMING",
		Short: "Add a schedule",
		Long: `Adds a schedule. A TASK is "replay PROGRAM", which runs one learned program, or
"eval SUITE", which runs a suite. Sentences need an agent, which this version does
not have.

A TIMING is one of
  every 30m, every 2h, every 1d, every 90s     an interval, from now on
  1800                                         the same in seconds
  every day at 09:00, every day 9am            each day
  every friday at 17:00, every friday 5:30pm   each week
  0 17 * * 5                                   cron: minute hour day month weekday

Times are those of --timezone. A time of day that the clocks skip is run at the
moment of the jump, one that occurs twice the first time only; where cron's hour
is *, the time that passes counts.
` + scheduleExitCodes,
		Example: `  opendesk schedule add nightly --task "eval learn-regression" --timing "every day at 02:00"
  opendesk schedule add export --task "replay export-report" --timing "0 9 * * 1-5" --timezone Europe/Berlin`,
		Args: oneSchedule,
	}
	o := scheduleFlags(cmd, false)
	f := cmd.Flags()
	f.StringVar(&e.Task, "task", "", `"replay PROGRAM" or "eval SUITE"`)
	f.StringVar(&e.Timing, "timing", "", "when (see above)")
	f.StringVar(&e.Timezone, "timezone", "", "the zone of the times, such as Europe/Berlin (default the machine's)")
	f.BoolVar(&overwrite, "overwrite", false, "replace a schedule of this name")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		p, s, err := o.open(st)
		if err != nil {
			return err
		}
		e.Name = args[0]
		switch {
		case e.Task == "":
			return usage(`what is to be run? --task takes "replay PROGRAM" or "eval SUITE"`)
		}
		if _, err := parseTask(p, e.Task); err != nil {
			return err
		}
		if err := schedule.CheckZone(e.Timezone); err != nil {
			return usage("--timezone: %w", err)
		}
		if err := schedule.CheckName(e.Name); err != nil {
			return usage("%w", err)
		}
		added, err := s.Add(e, overwrite)
		if errors.Is(err, schedule.ErrExists) {
			err = fmt.Errorf("there is a schedule %q already: --overwrite replaces it", e.Name)
			return &exit{exitRefused, err}
		}
		if err != nil {
			return scheduleEnds(s, true, err)
		}
		_, err = fmt.Fprintf(st.Stdout, "%s: %s, %s\n", said(added.Name), said(added.Task), nextOf(&added, st))
		return err
	}
	return cmd
}

func newScheduleRemove(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a schedule",
		Long:  "Removes a schedule. A run of it that is under way goes on.\n" + scheduleExitCodes,
		Args:  oneSchedule,
	}
	o := scheduleFlags(cmd, false)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		_, s, err := o.open(st)
		if err != nil {
			return err
		}
		if err := s.Remove(args[0]); err != nil {
			return scheduleEnds(s, true, err)
		}
		_, err = fmt.Fprintf(st.Stdout, "%s: removed\n", said(args[0]))
		return err
	}
	return cmd
}

func newScheduleEnable(st *State, enable bool) *cobra.Command {
	use, short, done := "enable NAME", "Switch a schedule on", "enabled"
	if !enable {
		use, short, done = "disable NAME", "Switch a schedule off", "disabled"
	}
	cmd := &cobra.Command{
		Use: use, Short: short,
		Long: short + ". What is due while a schedule is off is not made up for.\n" + scheduleExitCodes,
		Args: oneSchedule,
	}
	o := scheduleFlags(cmd, false)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		_, s, err := o.open(st)
		if err != nil {
			return err
		}
		if err := s.Enable(args[0], enable); err != nil {
			return scheduleEnds(s, true, err)
		}
		_, err = fmt.Fprintf(st.Stdout, "%s: %s\n", said(args[0]), done)
		return err
	}
	return cmd
}

func newScheduleUnit(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unit",
		Short: "Print a systemd user unit that starts the scheduler",
		Long: `Prints a unit for systemd's user manager, which starts the scheduler of the
project at login, or at boot where 'loginctl enable-linger' is set.
` + scheduleExitCodes,
		Example: `  opendesk schedule unit --project . > ~/.config/systemd/user/opendesk.service
  systemctl --user enable --now opendesk`,
		Args: cobra.NoArgs,
	}
	o := scheduleFlags(cmd, false)
	cmd.RunE = func(*cobra.Command, []string) error {
		p, _, err := o.open(st)
		if err != nil {
			return err
		}
		executable, err := os.Executable()
		if err != nil {
			return &exit{exitInternal, err}
		}
		_, err = st.Stdout.Write([]byte(schedule.Unit(executable, p.Dir, st.Getenv("PATH"))))
		return err
	}
	return cmd
}
