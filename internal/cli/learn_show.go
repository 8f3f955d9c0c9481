package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/spf13/cobra"
)

func newLearnShow(st *State) *cobra.Command {
	var diff bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a task's steps, postconditions and procedure",
		Long: `Shows what a task consists of: the steps of its program with their postconditions,
and its procedure. NAME is the task's name, its path below the learned folder, or
the path of a file.

With --diff: shows step by step how the program differs from what its recording
compiles to. "-" is what the recording has, "+" what the program has.

Exit codes: 0 shown (with --diff: there is no difference), 1 with --diff: they
differ, 2 there is no such task, its program is not valid, or with --diff it has
no recording.
`,
		Args: oneTask(1),
	}
	o := taskFlags(cmd)
	cmd.Flags().BoolVar(&diff, "diff", false, "show how the program differs from its recording")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if diff {
			return o.ends(st, o.showDiff(st, args[0]))
		}
		return o.ends(st, o.show(st, args[0]))
	}
	return cmd
}

func (o *taskOptions) show(st *State, name string) error {
	task, err := o.find(name)
	if err != nil {
		return err
	}
	var prog *program.Program
	var problems []program.Problem
	if task.HasProgram {
		prog, problems = program.Load(task.ProgramFile(), fromHere(task.ProgramFile()))
	}
	if program.HasErrors(problems) {
		return &program.InvalidError{What: "the program", Problems: problems}
	}
	var procedure *learn.Procedure
	if task.HasProcedure {
		if procedure, err = learn.LoadProcedure(task); err != nil && prog == nil {
			return err
		}
	}
	if o.json {
		return showJSON(st, task, prog, procedure, problems)
	}
	if prog != nil {
		if err := showProgram(st, task, prog); err != nil {
			return err
		}
		printProblems(st, problems)
	} else if task.HasProcedure {
		fmt.Fprintf(st.Stdout, "%s: no program, only a procedure\n", said(task.Name))
	} else {
		fmt.Fprintf(st.Stdout, "%s: no program, only a recording: opendesk learn compile makes one\n", said(task.Name))
	}
	switch {
	case err != nil:
		fmt.Fprintln(st.Stdout, err)
	case procedure == nil:
		fmt.Fprintln(st.Stdout, "\nno procedure")
	default:
		showProcedure(st, task, procedure)
	}
	return nil
}

func showJSON(st *State, task learn.Task, prog *program.Program, procedure *learn.Procedure, problems []program.Problem) error {
	out := struct {
		Task          string            `json:"task"`
		ProgramFile   string            `json:"program_file,omitempty"`
		Program       json.RawMessage   `json:"program,omitempty"`
		ProcedureFile string            `json:"procedure_file,omitempty"`
		Procedure     *learn.Procedure  `json:"procedure,omitempty"`
		Problems      []program.Problem `json:"problems,omitempty"`
	}{Task: task.Name, Procedure: procedure, Problems: problems}
	if prog != nil {
		out.ProgramFile = fromHere(task.ProgramFile())
		out.Program = bytes.TrimPrefix(prog.Raw, []byte("\xEF\xBB\xBF"))
	}
	if task.HasProcedure {
		out.ProcedureFile = fromHere(task.ProcedureFile())
	}
	return printJSON(st, out)
}

func showProgram(st *State, task learn.Task, prog *program.Program) error {
	fmt.Fprintf(st.Stdout, "%s: %s (%s)\n", said(task.Name), count(len(prog.Steps), "step"), fromHere(task.ProgramFile()))
	if prog.Description != "" {
		fmt.Fprintln(st.Stdout, said(prog.Description))
	}
	fmt.Fprintln(st.Stdout)
	rows := make([][]string, 0, len(prog.Steps))
	for _, s := range prog.Steps {
		expected := ""
		if p := s.Postcondition; p != nil {
			expected = said(p.String())
			if !p.Kind.OfScript() {
				expected = fmt.Sprintf("%s within %d ms", expected, p.Timeout.Milliseconds())
			}
		}
		rows = append(rows, []string{said(s.ID), s.Summary(), expected})
		if s.Note != "" {
			rows = append(rows, []string{"", "note: " + said(s.Note), ""})
		}
	}
	return printTable(st, rows)
}

func showProcedure(st *State, task learn.Task, p *learn.Procedure) {
	fmt.Fprintf(st.Stdout, "\nprocedure (%s)\n", fromHere(task.ProcedureFile()))
	if p.Description != "" {
		fmt.Fprintln(st.Stdout, said(p.Description))
	}
	for i, step := range p.Steps {
		fmt.Fprintf(st.Stdout, "%3d. %s\n", i+1, said(step))
	}
	if p.Text != "" {
		fmt.Fprintln(st.Stdout, said(p.Text))
	}
}
