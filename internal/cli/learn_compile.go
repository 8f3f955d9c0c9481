package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/spf13/cobra"
)

// written is what --json prints of a file that was written.
type written struct {
	Task     string            `json:"task"`
	File     string            `json:"file"`
	Steps    int               `json:"steps"`
	Problems []program.Problem `json:"problems,omitempty"`
}

func newLearnCompile(st *State) *cobra.Command {
	var text, description string
	var overwrite, unlock bool
	cmd := &cobra.Command{
		Use:   "compile NAME [--program PROGRAM]",
		Short: "Make a task's program out of its recording, or save one that somebody wrote",
		Long: `Makes the program of a task out of its recording,
.opendesk/learned/NAME.trajectory.json, one of the Python opendesk too. The same
recording always makes the same file; 'learn show NAME --diff' tells how a
program differs from what its recording makes.

With --program: checks a program and saves it as
.opendesk/learned/NAME.program.json. PROGRAM is JSON, the name of a file that
holds it, or - for standard input: a whole program, or nothing but the list of
its steps. Name, version and source are added where they are missing, and steps
without an id get one.

A file is called as its task in lower case, with "_" for spaces and without
characters that are no letters, digits, "_" or "-".
` + learnExitCodes,
		Example: `  opendesk learn compile export-report --overwrite
  opendesk learn compile export-report --program '[{"tool": "app", "params": {"action": "open", "name": "Numbers"}}]'
  opendesk learn compile export-report --program steps.json --overwrite`,
		Args: oneTask(1),
	}
	o := taskFlags(cmd)
	cmd.Flags().StringVar(&text, "program", "", "the program: JSON, a file, or - (default what the recording makes)")
	cmd.Flags().StringVar(&description, "description", "", "what the task is for")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace a program that is there already")
	cmd.Flags().BoolVar(&unlock, "unlock", false, "with --overwrite: also one that is locked, or has a locked step")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("program") {
			return o.ends(st, o.compileRecording(cmd.Context(), st, args[0], description, overwrite, builder(unlock)))
		}
		if text == "" {
			return usage("what is the program? --program takes JSON, a file, or -")
		}
		return o.ends(st, o.compile(cmd.Context(), st, args[0], text, description, overwrite, builder(unlock)))
	}
	return cmd
}

func (o *taskOptions) compile(ctx context.Context, st *State, name, program, description string, overwrite bool, by learn.Author) error {
	f, err := o.folder()
	if err != nil {
		return err
	}
	task, err := f.Place(name)
	if err != nil {
		return err
	}
	text, err := readText(ctx, st, program)
	if err != nil {
		return err
	}
	composed, err := learn.Compile(ctx, task, learn.Title(name), description, text, overwrite, by)
	if err != nil {
		return mayOverwrite(err)
	}
	file := fromHere(task.ProgramFile())
	if o.json {
		return printJSON(st, written{task.Name, file, len(composed.Program.Steps), composed.Warnings})
	}
	fmt.Fprintf(st.Stdout, "%s: %s compiled (%s)\n", said(task.Name), count(len(composed.Program.Steps), "step"), file)
	printProblems(st, composed.Warnings)
	return nil
}

// compileRecording makes the program out of the task's recording.
func (o *taskOptions) compileRecording(ctx context.Context, st *State, name, description string, overwrite bool, by learn.Author) error {
	task, err := o.find(name)
	var unknown *learn.UnknownError
	switch {
	case errors.As(err, &unknown) && unknown.Matches == nil:
		return usage("%w (a new program is given with --program)", err)
	case err != nil:
		return err
	case !task.HasTrajectory:
		return noRecording(task, "give the program itself with --program")
	}
	saved, err := learn.CompileTrajectory(ctx, task, learn.Title(name), description, overwrite, by)
	if err != nil {
		return mayOverwrite(err)
	}
	return printSaved(st, o.json, task, "compiled", saved)
}

// noRecording says that the task has no recording, and what to do instead.
func noRecording(t learn.Task, instead string) error {
	return usage("%s has no recording (%s): %s", said(t.Name), fromHere(t.TrajectoryFile()), instead)
}

// mayOverwrite tells how a file that is there already can be replaced.
func mayOverwrite(err error) error {
	var exists *learn.ExistsError
	if errors.As(err, &exists) {
		return &exit{exitRefused, fmt.Errorf("%s exists already: --overwrite replaces it", fromHere(exists.File))}
	}
	return err
}
