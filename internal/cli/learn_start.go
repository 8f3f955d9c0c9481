package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/opendesk/opendesk/desktop/record"
	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/results"
	"github.com/spf13/cobra"
)

const recordExitCodes = `
Exit codes: 0 done, 1 refused (something is recorded there already, or the task
is there and --force is not given), 2 wrong usage, or no such session, 3 the
display cannot be recorded or a file cannot be written, 130 interrupted.
`

// recordOptions are the flags of learn start and learn record.
type recordOptions struct {
	taskOptions
	order recordOrder
}

func (o *recordOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.project, "project", ".", "the project's folder")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVar(&o.order.Session, "session", "", "the session to record in (default the only one)")
	f.StringVar(&o.order.Display, "display", virtual, "virtual (a session), real (the desktop that this command was started on), or :N")
	f.StringVar(&o.order.Description, "description", "", "what the task is for")
	f.BoolVar(&o.order.Force, "force", false, "replace a recording and a program that are there already")
	f.BoolVar(&o.order.Unlock, "unlock", false, "with --force: also a program that is locked, or has a locked step")
	f.Float64Var(&o.order.TimeoutScale, "timeout-scale", 1, "multiplies the time that starting may take")
	cmd.MarkFlagsMutuallyExclusive("session", "display")
}

func newLearnStart(st *State) *cobra.Command {
	o := &recordOptions{}
	cmd := &cobra.Command{
		Use:   "start NAME",
		Short: "Begin to record a task: do it, then 'learn stop' makes a program of it",
		Long: `Begins to record what is done with pointer and keyboard in a session that
'opendesk session start' has started, or on a real display, until 'opendesk learn
stop'. It returns as soon as everything is recorded.

Every click and key is written down with the element that it went to, and at
once: .opendesk/learned/NAME.trajectory.json loses at most the last event if the
recorder is killed. There are no screenshots in it. What is typed into password
fields is not written down anywhere.
` + recordExitCodes,
		Example: `  opendesk learn start export-report
  opendesk learn start export-report --session desk --force
  opendesk learn start export-report --display real`,
		Args: oneTask(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionEnds(st, o.json, o.start(cmd.Context(), st, args[0]))
		},
	}
	o.add(cmd)
	return cmd
}

// recordingShown is a recording as --json prints it.
type recordingShown struct {
	Task    string `json:"task"`
	File    string `json:"file"`
	Session string `json:"session,omitempty"`
	Display string `json:"display,omitempty"`
	PID     int    `json:"pid"`
}

func (o *recordOptions) start(ctx context.Context, st *State, name string) error {
	if err := o.settle(ctx, st, name); err != nil {
		return err
	}
	pid, err := startKeeper(ctx, o.order)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(st, recordingShown{o.order.Task, o.order.File, o.order.Session, o.order.Display, pid})
	}
	fmt.Fprintf(st.Stdout, "%s: recording in %s (process %d, %s)\n", said(o.order.Task), o.order.where(), pid, fromHere(o.order.File))
	fmt.Fprintln(st.Stdout, "do the task, then: opendesk learn stop")
	return nil
}

// settle completes the order, and says what is in its way.
func (o *recordOptions) settle(ctx context.Context, st *State, name string) error {
	if !record.Available {
		return &exit{exitInternal, record.Run(ctx, record.Options{})}
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	task, err := f.Place(name)
	if err != nil {
		return usage("%w", err)
	}
	order := &o.order
	order.Task, order.Title = task.Name, learn.Title(name)
	for path, of := range map[*string]string{&order.Project: o.project, &order.File: task.TrajectoryFile()} {
		if *path, err = filepath.Abs(of); err != nil {
			return err
		}
	}
	if display := order.Display; display != virtual {
		order.Session = ""
		if display != real && !isDisplayName(display) {
			return usage("--display must be virtual, real or a display such as :0, not %q", display)
		}
		order.Own = ancestors()
	} else {
		order.Display = ""
		if order.Session, err = theSession(ctx, st, order.Session); err != nil {
			return err
		}
		if _, err := newGuest(ctx, st, order.Session); err != nil {
			return err
		}
	}
	if order.Force {
		return nil
	}
	for _, file := range []string{task.TrajectoryFile(), task.ProgramFile()} {
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			return &exit{exitRefused, fmt.Errorf("%s exists already: --force replaces it", fromHere(file))}
		}
	}
	return nil
}

