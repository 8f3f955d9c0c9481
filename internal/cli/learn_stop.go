package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/results"
	"github.com/spf13/cobra"
)

func newLearnStop(st *State) *cobra.Command {
	var session string
	var force, unlock, asJSON bool
	cmd := &cobra.Command{
		Use:   "stop [NAME]",
		Short: "End a recording and make a program of it",
		Long: `Ends the recording that 'opendesk learn start' has begun, waits until everything
is written, and makes the task's program of it, with a basic procedure where the
task has none. A recording that has ended by itself (its session was stopped, or
its recorder was killed) is compiled as far as it goes, and that is said.

The recording stays: 'opendesk learn compile NAME' makes the program again.

Exit codes: 0 done, 1 refused (the program is there already, or locked), 2 wrong
usage, or nothing is recorded, 3 a file cannot be written, 130 interrupted.
`,
		Args: cobra.MaximumNArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&session, "session", "", "the recording in this session (default the only one)")
	f.BoolVar(&force, "force", false, "replace a program that is there already")
	f.BoolVar(&unlock, "unlock", false, "with --force: also one that is locked, or has a locked step")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o := &taskOptions{json: asJSON}
		r, err := theRecording(strings.Join(args, ""), session)
		if err != nil {
			return o.ends(st, err)
		}
		r.Force, r.Unlock = r.Force || force, r.Unlock || unlock
		return o.ends(st, o.stop(cmd.Context(), st, r))
	}
	return cmd
}

// theRecording is the one that is meant: by its task, by its session, or the
// only one there is.
func theRecording(task, session string) (recording, error) {
	all, err := recordings()
	if err != nil {
		return recording{}, &exit{exitInternal, err}
	}
	var meant []recording
	var found []string
	for _, r := range all {
		found = append(found, fmt.Sprintf("%s in %s", said(r.Task), r.where()))
		if (task == "" || r.Task == task || r.Title == task || r.Task == learn.FileName(task)) && (session == "" || r.Session == session) {
			meant = append(meant, r)
		}
	}
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(all) == 0:
		return recording{}, usage("nothing is being recorded: begin with 'opendesk learn start NAME'")
	case len(meant) == 0:
		return recording{}, usage("no such recording: there is %s", strings.Join(found, ", "))
	}
	return recording{}, usage("which recording? There are %s: give the name, or --session", strings.Join(found, ", "))
}

// recordingEnd bounds the end of a recording in good order.
const recordingEnd = recorderEnd + 10*time.Second

func (o *taskOptions) stop(ctx context.Context, st *State, r recording) error {
	ended, c, err := endRecording(ctx, r)
	if err != nil {
		return err
	}
	ended.Force, ended.Unlock = r.Force, r.Unlock
	if r.Foreground && r.running {
		_ = c.release() // what records in the foreground compiles as well
		fmt.Fprintf(st.Stdout, "%s: the recording is ended\n", said(r.Task))
		return nil
	}
	return errors.Join(c.remove(), o.makeProgram(ctx, st, ended))
}

// endRecording ends a recording where it still runs, and takes its place.
func endRecording(ctx context.Context, r recording) (recording, *claim, error) {
	file, err := os.OpenFile(r.file, os.O_RDWR, 0)
	if err != nil {
		return r, nil, usage("the recording of %s has been ended by another command meanwhile", said(r.Task))
	}
	running := !tryLock(file)
	if running {
		if err := askToEnd(r.PID); err != nil {
			return r, nil, errors.Join(&exit{exitInternal, fmt.Errorf("process %d, which records, cannot be told to end: %w", r.PID, err)}, file.Close())
		}
		if err := lockWithin(ctx, file, recordingEnd); err != nil {
			return r, nil, &exit{exitInternal, fmt.Errorf("process %d, which records, does not end: %w", r.PID, err)}
		}
	}
	ended, err := readRecording(r.file)
	if err != nil {
		return r, nil, errors.Join(&exit{exitInternal, err}, file.Close())
	}
	if ended.EndedAt == nil {
		ended.Ended = fmt.Sprintf("process %d, which recorded, was killed", ended.PID)
	}
	return ended, &claim{file, r.file}, nil
}

// lockWithin locks the file once nobody else has, but waits no longer than that.
func lockWithin(ctx context.Context, file *os.File, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	locked := make(chan error, 1)
	go func() { locked <- awaitLock(file) }()
	select {
	case err := <-locked:
		return err
	case <-ctx.Done():
		go func() { // a lock that comes too late is given back
			<-locked
			_ = file.Close()
		}()
		return context.Cause(ctx)
	}
}

// recordingSaved is what --json prints of a recording that has become a program.
type recordingSaved struct {
	sessionSaved
	Recording string `json:"recording"`
	Events    int    `json:"events"`
	Ended     string `json:"ended,omitempty"`
}

// makeProgram makes the program of a recording that has ended.
func (o *taskOptions) makeProgram(ctx context.Context, st *State, r recording) error {
	task, err := learn.Folder{Project: r.Project}.Place(r.Task)
	if err != nil {
		return err
	}
	if r.Events == 0 {
		why := ""
		if r.Ended != "" {
			why = ": " + r.Ended
		}
		return errors.Join(&exit{exitRefused, fmt.Errorf("%s: nothing was recorded%s", said(r.Task), why)}, removeIfThere(r.File))
	}
	if r.Ended != "" {
		fmt.Fprintf(st.Stderr, "opendesk: the recording of %s ended by itself (%s): what was done until then is compiled\n", said(r.Task), r.Ended)
	}
	saved, err := learn.CompileTrajectory(ctx, task, r.Title, r.Description, r.Force, builder(r.Unlock))
	var exists *learn.ExistsError
	if errors.As(err, &exists) {
		return &exit{exitRefused, fmt.Errorf("%s exists already: 'opendesk learn compile %s --overwrite' replaces it by what was recorded (%s)",
			fromHere(exists.File), r.Task, fromHere(r.File))}
	}
	if err != nil {
		return fmt.Errorf("%s is recorded (%s), but not compiled: %w", said(r.Task), fromHere(r.File), err)
	}
	file, steps := fromHere(task.ProgramFile()), len(saved.Program.Steps)
	if o.json {
		return printJSON(st, recordingSaved{
			sessionSaved{written{task.Name, file, steps, saved.Warnings}, saved.Procedure, saved.Notes}, fromHere(r.File), r.Events, r.Ended,
		})
	}
	fmt.Fprintf(st.Stdout, "%s: %s recorded (%s)\n", said(task.Name), count(r.Events, "event"), fromHere(r.File))
	return printSaved(st, false, task, "compiled", saved)
}

func removeIfThere(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// interrupted is the exit of a command that was ended before it did anything.
func interrupted() error {
	return &exit{results.ExitInterrupted, errors.New("interrupted: nothing was recorded")}
}
