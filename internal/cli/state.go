// Package cli is the command line: one file per command. It is the only place
// that wires concrete parts together, and State the only place that touches
// arguments, environment, standard streams and signals.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/results"
)

// State is what commands know of the world outside.
type State struct {
	Args   []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Getenv looks a variable up; "" for unset.
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
	// Again is closed when the process is told to end for the second time: what
	// the first time is finished in good order is then ended at once.
	Again <-chan struct{}
}

// Main runs the command line of this process and gives its exit code.
func Main() int {
	st := &State{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now,
	}
	endings := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		endings = append(endings, syscall.SIGHUP)
	}
	told := make(chan os.Signal, 8)
	signal.Notify(told, endings...)
	ctx, again, release := interrupts(told, func() { os.Exit(results.ExitInterrupted) })
	defer release()
	st.Again = again
	// A reader of the output that goes away (head) must not end a run half-way:
	// writing to it is then an error like any other. The signal is taken, not
	// ignored, since children inherit what is ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return Run(ctx, st)
}

// The exit codes; those of a run are results.ExitCode's.
const (
	exitFailed   = 1
	exitUsage    = 2
	exitInternal = 3
)

// exit is an error with the exit code that it asks for. An exit without an
// error says nothing more: everything is printed already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage is an error in how the command was called.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// Run runs the command line of st.
func Run(ctx context.Context, st *State) int {
	root := newRoot(st)
	root.SetArgs(st.Args)
	root.SetIn(st.Stdin)
	root.SetOut(st.Stdout)
	root.SetErr(st.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{exitUsage, flagError(err)} // cobra's own errors are about usage
	}
	// A run goes on to its end, whoever reads, and says what it could not print.
	ran := cmd.Name() == "run" || cmd.Name() == "nightly"
	if e.err != nil && (ran || !readerGone(e.err)) {
		fmt.Fprintf(st.Stderr, "opendesk: %v\n", e.err)
	}
	return e.code
}

// readerGone says whether the error is that nobody reads standard output any
// more, and nothing else: head has what it wanted.
func readerGone(err error) bool {
	var fault *fs.PathError
	return errors.As(err, &fault) && fault.Path == os.Stdout.Name() && errors.Is(fault, syscall.EPIPE) &&
		!strings.Contains(err.Error(), "\n")
}
