// Package harness runs the programs of a plan and tells what happened as
// events: several at a time, attempts and retries, one session each, one event
// loop, definite results whatever dies. It touches no display: sessions and
// workers are behind the interfaces Leaser and Launcher.
package harness

import (
	"context"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

// Leaser hands out display sessions. It is for concurrent use.
type Leaser interface {
	// Lease gives the program a session of its own, ready for a worker. The
	// failure says why there is none: the environment is broken.
	Lease(ctx context.Context, item Item) (Session, *results.Failure)
	// Kind names what sort of session the program needs: those of one kind can
	// stand in for each other as long as they are unused.
	Kind(item Item) string
}

// Session is one leased display session.
type Session interface {
	// Describe is the session as results show it.
	Describe() results.Session
	// Check says what of the session does not answer any more.
	Check(ctx context.Context) error
	// Return ends the session and everything in it.
	Return(ctx context.Context) error
}

// Launcher runs attempts in sessions. It is for concurrent use.
type Launcher interface {
	// Steps is the program's steps as planned, all of them blocked.
	Steps(p *program.Program) []results.Step
	// Ready says what keeps the program from being run at all, whatever the
	// session; nil for nothing.
	Ready(p *program.Program) *results.Failure
	// Launch runs one attempt and emits the worker's events about it: steps,
	// warnings and artifacts, and attempt_finished last where the worker came
	// to its end. The failure says what ended it outside any step; it is nil
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
	// Stop, once closed, ends the attempt after the step under way; nil is never
	// closed.
	Stop <-chan struct{}
	// Settings are what eval.yaml says about the program. Its Budget, 0 for
	// none, bounds the attempt: one that takes longer is ended, and the
	// failure is of the kind time_budget_exceeded.
	Settings project.Settings
}

// Sink gets every event of the run, in order, from one goroutine. Its error
// ends the run: what cannot be told must not be done.
type Sink func(results.Event) error

// Options are the rules of a run.
type Options struct {
	// Workers is how many programs run at the same time, 1 where it is less.
	Workers int
	// Retries is how often a failed program is tried again.
	Retries int
	// EnvRetries is how often a program is tried again whose environment broke.
	EnvRetries int
	// MaxFailures is the number of programs that failed or broke after which
	// no more is begun, 0 for no limit.
	MaxFailures int
	// Budget is how long the run may take, 0 for no limit.
	Budget time.Duration
	// FailOn are the remarks that make the exit code that of a failure.
	FailOn []results.Remark
	// Review, unless nil, is shown the results when everything has run, and says
	// what is to be told of them in addition before the run ends.
	Review func(run *results.Run) Review
	// PassWithNoPrograms makes an empty run a success.
	PassWithNoPrograms bool
	// Stop, once closed, interrupts the run in good order: steps under way come
	// to their end, and nothing more is begun. Nil is never closed.
	Stop <-chan struct{}
	// StopGrace is how long steps under way may go on then, DefaultStopGrace
	// for 0. A step can be a wait of many minutes.
	StopGrace time.Duration
	// Facts are events about the run as a whole (environment, warning without a
	// path) that are found out while it is under way. The run ends after it is
	// closed. Nil gives none.
	Facts    <-chan results.Event
	Leaser   Leaser
	Launcher Launcher
	Sink     Sink
}

// Review is what earlier runs say of one that is about to end.
type Review struct {
	// Warnings are on programs, by path; of repetitions each gets them.
	Warnings map[string][]results.Warning
	// News is one line on what is new.
	News string
	// Notes are remarks on the run.
	Notes []string
}

// DefaultStopGrace is less than the 7.5 s that GitHub Actions gives a job that
// is cancelled before it is told again.
const DefaultStopGrace = 5 * time.Second
