package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/spf13/cobra"
)

// sessionSaved is what --json prints of a program made out of a session or a
// recording.
type sessionSaved struct {
	written
	Procedure bool     `json:"procedure_written"`
	Notes     []string `json:"notes,omitempty"`
}

func newLearnSaveSession(st *State) *cobra.Command {
	var session, from, description string
	var force, unlock bool
	cmd := &cobra.Command{
		Use:   "save-session NAME",
		Short: "Make a program out of what was done in a session",
		Long: `Makes a program out of the audit log of a session ('opendesk do'), or of a log in
a file (--from: a session's, a run's, or one of the Python opendesk), and saves
it as .opendesk/learned/NAME.program.json.

What acted and did not fail becomes a step, with the element that it named as
its target, and with what held after it where that was asked for (--expect-…).
Opening or focusing an app is checked by app_frontmost. What only looked, and
what failed, is left out, and so are waits. A task without a procedure gets a
basic one. The same log always makes the same file.
` + learnExitCodes,
		Example: `  opendesk learn save-session export-report
  opendesk learn save-session export-report --session desk --force
  opendesk learn save-session export-report --from audit.json`,
		Args: oneTask(1),
	}
	o := taskFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&session, "session", "", "the session (default the only one)")
	f.StringVar(&from, "from", "", "a log in a file, or the folder of a run")
	f.StringVar(&description, "description", "", "what the task is for")
	f.BoolVar(&force, "force", false, "replace a program that is there already")
	f.BoolVar(&unlock, "unlock", false, "replace one that is locked as well")
	cmd.MarkFlagsMutuallyExclusive("session", "from")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		log, err := openLog(cmd.Context(), st, session, from)
		if err != nil {
			return o.ends(st, err)
		}
		return o.ends(st, o.saveSession(cmd.Context(), st, args[0], description, log, force, builder(unlock)))
	}
	return cmd
}

func (o *taskOptions) saveSession(ctx context.Context, st *State, name, description string, log *sessionActions, force bool, by learn.Author) error {
	f, err := o.folder()
	if err != nil {
		return err
	}
	task, err := f.Place(name)
	if err != nil {
		return err
	}
	saved, err := learn.SaveSession(ctx, task, learn.Title(name), description, log.entries, force, by)
	var exists *learn.ExistsError
	switch {
	case errors.As(err, &exists):
		return &exit{exitRefused, fmt.Errorf("%s exists already: --force replaces it", fromHere(exists.File))}
	case errors.Is(err, learn.ErrNothingToRepeat):
		return &exit{exitRefused, fmt.Errorf("%s: %w", log.of, err)}
	case err != nil:
		return err
	}
	saved.Notes = append(log.notes, saved.Notes...)
	return printSaved(st, o.json, task, "saved", saved)
}

// printSaved tells of a program that was made out of what was done.
func printSaved(st *State, asJSON bool, task learn.Task, how string, saved *learn.Saved) error {
	file, steps := fromHere(task.ProgramFile()), len(saved.Program.Steps)
	if asJSON {
		return printJSON(st, sessionSaved{written{task.Name, file, steps, saved.Warnings}, saved.Procedure, saved.Notes})
	}
	fmt.Fprintf(st.Stdout, "%s: %s %s (%s)\n", said(task.Name), count(steps, "step"), how, file)
	for _, s := range saved.Program.Steps {
		fmt.Fprintf(st.Stdout, "  %s %s%s\n", s.ID, said(s.Summary()), expectation(s))
	}
	printProblems(st, saved.Warnings)
	for _, note := range saved.Notes {
		fmt.Fprintf(st.Stdout, "note: %s\n", said(note))
	}
	if saved.Procedure {
		fmt.Fprintf(st.Stdout, "%s: a basic procedure was written (%s)\n", said(task.Name), fromHere(task.ProcedureFile()))
	}
	return nil
}

func expectation(s program.Step) string {
	if s.Postcondition == nil {
		return ""
	}
	return " → " + said(s.Postcondition.String())
}
