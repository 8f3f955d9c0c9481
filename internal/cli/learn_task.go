package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/policy"
	"github.com/spf13/cobra"
)

// exitRefused is the exit code of a command that would have changed a file and
// was not allowed to.
const exitRefused = 1

const learnExitCodes = `
Exit codes: 0 done, 1 refused (locked, strict, or there already), 2 wrong usage, no such
task or step, or the result would not be valid, 3 the file cannot be written.
Whatever is refused leaves the file as it is.
`

// taskOptions are the flags of the commands about one learned task.
type taskOptions struct {
	project string
	json    bool
}

// taskFlags adds the flags to the command.
func taskFlags(cmd *cobra.Command) *taskOptions {
	var o taskOptions
	cmd.Flags().StringVar(&o.project, "project", ".", "the project's folder")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return &o
}

// oneTask wants the name of a task as the first of at most that many arguments.
func oneTask(most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("which task? See '%s learn list'.", cmd.Root().Name())
		case len(args) > most:
			return usage("too many arguments: %s\nSee '%s --help'.", strings.Join(args[most:], " "), cmd.CommandPath())
		}
		return nil
	}
}

// folder is the project's learned folder.
func (o *taskOptions) folder() (learn.Folder, error) {
	info, err := os.Stat(o.project)
	switch {
	case err != nil:
		return learn.Folder{}, usage("the project's folder %s cannot be opened: %w", o.project, errors.Unwrap(err))
	case !info.IsDir():
		return learn.Folder{}, usage("%s is no folder", o.project)
	}
	return learn.Folder{Project: o.project}, nil
}

// find gives the task that is meant.
func (o *taskOptions) find(name string) (learn.Task, error) {
	f, err := o.folder()
	if err != nil {
		return learn.Task{}, err
	}
	return f.Find(name)
}

// builder is who writes programs by commands.
func builder(unlock bool) learn.Author { return learn.Author{Kind: policy.Builder, Unlock: unlock} }

// printJSON prints one object.
func printJSON(st *State, v any) error {
	enc := json.NewEncoder(st.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// failed is what --json prints of a command that did not do its work.
type failed struct {
	Error    string            `json:"error"`
	Problems []program.Problem `json:"problems,omitempty"`
}

// ends gives an error of the learn package its exit code and, where --json asks
// for it, its object.
func (o *taskOptions) ends(st *State, err error) error {
	if err == nil {
		return nil
	}
	var (
		known     *exit
		locked    *program.LockedError
		strict    *learn.StrictError
		unwritten *learn.WriteError
		invalid   *program.InvalidError
	)
	code := exitUsage
	switch {
	case errors.Is(err, context.Canceled):
		return &exit{results.ExitInterrupted, errors.New("interrupted: nothing was changed")}
	case errors.As(err, &known):
		code = known.code
	case errors.As(err, &locked), errors.As(err, &strict):
		code = exitRefused
	case errors.As(err, &unwritten):
		code = exitInternal
	}
	if known != nil && known.err == nil {
		return err // everything is said
	}
	if !o.json {
		return &exit{code, err}
	}
	out := failed{Error: err.Error()}
	if errors.As(err, &invalid) {
		out.Error, out.Problems = invalid.What+" is not valid", invalid.Problems
	}
	return errors.Join(printJSON(st, out), &exit{code: code})
}

// readText gives what an argument says: the text itself where it begins as JSON
// does, standard input for "-", else the file of that name.
func readText(ctx context.Context, st *State, arg string) ([]byte, error) {
	if trimmed := strings.TrimLeft(arg, " \t\r\n"); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') {
		return []byte(arg), nil
	}
	if arg == "-" {
		return readInput(ctx, st.Stdin)
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, usage("%q is neither JSON nor a file that can be read: %w", arg, errors.Unwrap(err))
	}
	defer f.Close() // nothing is written through it
	text, err := readAtMost(f)
	if err != nil {
		return nil, usage("%s cannot be read: %w", arg, err)
	}
	return text, nil
}

// readInput reads standard input to its end, or until the user interrupts.
func readInput(ctx context.Context, r io.Reader) ([]byte, error) {
	type outcome struct {
		text []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		text, err := readAtMost(r)
		done <- outcome{text, err}
	}()
	select {
	case o := <-done:
		return o.text, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readAtMost reads one byte more than is allowed at most: what takes the text
// says that it is too large.
func readAtMost(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, program.MaxFileBytes+1))
}

// said is a text of a file as one line that is safe to print.
func said(text string) string { return fold.Space(text) }

// printProblems prints what the loader has to say.
func printProblems(st *State, problems []program.Problem) {
	for _, p := range problems {
		fmt.Fprintln(st.Stdout, p.String())
	}
}

// printTable prints rows of cells in columns.
func printTable(st *State, rows [][]string) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(st.Stdout, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}
