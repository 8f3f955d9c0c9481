package cli

import (
	"context"
	"fmt"

	"github.com/opendesk/opendesk/learn"
	"github.com/spf13/cobra"
)

func newLearnSave(st *State) *cobra.Command {
	var text string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "save NAME --procedure PROCEDURE",
		Short: "Save a task's procedure in words",
		Long: `Saves a procedure as .opendesk/learned/NAME.json. PROCEDURE is JSON, the name of a
file that holds it, or - for standard input: an object with task_name (the name
of the task where it is missing), description, steps (a list of sentences) and
procedure (a text).
` + learnExitCodes,
		Example: `  opendesk learn save export-report --procedure '{"description": "Export the weekly report as PDF",
      "steps": ["Open Numbers", "Choose File > Export To", "Press PDF"]}'`,
		Args: oneTask(1),
	}
	o := taskFlags(cmd)
	cmd.Flags().StringVar(&text, "procedure", "", "the procedure: JSON, a file, or -")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace a procedure that is there already")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if text == "" {
			return usage("what is the procedure? --procedure takes JSON, a file, or -")
		}
		return o.ends(st, o.save(cmd.Context(), st, args[0], text, overwrite))
	}
	return cmd
}

func (o *taskOptions) save(ctx context.Context, st *State, name, procedure string, overwrite bool) error {
	f, err := o.folder()
	if err != nil {
		return err
	}
	task, err := f.Place(name)
	if err != nil {
		return err
	}
	text, err := readText(ctx, st, procedure)
	if err != nil {
		return err
	}
	p, err := learn.SaveProcedure(ctx, task, learn.Title(name), text, overwrite)
	if err != nil {
		return mayOverwrite(err)
	}
	file := fromHere(task.ProcedureFile())
	if o.json {
		return printJSON(st, written{Task: task.Name, File: file, Steps: len(p.Steps)})
	}
	fmt.Fprintf(st.Stdout, "%s: procedure saved (%s)\n", said(task.Name), file)
	return nil
}
