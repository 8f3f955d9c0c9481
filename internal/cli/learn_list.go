package cli

import (
	"fmt"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/spf13/cobra"
)

// listedTask is what learn list says of a task.
type listedTask struct {
	Task        string `json:"task"`
	Description string `json:"description,omitempty"`
	// Compiled says whether there is a program; the next ones are about it.
	Compiled       bool              `json:"compiled"`
	ProgramFile    string            `json:"program_file,omitempty"`
	Valid          bool              `json:"valid"`
	Steps          int               `json:"steps"`
	Postconditions int               `json:"postconditions"`
	Problems       []program.Problem `json:"problems,omitempty"`
	ProcedureFile  string            `json:"procedure_file,omitempty"`
	RecordingFile  string            `json:"recording_file,omitempty"`
}

func newLearnList(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the learned tasks of a project",
		Long: `Lists the learned tasks of a project: those with a program, marked [compiled], and
those with nothing but a procedure or a recording.
`,
		Args: cobra.NoArgs,
	}
	o := taskFlags(cmd)
	cmd.RunE = func(*cobra.Command, []string) error { return o.ends(st, o.list(st)) }
	return cmd
}

func (o *taskOptions) list(st *State) error {
	f, err := o.folder()
	if err != nil {
		return err
	}
	tasks, problems, err := f.Tasks()
	if err != nil {
		return err
	}
	listed := make([]listedTask, len(tasks))
	for i, t := range tasks {
		listed[i] = describeTask(t)
	}
	if o.json {
		return printJSON(st, struct {
			Tasks    []listedTask      `json:"tasks"`
			Problems []program.Problem `json:"problems,omitempty"`
		}{listed, problems})
	}
	if len(tasks) == 0 {
		fmt.Fprintf(st.Stdout, "no learned tasks in %s\n", fromHere(f.Dir()))
	}
	rows := make([][]string, 0, len(listed))
	for _, t := range listed {
		marker, state := "", "no program"
		switch {
		case t.Compiled && !t.Valid:
			marker, state = "[compiled]", "invalid"
		case t.Compiled:
			marker, state = "[compiled]", count(t.Steps, "step")
		}
		if t.ProcedureFile == "" {
			state += ", no procedure"
		}
		if t.RecordingFile != "" {
			state += ", recorded"
		}
		rows = append(rows, []string{said(t.Task), marker, state, said(t.Description)})
	}
	if err := printTable(st, rows); err != nil {
		return err
	}
	printProblems(st, problems)
	return nil
}

// describeTask reads what is there of a task.
func describeTask(t learn.Task) listedTask {
	listed := listedTask{Task: t.Name, Compiled: t.HasProgram}
	if t.HasProcedure {
		listed.ProcedureFile = fromHere(t.ProcedureFile())
		if p, err := learn.LoadProcedure(t); err == nil {
			listed.Description = p.Description
		}
	}
	if t.HasTrajectory {
		listed.RecordingFile = fromHere(t.TrajectoryFile())
	}
	if !t.HasProgram {
		return listed
	}
	listed.ProgramFile = fromHere(t.ProgramFile())
	prog, problems := program.Load(t.ProgramFile(), listed.ProgramFile)
	listed.Problems = problems
	if prog == nil {
		return listed
	}
	listed.Valid, listed.Steps = true, len(prog.Steps)
	for _, s := range prog.Steps {
		if s.Postcondition != nil {
			listed.Postconditions++
		}
	}
	if prog.Description != "" {
		listed.Description = prog.Description
	}
	return listed
}
