package cli

import (
	"github.com/opendesk/opendesk/learn"
	"github.com/spf13/cobra"
)

func newLearnReplay(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay NAME",
		Short: "Print a task's procedure as a prompt for an agent",
		Long: `Prints the procedure of a task as a prompt for an agent, which carries it out by
judgement. A program is run without one: opendesk eval run.
`,
		Args: oneTask(1),
	}
	o := taskFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return o.ends(st, o.replay(st, args[0])) }
	return cmd
}

func (o *taskOptions) replay(st *State, name string) error {
	task, err := o.find(name)
	if err != nil {
		return err
	}
	if !task.HasProcedure && !task.HasProgram {
		return usage("%s has a recording, but no procedure: opendesk learn compile makes one", said(task.Name))
	}
	if !task.HasProcedure {
		return usage("%s has a program, but no procedure: opendesk learn save makes one", said(task.Name))
	}
	p, err := learn.LoadProcedure(task)
	if err != nil {
		return usage("%w", err)
	}
	if o.json {
		return printJSON(st, struct {
			Task string `json:"task"`
			File string `json:"file"`
			*learn.Procedure
			Prompt string `json:"prompt"`
		}{task.Name, fromHere(task.ProcedureFile()), p, p.Prompt()})
	}
	_, err = st.Stdout.Write([]byte(p.Prompt()))
	return err
}
