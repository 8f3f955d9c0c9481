package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/results"
)

// task is one program under way, in a goroutine of its own.
type task struct {
	Options
	item Item
	pool *pool
	emit func(results.Event)
	// stopping ends when nothing more is to be begun.
	stopping context.Context
}

// tell emits an event about the program.
func (t *task) tell(e results.Event) { t.emit(t.item.about(e)) }

// run runs the program to its final status.
func (t *task) run(ctx context.Context) {
	begun := time.Now()
	described := t.item.describe()
	t.tell(results.Event{Type: results.EventProgramStarted, Program: &described})
	finished := results.Program{Path: t.item.Path}
	if t.item.Program == nil {
		finished.Status, finished.Reason = results.Invalid, t.item.invalidReason()
	} else {
		finished.Status, finished.Reason = t.attempts(ctx)
	}
	t.quarantine(&finished)
	finished.DurationMS = time.Since(begun).Milliseconds()
	t.tell(results.Event{Type: results.EventProgramFinished, Program: &finished})
}

// quarantine excuses a failure that is known, as long as it is to be.
func (t *task) quarantine(p *results.Program) {
	q := t.item.Quarantine
	if q == nil {
		return
	}
	switch {
	case p.Status == results.Failed && !q.Expired:
		p.Status = results.Skipped
		p.Reason = fmt.Sprintf("in quarantine until %s (%s), failed: %s", q.Until, q.Issue, p.Reason)
	case p.Status == results.Passed:
		t.note(fmt.Sprintf("it is in quarantine until %s (%s) and passed", q.Until, q.Issue))
	case q.Expired:
		t.note(fmt.Sprintf("its quarantine has expired on %s (%s)", q.Until, q.Issue))
	}
}

func (t *task) note(message string) {
	t.tell(results.Event{Type: results.EventWarning, Warning: &results.Warning{Kind: results.WarnNote, Message: message}})
}

// attempts makes attempts until one counts or the retries are used up.
func (t *task) attempts(ctx context.Context) (results.Status, string) {
	var statuses []results.Status
	reasons := map[results.Status]string{}
	retries, envRetries := t.Retries, t.EnvRetries
	if t.Launcher.Ready(t.item.Program) != nil {
		envRetries = 0 // it would be the same again
	}
	for again := true; again; {
		status, reason := t.attempt(ctx, len(statuses)+1)
		statuses = append(statuses, status)
		reasons[status] = reason
		again = false
		switch {
		case t.stopping.Err() != nil:
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
		t.note(note)
	}
	if final == results.Flaky {
		return final, "failed, then passed on a retry: " + reasons[results.Failed]
	}
	return final, reasons[final]
}

// attempt makes one attempt in a session of its own.
func (t *task) attempt(ctx context.Context, number int) (results.Status, string) {
	begun := time.Now()
	about := func(e results.Event) {
		e.AttemptNumber = number
		t.tell(e)
	}
	started := &results.Attempt{Number: number, StartedAt: begun.UTC(), Steps: t.Launcher.Steps(t.item.Program)}
	var session Session
	var warm bool
	fault := t.Launcher.Ready(t.item.Program)
	if fault == nil {
		session, warm, fault = t.pool.lease(t.stopping, t.item)
	}
	if session != nil {
		described := session.Describe()
		described.Warm = warm
		started.Session = &described
	}
	about(results.Event{Type: results.EventAttemptStarted, Attempt: started})

	var ended *results.Attempt
	failed := "" // the reason of a step that failed: no later fault hides it
	if fault == nil {
		fault = t.Launcher.Launch(ctx, session, Attempt{
			Program: t.item.Program, Number: number, ArtifactDir: t.item.artifactDir(number), Settings: t.item.Settings,
			Stop: t.stopping.Done(),
		}, func(e results.Event) {
			if e.Type == results.EventAttemptFinished {
				ended = e.Attempt // told below, once the session has ended
				return
			}
			if e.Type == results.EventStepFinished && e.Step.Status == results.StepFailed {
				failed = e.Step.Failure.Reason
			}
			about(e)
		})
	}
	if session != nil {
		t.giveBack(ctx, session)
	}
	finished := &results.Attempt{Number: number, DurationMS: time.Since(begun).Milliseconds()}
	switch {
	case failed != "":
		finished.Status, finished.Reason, finished.Fault = results.Failed, failed, fault
	case t.stopping.Err() != nil && (ended == nil || ended.Status == results.Skipped):
		finished.Status, finished.Reason = results.Skipped, interruption(t.stopping)
	case fault != nil:
		finished.Status, finished.Reason, finished.Fault = blame(fault), fault.Reason, fault
	case ended != nil:
		finished.Status, finished.Reason, finished.Fault = ended.Status, ended.Reason, ended.Fault
	default:
		finished.Fault = &results.Failure{Kind: results.InternalFault, Reason: "the worker ended without a verdict"}
		finished.Status, finished.Reason = results.Broken, finished.Fault.Reason
	}
	about(results.Event{Type: results.EventAttemptFinished, Attempt: finished})
	return finished.Status, finished.Reason
}

// interruption says why the run was ended.
func interruption(ctx context.Context) string {
	if cause := context.Cause(ctx); errors.Is(cause, errBudget) {
		return results.Interrupted + ": " + cause.Error()
	}
	return results.Interrupted
}

// blame is the status of an attempt that ended outside of any step. The
// environment is at fault, except for a program that ran out of its time, or
// used up all processes that its session may have, while every part of the
// environment answered.
func blame(fault *results.Failure) results.Status {
	own := fault.Kind == results.TimeBudgetExceeded || fault.Kind == results.LimitReached
	if !own || len(fault.Probes) == 0 {
		return results.Broken
	}
	for _, probe := range fault.Probes {
		if !probe.OK {
			return results.Broken
		}
	}
	return results.Failed
}

// giveBack ends the session. That something may be left behind is told, and
// changes no verdict.
func (t *task) giveBack(ctx context.Context, session Session) {
	if err := end(ctx, session); err != nil {
		t.note(fmt.Sprintf("the session could not be ended cleanly: %v", err))
	}
}
