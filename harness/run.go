package harness

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/opendesk/opendesk/results"
)

func itoa(n int) string { return strconv.Itoa(n) }

// returnTimeout bounds the end of a session.
const returnTimeout = 10 * time.Second

// loop is one run under way. Everything in it belongs to the goroutine that
// called Run; there is one event loop, and it is the caller.
type loop struct {
	Options
	acc *results.Accumulator
	err error // the sink's, which ends the run
	end context.CancelFunc
}

// Run runs the plan. start is the run as known at the beginning; the result is
// complete whatever happened. The error is the sink's, or that of an event
// that does not fit: both are internal faults. When ctx ends, the run is
// interrupted: what had finished stays, the rest is skipped.
func Run(ctx context.Context, start results.Run, plan Plan, opts Options) (*results.Run, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	l := &loop{Options: opts, acc: results.NewAccumulator(), end: end}
	begun := time.Now()
	for _, item := range plan.Items {
		start.Programs = append(start.Programs, item.describe())
	}
	l.emit(results.Event{Type: results.EventRunStarted, Run: &start})
	for _, item := range plan.Items {
		if ctx.Err() != nil {
			break
		}
		l.program(ctx, item)
	}
	closing := l.acc.Closing(ctx.Err() != nil, opts.PassWithNoPrograms)
	if l.err != nil && closing.ExitCode != results.ExitFailed {
		closing.ExitCode = results.ExitBroken // nobody interrupted it: it could not go on
	}
	l.emit(results.Event{Type: results.EventRunFinished, Run: &results.Run{
		SchemaVersion: results.SchemaVersion,
		Status:        closing.Status, ExitCode: closing.ExitCode, Interrupted: closing.Interrupted,
		DurationMS: time.Since(begun).Milliseconds(),
	}})
	return l.acc.Run(), l.err
}

// emit applies an event to the results and hands it to the sink. After the
// first error nothing more is told, and the run ends.
func (l *loop) emit(e results.Event) {
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	err := l.acc.Apply(e)
	if err == nil && l.err == nil && l.Sink != nil {
		err = l.Sink(e)
	}
	if err != nil && l.err == nil {
		l.err = err
		l.end()
	}
}

// program runs one program to its final status.
func (l *loop) program(ctx context.Context, item Item) {
	described := item.describe()
	begun := time.Now()
	l.emit(results.Event{Type: results.EventProgramStarted, Path: item.Path, Program: &described})
	finished := results.Program{Path: item.Path}
	if item.Program == nil {
		finished.Status, finished.Reason = results.Invalid, item.invalidReason()
	} else {
		finished.Status, finished.Reason = l.attempts(ctx, item)
	}
	finished.DurationMS = time.Since(begun).Milliseconds()
	l.emit(results.Event{Type: results.EventProgramFinished, Path: item.Path, Program: &finished})
}

// attempts makes attempts until one counts or the retries are used up.
func (l *loop) attempts(ctx context.Context, item Item) (results.Status, string) {
	var statuses []results.Status
	reasons := map[results.Status]string{}
	retries, envRetries := l.Retries, l.EnvRetries
	for again := true; again; {
		status, reason := l.attempt(ctx, item, len(statuses)+1)
		statuses = append(statuses, status)
		reasons[status] = reason
		again = false
		switch {
		case ctx.Err() != nil:
		case status == results.Failed && retries > 0:
			retries--
			again = true
		case status == results.Broken && envRetries > 0:
			envRetries--
			again = true
		}
	}
	final, note := results.FinalStatus(statuses)
	if note != "" {
		l.emit(results.Event{Type: results.EventWarning, Path: item.Path,
			Warning: &results.Warning{Kind: results.WarnNote, Message: note}})
	}
	if final == results.Flaky {
		return final, "failed, then passed on a retry: " + reasons[results.Failed]
	}
	return final, reasons[final]
}

// attempt makes one attempt in a session of its own.
func (l *loop) attempt(ctx context.Context, item Item, number int) (results.Status, string) {
	begun := time.Now()
	about := func(e results.Event) results.Event {
		e.Path, e.AttemptNumber = item.Path, number
		return e
	}
	started := &results.Attempt{Number: number, StartedAt: begun.UTC(), Steps: l.Launcher.Steps(item.Program)}
	session, fault := l.Leaser.Lease(ctx)
	if session != nil {
		described := session.Describe()
		started.Session = &described
	}
	l.emit(about(results.Event{Type: results.EventAttemptStarted, Attempt: started}))

	var ended *results.Attempt
	failed := "" // the reason of a step that failed: no later fault hides it
	if fault == nil {
		fault = l.Launcher.Launch(ctx, session, Attempt{
			Program: item.Program, Number: number, ArtifactDir: artifactDir(item.Path, number),
		}, func(e results.Event) {
			if e.Type == results.EventAttemptFinished {
				ended = e.Attempt // told below, once the session has ended
				return
			}
			if e.Type == results.EventStepFinished && e.Step.Status == results.StepFailed {
				failed = e.Step.Failure.Reason
			}
			l.emit(about(e))
		})
	}
	if session != nil {
		l.giveBack(ctx, session, about)
	}
	finished := &results.Attempt{Number: number, DurationMS: time.Since(begun).Milliseconds()}
	switch {
	case failed != "":
		finished.Status, finished.Reason, finished.Fault = results.Failed, failed, fault
	case ctx.Err() != nil && (ended == nil || ended.Status == results.Skipped):
		finished.Status, finished.Reason = results.Skipped, "interrupted"
	case fault != nil:
		finished.Status, finished.Reason, finished.Fault = results.Broken, fault.Reason, fault
	case ended != nil:
		finished.Status, finished.Reason = ended.Status, ended.Reason
	default:
		finished.Fault = &results.Failure{Kind: results.InternalFault, Reason: "the worker ended without a verdict"}
		finished.Status, finished.Reason = results.Broken, finished.Fault.Reason
	}
	l.emit(about(results.Event{Type: results.EventAttemptFinished, Attempt: finished}))
	return finished.Status, finished.Reason
}

// giveBack ends the session, also when the run is interrupted. That something
// may be left behind is told, and changes no verdict.
func (l *loop) giveBack(ctx context.Context, session Session, about func(results.Event) results.Event) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTimeout)
	defer cancel()
	err := session.Return(ctx)
	if err == nil {
		return
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it did not end within %v", returnTimeout)
	}
	e := about(results.Event{Type: results.EventWarning, Warning: &results.Warning{
		Kind: results.WarnNote, Message: fmt.Sprintf("the session could not be ended cleanly: %v", err),
	}})
	e.AttemptNumber = 0
	l.emit(e)
}
