package results

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// attempt is the open attempt, which must have the given number (0 for "the
// one that is open").
func (p *programState) attempt(number int) (*attemptState, error) {
	if len(p.attempts) == 0 {
		return nil, errors.New("no attempt is under way")
	}
	last := p.attempts[len(p.attempts)-1]
	switch {
	case last.finished:
		return nil, fmt.Errorf("attempt %d has finished already", last.result.Number)
	case number != 0 && number != last.result.Number:
		return nil, fmt.Errorf("attempt %d is not under way, %d is", number, last.result.Number)
	default:
		return last, nil
	}
}

func (p *programState) attemptStarted(ev Event) error {
	if ev.Attempt == nil {
		return errNoPayload
	}
	next := len(p.attempts) + 1
	if next > 1 && !p.attempts[next-2].finished {
		return fmt.Errorf("attempt %d is still under way", next-1)
	}
	number := ev.AttemptNumber
	if number == 0 {
		number = ev.Attempt.Number
	}
	if number != 0 && number != next {
		return fmt.Errorf("attempt %d follows attempt %d", number, next-1)
	}
	at := &attemptState{result: *ev.Attempt, lastTime: ev.Time}
	at.result.Number = next
	at.result.Status, at.result.Steps = "", nil
	at.result.Artifacts = slices.Clone(ev.Attempt.Artifacts)
	if at.result.StartedAt.IsZero() {
		at.result.StartedAt = ev.Time
	}
	for _, s := range ev.Attempt.Steps {
		at.plan(s)
	}
	p.attempts = append(p.attempts, at)
	return nil
}

// finish ends the program. Its status may be worse than what the attempts
// give (a budget ran out), but not better.
func (p *programState) finish(ev Event) error {
	if ev.Program == nil {
		return errNoPayload
	}
	status := ev.Program.Status
	if !status.Valid() {
		return fmt.Errorf("%q is not a status", status)
	}
	var made []Status
	for _, at := range p.attempts {
		if !at.finished {
			return fmt.Errorf("attempt %d is still under way", at.result.Number)
		}
		made = append(made, at.result.Status)
	}
	least, _ := FinalStatus(made)
	excused := status == Skipped && least == Failed && p.result.Quarantine != nil && !p.result.Quarantine.Expired
	if rank(status) < rank(least) && !excused {
		return fmt.Errorf("status %s is better than what its attempts give (%s)", status, least)
	}
	p.finished = true
	p.result.Status = status
	p.result.Reason = ev.Program.Reason
	p.result.DurationMS = ev.Program.DurationMS
	if p.result.DurationMS == 0 {
		p.result.DurationMS = millisBetween(p.startedAt, ev.Time)
	}
	for _, w := range ev.Program.Warnings {
		p.warn(w)
	}
	return nil
}

// apply takes an event about the open attempt.
func (at *attemptState) apply(ev Event) error {
	var err error
	switch ev.Type {
	case EventStepStarted:
		err = at.stepStarted(ev)
	case EventStepFinished:
		err = at.stepFinished(ev)
	case EventArtifact:
		if ev.Artifact == nil {
			return errNoPayload
		}
		at.result.Artifacts = append(at.result.Artifacts, *ev.Artifact)
	case EventAttemptFinished:
		err = at.finish(ev)
	}
	if err == nil {
		at.lastTime = ev.Time
	}
	return err
}

// plan adds a step that nothing is known of yet, or does nothing where the
// step is known.
func (at *attemptState) plan(s Step) *stepState {
	i, found := slices.BinarySearchFunc(at.steps, s.Index, func(st stepState, index int) int {
		return cmp.Compare(st.result.Index, index)
	})
	if !found {
		at.steps = slices.Insert(at.steps, i, stepState{result: s})
	}
	return &at.steps[i]
}

func (at *attemptState) stepStarted(ev Event) error {
	if ev.Step == nil {
		return errNoPayload
	}
	for i := range at.steps {
		if at.steps[i].running {
			return fmt.Errorf("step %s is still under way", at.steps[i].result.ID)
		}
	}
	st := at.plan(*ev.Step)
	if st.finished {
		return fmt.Errorf("step %s has finished already", ev.Step.ID)
	}
	st.running = true
	if st.result.StartedAt.IsZero() {
		st.result.StartedAt = cmp.Or(ev.Step.StartedAt, ev.Time)
	}
	return nil
}

func (at *attemptState) stepFinished(ev Event) error {
	if ev.Step == nil {
		return errNoPayload
	}
	if !ev.Step.Status.Valid() {
		return fmt.Errorf("%q is not the status of a step", ev.Step.Status)
	}
	st := at.plan(*ev.Step)
	if st.finished {
		return fmt.Errorf("step %s has finished already", ev.Step.ID)
	}
	planned := st.result
	if planned.ID != ev.Step.ID {
		return fmt.Errorf("step %d is %q, not %q", ev.Step.Index, planned.ID, ev.Step.ID)
	}
	st.result = *ev.Step
	st.finished, st.running = true, false
	if st.result.Postcondition == nil {
		st.result.Postcondition = planned.Postcondition
	}
	if st.result.Status != StepBlocked && st.result.StartedAt.IsZero() {
		st.result.StartedAt = planned.StartedAt
	}
	return nil
}

// finish ends the attempt. Steps that come with the event fill in what no
// event told. An attempt has passed only where all of its steps have.
func (at *attemptState) finish(ev Event) error {
	if ev.Attempt == nil {
		return errNoPayload
	}
	status := ev.Attempt.Status
	switch status {
	case Passed, Failed, Broken, Skipped:
	default:
		return fmt.Errorf("%q is not the status of an attempt", status)
	}
	before := slices.Clone(at.steps)
	for _, s := range ev.Attempt.Steps {
		if st := at.plan(s); !st.finished && s.Status.Valid() {
			st.result, st.finished, st.running = s, true, false
		}
	}
	if err := at.contradiction(status); err != nil {
		at.steps = before
		return err
	}
	at.finished = true
	at.result.Status = status
	at.result.Reason = ev.Attempt.Reason
	at.result.Fault = ev.Attempt.Fault
	at.result.DurationMS = ev.Attempt.DurationMS
	if at.result.DurationMS == 0 {
		at.result.DurationMS = millisBetween(at.result.StartedAt, ev.Time)
	}
	if ev.Attempt.Session != nil {
		at.result.Session = ev.Attempt.Session
	}
	at.result.Artifacts = append(at.result.Artifacts, ev.Attempt.Artifacts...)
	return nil
}

// contradiction says why the steps cannot have given an attempt of this
// status: a passed one has no step that did not pass, a failed step is never
// hidden behind another status.
func (at *attemptState) contradiction(status Status) error {
	for i := range at.steps {
		st := &at.steps[i]
		switch {
		case status == Passed && (!st.finished || st.result.Status != StepPassed):
			return fmt.Errorf("the attempt is passed, but step %s is not", st.result.ID)
		case status != Failed && st.finished && st.result.Status == StepFailed:
			return fmt.Errorf("the attempt is %s, but step %s failed", status, st.result.ID)
		}
	}
	return nil
}
