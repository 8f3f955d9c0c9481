package harness_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// desk plays sessions and workers.
type desk struct {
	// ends says by program how its attempts end, one after the other: passed,
	// failed, broken, "no session", "crash" (no verdict), "fail then crash",
	// "silent" (no verdict and no fault), "interrupt", "until stopped", "hang" (until the run
	// is interrupted), "over budget", "no answer" (over budget, and the
	// environment is silent). Passed for all that are not named.
	ends   map[string][]string
	cancel context.CancelFunc
	kind   func(harness.Item) string
	// lease is asked for each session that is started, from 1; launch is
	// called while a program runs.
	lease  func(number int) error
	launch func(item string)

	mu       sync.Mutex
	sessions []*sitting
	open     int
	mostOpen int
	attempts map[string]int
}

// sitting is a session.
type sitting struct {
	desk     *desk
	number   int
	kind     string
	dead     bool
	used     int
	returned int
}

func newDesk(ends map[string]string) *desk {
	d := &desk{ends: map[string][]string{}, attempts: map[string]int{}}
	for name, list := range ends {
		d.ends[name] = strings.Split(list, ",")
	}
	return d
}

// plan plans programs of these names.
func plan(t testing.TB, names ...string) harness.Plan {
	t.Helper()
	var pl harness.Plan
	for _, name := range names {
		pl.Items = append(pl.Items, item(t, name))
	}
	return pl
}

func item(t testing.TB, name string) harness.Item {
	t.Helper()
	file := ".opendesk/learned/" + name + ".program.json"
	p, problems := program.Parse(file, []byte(`{"name":"`+path.Base(name)+`","version":1,"steps":[{"id":"s1","tool":"wait"}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	return harness.Item{Path: file, File: file, Program: p}
}

func (d *desk) Kind(it harness.Item) string {
	if d.kind == nil {
		return ""
	}
	return d.kind(it)
}

func (d *desk) Lease(_ context.Context, it harness.Item) (harness.Session, *results.Failure) {
	d.mu.Lock()
	number := len(d.sessions) + 1
	s := &sitting{desk: d, number: number, kind: d.Kind(it)}
	d.sessions = append(d.sessions, s)
	d.open++
	d.mostOpen = max(d.mostOpen, d.open)
	d.mu.Unlock()
	if d.lease != nil {
		if err := d.lease(number); err != nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			s.returned++
			d.open--
			return nil, &results.Failure{Kind: results.SessionNotStarted, Reason: err.Error()}
		}
	}
	return s, nil
}

func (s *sitting) Describe() results.Session {
	return results.Session{Display: fmt.Sprintf(":%d", s.number), Geometry: s.kind}
}

func (s *sitting) Check(context.Context) error {
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	if s.dead {
		return errors.New("the X server does not answer")
	}
	return nil
}

func (s *sitting) Return(context.Context) error {
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	s.returned++
	s.desk.open--
	return nil
}

// allReturned makes sure that every session was ended, once, and none of them
// used twice.
func (d *desk) allReturned(t testing.TB) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.sessions {
		if s.returned != 1 || s.used > 1 {
			t.Errorf("session %d: ended %d times, used %d times", s.number, s.returned, s.used)
		}
	}
}

func (d *desk) Steps(p *program.Program) []results.Step {
	var steps []results.Step
	for _, st := range p.Steps {
		steps = append(steps, results.Step{ID: st.ID, Index: st.Index, Tool: st.Tool, Status: results.StepBlocked})
	}
	return steps
}

func (d *desk) Ready(p *program.Program) *results.Failure {
	if !strings.HasPrefix(p.Name, "unready") {
		return nil
	}
	return &results.Failure{Kind: results.VariableUnset, Reason: "the variable A is not set"}
}

// next says how the program's next attempt ends.
func (d *desk) next(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.attempts[name]
	d.attempts[name]++
	if list := d.ends[name]; n < len(list) {
		return list[n]
	}
	return "passed"
}

func (d *desk) Launch(ctx context.Context, s harness.Session, a harness.Attempt, emit func(results.Event)) *results.Failure {
	d.mu.Lock()
	s.(*sitting).used++
	d.mu.Unlock()
	name := strings.TrimSuffix(path.Base(a.Program.Path), program.Suffix)
	if d.launch != nil {
		d.launch(name)
	}
	step := results.Step{ID: "s1", Tool: "wait", Status: results.StepPassed}
	crash := &results.Failure{Kind: results.WorkerCrashed, Reason: "the worker ended"}
	over := &results.Failure{Kind: results.TimeBudgetExceeded, Reason: "too long", Probes: []results.Probe{{Part: "X server", OK: true}}}
	finish := func(status results.Status, reason string) {
		emit(results.Event{Type: results.EventStepFinished, Step: &step})
		emit(results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{Status: status, Reason: reason}})
	}
	switch d.next(name) {
	case "passed":
		finish(results.Passed, "")
	case "failed":
		step.Status, step.Failure = results.StepFailed, &results.Failure{Kind: results.TargetNotFound, Reason: fmt.Sprintf("not found (%d)", a.Number)}
		finish(results.Failed, step.Failure.Reason)
	case "fail then crash":
		step.Status, step.Failure = results.StepFailed, &results.Failure{Kind: results.TargetNotFound, Reason: fmt.Sprintf("not found (%d)", a.Number)}
		emit(results.Event{Type: results.EventStepFinished, Step: &step})
		return crash
	case "broken":
		step.Status, step.Failure = results.StepBroken, &results.Failure{Kind: results.EnvironmentFault, Reason: "no bus"}
		finish(results.Broken, "no bus")
	case "no session":
		return &results.Failure{Kind: results.SessionNotStarted, Reason: "no Xvfb"}
	case "crash":
		return crash
	case "over budget":
		return over
	case "no answer":
		over.Probes = append(over.Probes, results.Probe{Part: "session bus"})
		return over
	case "interrupt":
		d.cancel()
		return crash
	case "until stopped":
		<-a.Stop
		finish(results.Skipped, results.Interrupted)
	case "hang":
		<-ctx.Done()
		return crash
	}
	return nil
}
