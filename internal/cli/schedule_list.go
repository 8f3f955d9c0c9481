package cli

import (
	"fmt"
	"time"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/schedule"
	"github.com/spf13/cobra"
)

// listed is a schedule as list and status show it.
type listed struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Task       string     `json:"task"`
	Timing     string     `json:"timing"`
	Timezone   string     `json:"timezone,omitempty"`
	Enabled    bool       `json:"enabled"`
	Next       *time.Time `json:"next,omitempty"`
	Running    int        `json:"running_pid,omitempty"`
	LastRun    *time.Time `json:"last_run,omitempty"`
	LastStatus string     `json:"last_status,omitempty"`
	// Problem says why it is not run, Note what else there is to know.
	Problem string `json:"problem,omitempty"`
	Note    string `json:"note,omitempty"`
}

func newScheduleList(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the schedules, with when they are due",
		Long:  "Lists the schedules. Of an interval the next time is only known while the\nscheduler runs.\n" + scheduleExitCodes,
		Args:  cobra.NoArgs,
	}
	o := scheduleFlags(cmd, true)
	cmd.RunE = func(*cobra.Command, []string) error {
		p, s, err := o.open(st)
		if err != nil {
			return err
		}
		list, err := listSchedules(st, p, s)
		if err != nil {
			return scheduleEnds(s, false, err)
		}
		if o.json {
			return printJSON(st, map[string]any{"schedules": list})
		}
		return printSchedules(st, list)
	}
	return cmd
}

func newScheduleStatus(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say whether the scheduler runs, and what came of its last runs",
		Long: `Says whether the project's scheduler runs, and what came of the last runs.

Exit codes: 0 it runs, 1 it does not run, 2 wrong usage, 3 the store cannot be read.
`,
		Args: cobra.NoArgs,
	}
	o := scheduleFlags(cmd, true)
	cmd.RunE = func(*cobra.Command, []string) error {
		p, s, err := o.open(st)
		if err != nil {
			return err
		}
		pid, err := s.Daemon()
		if err != nil {
			return scheduleEnds(s, false, err)
		}
		list, err := listSchedules(st, p, s)
		if err != nil {
			return scheduleEnds(s, false, err)
		}
		switch {
		case o.json:
			err = printJSON(st, map[string]any{"daemon_pid": pid, "schedules": list})
		case pid == 0:
			fmt.Fprintln(st.Stdout, "the scheduler is not running: 'opendesk schedule start' runs it")
			err = printSchedules(st, list)
		default:
			fmt.Fprintf(st.Stdout, "the scheduler is running (process %d)\n", pid)
			err = printSchedules(st, list)
		}
		if err == nil && pid == 0 {
			return &exit{code: exitRefused}
		}
		return err
	}
	return cmd
}

func listSchedules(st *State, p *project.Project, s *schedule.Store) ([]listed, error) {
	entries, err := s.Load()
	if err != nil {
		return nil, err
	}
	list := make([]listed, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		l := listed{
			ID: e.ID, Name: e.Name, Task: e.Task, Timing: e.Timing, Timezone: e.Timezone, Enabled: e.Enabled,
			LastStatus: e.LastStatus, Note: e.Disagrees(),
		}
		if !e.LastRun.IsZero() {
			l.LastRun = &e.LastRun
		}
		if l.Running, err = s.Running(e); err != nil {
			return nil, err
		}
		if l.Running == 0 && l.LastStatus == schedule.StatusRunning {
			l.LastStatus = "interrupted: the process that ran it was ended"
		}
		next, err := s.Next(e)
		if err == nil {
			_, err = parseTask(p, e.Task)
		}
		if err != nil {
			l.Problem = said(err.Error())
		} else if e.Enabled && !next.IsZero() {
			l.Next = &next
		}
		list = append(list, l)
	}
	return list, nil
}

func printSchedules(st *State, list []listed) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(st.Stdout, "no schedules: 'opendesk schedule add' adds one")
		return err
	}
	rows := [][]string{{"NAME", "TASK", "TIMING", "NEXT", "LAST RUN", "STATUS"}}
	for _, l := range list {
		next, last, status := "-", "-", l.LastStatus
		switch {
		case !l.Enabled:
			next = "disabled"
		case l.Problem != "":
			next = "never"
		case l.Next != nil:
			next = l.Next.Format("Mon 2006-01-02 15:04 MST")
		}
		if l.LastRun != nil {
			last = l.LastRun.Format("2006-01-02 15:04")
		}
		if l.Running != 0 {
			status = fmt.Sprintf("running (process %d)", l.Running)
		}
		rows = append(rows, []string{said(l.Name), said(l.Task), said(l.Timing), next, last, said(status)})
	}
	if err := printTable(st, rows); err != nil {
		return err
	}
	for _, l := range list {
		for _, text := range []string{l.Problem, l.Note} {
			if text != "" {
				fmt.Fprintf(st.Stdout, "%s: %s\n", said(l.Name), text)
			}
		}
	}
	return nil
}

// nextOf says when a schedule is due that was just added.
func nextOf(e *schedule.Entry, st *State) string {
	when, err := e.When()
	if err != nil {
		return err.Error()
	}
	zone, err := e.Zone()
	if err != nil {
		return err.Error()
	}
	if when.Interval > 0 {
		return fmt.Sprintf("every %v while the scheduler runs", when.Interval)
	}
	return "next at " + when.Next(st.Now(), zone).Format("Mon 2006-01-02 15:04 MST")
}