func isDisplayName(name string) bool { return len(name) > 1 && name[0] == ':' }

// orderVariable holds the recordOrder of a process that is to record.
const orderVariable = "OPENDESK_RECORDING"

// keeperWord is what such a process says once it records, or cannot.
type keeperWord struct {
	Error string `json:"error,omitempty"`
	Code  int    `json:"code,omitempty"`
}

// startKeeper starts the process that a recording belongs to, which goes on
// when this one ends.
func startKeeper(ctx context.Context, o recordOrder) (pid int, err error) {
	executable, err := os.Executable()
	if err != nil {
		return 0, &exit{exitInternal, err}
	}
	order, err := json.Marshal(o)
	if err != nil {
		return 0, &exit{exitInternal, err}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return 0, &exit{exitInternal, err}
	}
	defer reader.Close() //nolint:errcheck // read end
	cmd := exec.Command(executable, "learn", "recording")
	cmd.Env = append(os.Environ(), orderVariable+"="+string(order))
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{writer}
	detach(cmd)
	err = cmd.Start()
	_ = writer.Close()
	if err != nil {
		return 0, &exit{exitInternal, err}
	}
	giveUp := context.AfterFunc(ctx, func() { _ = askToEnd(cmd.Process.Pid) })
	var word keeperWord
	err = json.NewDecoder(reader).Decode(&word)
	switch interrupted := !giveUp(); {
	case interrupted:
		err = &exit{results.ExitInterrupted, errors.New("interrupted: nothing is recorded")}
	case err != nil:
		err = &exit{exitInternal, fmt.Errorf("the process that records has ended: %w", err)}
	case word.Error != "":
		err = &exit{word.Code, errors.New(word.Error)}
	default:
		pid = cmd.Process.Pid
		return pid, cmd.Process.Release()
	}
	_ = cmd.Wait()
	return 0, err
}

// newRecording is the hidden command that a recording belongs to. It tells on
// its file descriptor 3 how starting went.
func newRecording(st *State) *cobra.Command {
	return &cobra.Command{
		Use:    "recording",
		Short:  "Keep a recording (started by opendesk itself)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := closeOnExec(eventsFD); err != nil {
				return &exit{exitInternal, fmt.Errorf("file descriptor %d: %w (a recording is started by 'opendesk learn start')", eventsFD, err)}
			}
			ready := os.NewFile(eventsFD, "ready")
			tell := func(w keeperWord) {
				_ = json.NewEncoder(ready).Encode(w) // where nobody listens it goes on
				_ = ready.Close()
			}
			var o recordOrder
			err := json.Unmarshal([]byte(st.Getenv(orderVariable)), &o)
			if err == nil {
				err = os.Unsetenv(orderVariable)
			}
			if err == nil {
				_, err = recordTask(cmd.Context(), st, o, func() { tell(keeperWord{}) })
			}
			if err != nil {
				tell(wordOf(err))
				return &exit{code: exitInternal}
			}
			return nil
		},
	}
}

func wordOf(err error) keeperWord {
	var known *exit
	var running *runningError
	w := keeperWord{Error: err.Error(), Code: exitInternal}
	switch {
	case errors.As(err, &running):
		w.Code = exitRefused
	case errors.As(err, &known):
		w.Code = known.code
	}
	return w
}

// recordTask records until ctx ends; see keepRecording. The place is its own
// meanwhile, and what was recorded is left to be found by learn stop.
func recordTask(ctx context.Context, st *State, o recordOrder, started func()) (recording, error) {
	c, err := claimRecording(o)
	if err != nil {
		return recording{}, err
	}
	r, err := keepRecording(ctx, st, o, c, started)
	if r.EndedAt == nil { // it never began
		return r, errors.Join(err, c.remove())
	}
	return r, errors.Join(err, c.release())
}
