package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/spf13/cobra"
)

func newLearnPatch(st *State) *cobra.Command {
	var stepID, mode, code, file string
	var unlock bool
	modes := make([]string, len(program.EditModes))
	for i, m := range program.EditModes {
		modes[i] = string(m)
	}
	cmd := &cobra.Command{
		Use:   "patch NAME [STEP]",
		Short: "Change one step of a program and nothing else in its file, or the code of its scripts",
		Long: `Changes one step of a program. STEP is the step as JSON, the name of a file that
holds it, or - for standard input. With --step-id the step of that id is
replaced, without it the new step is appended; --mode says otherwise. A step
without an id keeps the id of the one that it replaces, or gets the next free
one; ids are never renumbered.

Everything else in the file stays as it is to the byte. The result is checked
before it is written, and written in one move; others who patch the same
program meanwhile wait.

With --code FILE (- for standard input) a file of the code that the program's
scripts run is written instead, in the same way: main.py, or the one that --file
names. What Python cannot read is refused.

A program with "strict": true is refused, and so is what has "locked": true unless
--unlock is given. The code is locked with its program, and with each step that
runs a script.
` + learnExitCodes,
		Example: `  opendesk learn patch export-report --step-id s3 '{"tool": "ui", "params": {"action": "click"},
      "target": {"app": "Numbers", "role": "button", "title": "Export…"}}'
  opendesk learn patch export-report --step-id s3 --mode insert_before step.json
  opendesk learn patch export-report --step-id s2 --mode delete
  opendesk learn patch unpaid-invoices --code main.py`,
		Args: oneTask(2),
	}
	o := taskFlags(cmd)
	cmd.Flags().StringVar(&stepID, "step-id", "", "the step to replace or delete, or beside which to insert")
	cmd.Flags().StringVar(&mode, "mode", "", strings.Join(modes, ", ")+" (default replace with --step-id, else append)")
	cmd.Flags().BoolVar(&unlock, "unlock", false, "change a program or a step that is locked")
	cmd.Flags().StringVar(&code, "code", "", "write this file, or - for standard input, into the program's code")
	cmd.Flags().StringVar(&file, "file", defaultScript, "with --code: which file of the code is written")
	cmd.MarkFlagsMutuallyExclusive("code", "step-id")
	cmd.MarkFlagsMutuallyExclusive("code", "mode")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case code != "" && len(args) > 1:
			return usage("--code changes the code: a step is another patch")
		case code != "":
			return o.ends(st, o.patchCode(cmd.Context(), st, args[0], code, file, builder(unlock)))
		case cmd.Flags().Changed("file"):
			return usage("--file needs --code")
		}
		e := program.Edit{Mode: program.EditMode(mode), StepID: stepID}
		return o.ends(st, o.patch(cmd.Context(), st, e, args, builder(unlock)))
	}
	return cmd
}

func (o *taskOptions) patch(ctx context.Context, st *State, e program.Edit, args []string, by learn.Author) error {
	task, err := o.find(args[0])
	if err != nil {
		return err
	}
	if !task.HasProgram {
		return noProgram(task)
	}
	if len(args) > 1 {
		if e.Step, err = readText(ctx, st, args[1]); err != nil {
			return err
		}
	}
	edited, err := learn.Patch(ctx, task, e, by)
	if err != nil {
		return err
	}
	at := 0
	for _, s := range edited.Program.Steps {
		if s.ID == edited.StepID {
			at = s.Line
		}
	}
	if o.json {
		return printJSON(st, struct {
			Task     string            `json:"task"`
			File     string            `json:"file"`
			Mode     program.EditMode  `json:"mode"`
			StepID   string            `json:"step_id"`
			Line     int               `json:"line,omitempty"`
			Steps    int               `json:"steps"`
			Problems []program.Problem `json:"problems,omitempty"`
		}{task.Name, fromHere(task.ProgramFile()), edited.Mode, edited.StepID, at, len(edited.Program.Steps), edited.Warnings})
	}
	done := map[program.EditMode]string{
		program.Replace: "replaced", program.Delete: "deleted", program.Append: "appended",
		program.InsertBefore: "inserted", program.InsertAfter: "inserted",
	}[edited.Mode]
	place := fromHere(task.ProgramFile())
	if at > 0 {
		place += fmt.Sprintf(":%d", at)
	}
	fmt.Fprintf(st.Stdout, "%s: %s %s, %s now (%s)\n", said(task.Name), said(edited.StepID), done, count(len(edited.Program.Steps), "step"), place)
	printProblems(st, edited.Warnings)
	return nil
}

// noProgram is the error for a task that cannot be run yet.
func noProgram(t learn.Task) error {
	what := "a procedure"
	if !t.HasProcedure {
		what = "a recording"
	}
	return usage("%s has %s, but no program: opendesk learn compile makes one", said(t.Name), what)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
