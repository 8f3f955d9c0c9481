package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/script"
	"github.com/spf13/cobra"
)

func newLearnAuditCode(st *State) *cobra.Command {
	var run string
	cmd := &cobra.Command{
		Use:   "audit-code NAME",
		Short: "Show what a program's scripts tried that leads out of their sandbox",
		Long: `Shows what the code of a program's scripts tried when it last ran and that leads
out of its sandbox: files elsewhere, sockets, processes; what came of it, with the
error that a refused call saw; how often, and from where in the code. It is read
from the results of the newest run of the program, or of --run.

Python tells of it, so that a library in C can do more than is shown; the sandbox
holds that as well.

Exit codes: 0 shown, 2 wrong usage, or there is no such task or run.
`,
		Example: `  opendesk learn audit-code unpaid-invoices
  opendesk learn audit-code unpaid-invoices --run .opendesk/eval/runs/20310102-030405-abcd --json`,
		Args: oneTask(1),
	}
	o := taskFlags(cmd)
	cmd.Flags().StringVar(&run, "run", "", "the run's folder or id (default the newest in which the program's scripts ran)")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return o.ends(st, o.auditCode(st, args[0], run)) }
	return cmd
}

// ranScript is a script that ran in a step of an attempt.
type ranScript struct {
	Step    string          `json:"step"`
	Attempt int             `json:"attempt"`
	Repeat  int             `json:"repeat,omitempty"`
	Script  *results.Script `json:"script"`
}

// codeAudit is what --json prints.
type codeAudit struct {
	Task    string      `json:"task"`
	Run     string      `json:"run"`
	Results string      `json:"results"`
	Refused int         `json:"refused"`
	Allowed int         `json:"allowed"`
	Unseen  int         `json:"unseen"`
	Scripts []ranScript `json:"scripts"`
}

func (o *taskOptions) auditCode(st *State, name, run string) error {
	task, err := o.find(name)
	if err != nil {
		return err
	}
	audit, err := o.findAudit(task, run)
	if err != nil {
		return err
	}
	for _, s := range audit.Scripts {
		for _, a := range s.Script.Attempts {
			switch a.Outcome {
			case script.AttemptRefused:
				audit.Refused += a.Times
			case script.AttemptAllowed:
				audit.Allowed += a.Times
			default:
				audit.Unseen += a.Times
			}
		}
	}
	if o.json {
		return printJSON(st, audit)
	}
	return audit.print(st)
}

// findAudit looks for the scripts in the run that is named, or else in the
// newest one that has any.
func (o *taskOptions) findAudit(task learn.Task, run string) (*codeAudit, error) {
	p, err := inspectedProject(o.project, true)
	if err != nil {
		return nil, err
	}
	if run != "" {
		dir := run
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			dir = filepath.Join(p.RunsDir(), run)
		}
		read, err := readResults(dir)
		if err != nil {
			return nil, usage("--run: %w", err)
		}
		audit := auditOf(task, read, dir)
		if len(audit.Scripts) == 0 {
			return nil, usage("no script of %s ran in %s", said(task.Name), read.ID)
		}
		return audit, nil
	}
	folders, err := os.ReadDir(p.RunsDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &exit{exitInternal, err}
	}
	var newest *codeAudit
	var folder string
	var began time.Time
	for _, f := range slices.Backward(folders) { // their names begin with the time, to the second
		if newest != nil && second(f.Name()) != second(folder) {
			break
		}
		dir := filepath.Join(p.RunsDir(), f.Name())
		read, err := readResults(dir)
		if err != nil {
			continue // under way, or not ours
		}
		if audit := auditOf(task, read, dir); len(audit.Scripts) > 0 && (newest == nil || read.StartedAt.After(began)) {
			newest, folder, began = audit, f.Name(), read.StartedAt
		}
	}
	if newest != nil {
		return newest, nil
	}
	return nil, usage("no script of %s ran in any run in %s: run it with 'opendesk learn run %s'", said(task.Name), fromHere(p.RunsDir()), said(task.Name))
}

func auditOf(task learn.Task, run *results.Run, dir string) *codeAudit {
	audit := &codeAudit{Task: task.Name, Run: run.ID, Results: filepath.Join(fromHere(dir), "results.json"), Scripts: []ranScript{}}
	for _, p := range run.Programs {
		if p.Path != task.ProgramPath() {
			continue
		}
		for _, attempt := range p.Attempts {
			for _, s := range attempt.Steps {
				if s.Script != nil {
					audit.Scripts = append(audit.Scripts, ranScript{Step: s.ID, Attempt: attempt.Number, Repeat: p.Repeat, Script: s.Script})
				}
			}
		}
	}
	return audit
}

func (a *codeAudit) print(st *State) error {
	fmt.Fprintf(st.Stdout, "%s in %s: %s, %d refused, %d allowed, %d unseen\n",
		said(a.Task), said(a.Run), count(len(a.Scripts), "script"), a.Refused, a.Allowed, a.Unseen)
	rows := [][]string{{"STEP", "TRIED", "ON", "CAME OUT", "TIMES", "WHERE"}}
	left := 0
	for _, s := range a.Scripts {
		where := said(s.Step)
		if s.Attempt > 1 {
			where += fmt.Sprintf(" (attempt %d)", s.Attempt)
		}
		for _, t := range s.Script.Attempts {
			outcome := said(t.Outcome)
			if t.Errno != "" {
				outcome += " " + said(t.Errno)
			}
			rows = append(rows, []string{where, said(t.Event), brief(t.Target), outcome, strconv.Itoa(t.Times), said(t.Place)})
		}
		left += s.Script.AttemptsLeft
	}
	if len(rows) == 1 {
		return nil
	}
	if err := printTable(st, rows); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(st.Stdout, "and %d more that were not kept\n", left)
	}
	return nil
}
