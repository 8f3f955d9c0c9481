// Package runner runs one program on one desktop and tells what happened as
// events. It decides nothing about other programs, retries or reports, and it
// never writes to the project: a failure's repair context is data.
package runner

import (
	"context"
	"encoding/json"
	"image"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/check"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/secrets"
	"github.com/opendesk/opendesk/runner/step"
)

// Request is what is to be run, and where.
type Request struct {
	Program *program.Program
	Desktop desktop.Desktop
	// Reader reads text from pixels; nil where the build has no OCR.
	Reader check.TextReader
	// Command gives the project's command for an app name, nil for none.
	Command func(name string) []string
	// Virtual says that the display is the run's own.
	Virtual bool
	// Scale multiplies every timeout; 0 counts as 1.
	Scale float64
	// Watched is for single steps; see step.Env.
	Watched bool
	// Scripts is what steps need that run saved code; the calls that they make
	// are told to Audit.
	Scripts step.Scripts
	// Procedure is the program's natural-language procedure as JSON, nil for none.
	Procedure json.RawMessage
	// Project is the project's folder as suggested commands should name it; ""
	// where they are to be run in it.
	Project string
	// Only and StartAt leave steps out: all but the one with that id, and all
	// before it. Both are "" for the whole program.
	Only, StartAt string
	// Secrets are the values of the program's variables; nil for none. They are
	// kept out of pictures and of files; events are the caller's to mask.
	Secrets *secrets.Secrets
	// Stop is asked before each step whether the attempt is to end there: it is
	// skipped then. Nil never says so.
	Stop func() bool
	// Trace asks for a small picture of the screen after each step.
	Trace bool
	// Audit gets an entry for every action. Nil gets none.
	Audit func(results.AuditEntry)
	// Emit gets every event, in order. It must not block for long.
	Emit func(results.Event)
	// Save stores a file that belongs to the result. Nil stores nothing.
	Save func(kind, name, mediaType string, data []byte) (results.Artifact, error)
	// Now is the clock of the events' times; nil is time.Now.
	Now func() time.Time
}

// run is one execution of a Request.
type run struct {
	Request
	env     step.Env
	checker check.Checker
	finder  resolve.Finder
	// screened is the desktop of a program with secrets, nil for one without.
	screened *screened
	// shown is the picture of the failure of the step under way, nil for none.
	shown *image.RGBA
}

// Run runs the program to its end or its first failure. The attempt it returns
// is what its events add up to. When ctx ends, the attempt is skipped.
func Run(ctx context.Context, req Request) results.Attempt {
	if req.Scale == 0 {
		req.Scale = 1
	}
	if req.Now == nil {
		req.Now = time.Now
	}
	req.Desktop = newPatient(req.Desktop, req.Scale)
	var screen *screened
	if req.Secrets != nil {
		screen = &screened{Desktop: req.Desktop, secrets: req.Secrets}
		req.Desktop = screen
	}
	r := &run{
		Request: req, screened: screen,
		env:     step.Env{Desktop: req.Desktop, Command: req.Command, Virtual: req.Virtual, Scale: req.Scale, Watched: req.Watched},
		checker: check.Checker{Desktop: req.Desktop, Reader: req.Reader},
		finder:  resolve.Finder{Desktop: req.Desktop},
	}
	r.env.Scripts = req.Scripts
	r.env.Scripts.Called = r.auditCall
	return r.attempt(ctx)
}

func (r *run) attempt(ctx context.Context) results.Attempt {
	start := r.Now()
	a := results.Attempt{Status: results.Passed, StartedAt: start.UTC()}
	r.remarks()
	selected := Selected(r.Program, r.Only, r.StartAt)
	if len(selected) == 0 {
		a.Status, a.Reason = results.Broken, "the program has no such step: "+r.Only+r.StartAt
	}
	for _, s := range selected {
		result := plan(s, r.Scale)
		if a.Status == results.Passed && r.Stop != nil && r.Stop() {
			a.Status, a.Reason = results.Skipped, interrupted
		}
		if a.Status != results.Passed {
			result.Status = results.StepBlocked
			result.BlockedBy = endedBy(a.Steps)
			r.finish(&a, result)
			continue
		}
		r.emit(results.Event{Type: results.EventStepStarted, Step: &result})
		result = r.step(ctx, s, result)
		switch result.Status {
		case results.StepFailed:
			a.Status, a.Reason = results.Failed, result.Failure.Reason
		case results.StepBroken:
			a.Status, a.Reason = results.Broken, result.Failure.Reason
		case results.StepBlocked:
			a.Status, a.Reason = results.Skipped, interrupted
		}
		r.finish(&a, result)
		if r.Trace {
			r.trace(ctx, &a, result)
		}
	}
	a.DurationMS = r.Now().Sub(start).Milliseconds()
	r.emit(results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{
		Status: a.Status, Reason: a.Reason, StartedAt: a.StartedAt, DurationMS: a.DurationMS,
	}})
	return a
}

const interrupted = "interrupted"

func endedBy(steps []results.Step) string {
	for _, s := range steps {
		if s.Status != results.StepPassed {
			return s.ID
		}
	}
	return ""
}

func (r *run) finish(a *results.Attempt, s results.Step) {
	a.Steps = append(a.Steps, s)
	r.emit(results.Event{Type: results.EventStepFinished, Step: &s})
}

func (r *run) emit(e results.Event) {
	e.Time = r.Now().UTC()
	if r.Emit != nil {
		r.Emit(e)
	}
}

func (r *run) warn(kind results.WarningKind, stepID, message string) {
	r.emit(results.Event{Type: results.EventWarning, Warning: &results.Warning{Kind: kind, Step: stepID, Message: message}})
}

// remarks warns of what can be said before anything runs.
func (r *run) remarks() {
	checked := false
	for _, s := range r.Program.Steps {
		checked = checked || s.Postcondition != nil || s.Tool == "script" // whose exit code is checked
		if s.Brittle() {
			r.warn(results.WarnBrittle, s.ID, "acts at screen coordinates: it breaks when the layout changes")
		}
	}
	if !checked {
		r.warn(results.WarnUnchecked, "", "no step has a postcondition: that the steps could be done is all that is checked")
	}
}
