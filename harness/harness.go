// Package harness runs the programs of a plan and tells what happened as
// events: attempts and retries, one session each, one event loop, definite
// results whatever dies. It touches no display: sessions and workers are
// behind the interfaces Leaser and Launcher.
package harness

import (
	"context"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// Leaser hands out display sessions.
type Leaser interface {
	// Lease gives a session of its own, ready for a worker. The failure says
	// why there is none: the environment is broken.
	Lease(ctx context.Context) (Session, *results.Failure)
}

// Session is one leased display session.
type Session interface {
	// Describe is the session as results show it.
	Describe() results.Session
	// Return ends the session and everything in it.
	Return(ctx context.Context) error
}

// Launcher runs attempts in sessions.
type Launcher interface {
	// Steps is the program's steps as planned, all of them blocked.
	Steps(p *program.Program) []results.Step
	// Launch runs one attempt and emits the worker's events about it: steps,
	// warnings and artifacts, and attempt_finished last where the worker came
	// to its end. The failure says what broke outside any step; it is nil
	// where attempt_finished was emitted. When ctx ends, so does the attempt.
	Launch(ctx context.Context, s Session, attempt Attempt, emit func(results.Event)) *results.Failure
}

// Attempt is one execution to be made.
type Attempt struct {
	Program *program.Program
	// Number counts from 1.
	Number int
	// ArtifactDir is where the attempt's files go, below the run's folder,
	// with forward slashes.
	ArtifactDir string
}

// Sink gets every event of the run, in order, from one goroutine. Its error
// ends the run: what cannot be told must not be done.
type Sink func(results.Event) error

// Options are the rules of a run.
type Options struct {
	// Retries is how often a failed program is tried again.
	Retries int
	// EnvRetries is how often a program is tried again whose environment broke.
	EnvRetries int
	// PassWithNoPrograms makes an empty run a success.
	PassWithNoPrograms bool
	Leaser             Leaser
	Launcher           Launcher
	Sink               Sink
}
