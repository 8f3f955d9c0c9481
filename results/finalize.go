package results

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Interrupted is the reason of what was not brought to an end.
const Interrupted = "interrupted"

// Run is the result of the events so far, as if the stream ended here:
// everything in it is definite. It is a copy that later events do not change.
func (a *Accumulator) Run() *Run {
	run := a.snapshot(!a.finished || a.run.Interrupted)
	if a.finished {
		run.ExitCode = a.run.ExitCode
		return run
	}
	run.DurationMS = millisBetween(run.StartedAt, a.lastTime)
	run.ExitCode = ExitCode(run, false)
	return run
}

// Program is the result of the program that the event is about as Run has it;
// false where the program is not known.
func (a *Accumulator) Program(ev Event) (Program, bool) {
	p := a.byKey[ev.key()]
	if p == nil {
		return Program{}, false
	}
	return p.snapshot(!a.finished || a.run.Interrupted), true
}

// Ending is the result of a run that ends now, before run_finished says so.
func (a *Accumulator) Ending(interrupted bool) *Run {
	run := a.snapshot(interrupted)
	run.DurationMS = millisBetween(run.StartedAt, a.lastTime)
	return run
}

// Closing is the payload of run_finished for a run that ends now: status,
// counts and exit code, without programs.
func (a *Accumulator) Closing(interrupted, passWithNoPrograms bool) *Run {
	run := a.Ending(interrupted)
	run.DurationMS = 0
	run.ExitCode = ExitCode(run, passWithNoPrograms)
	run.Programs = nil
	run.Notes = nil
	return run
}

// snapshot copies the state with everything unfinished ended.
func (a *Accumulator) snapshot(interrupted bool) *Run {
	run := a.run
	run.SchemaVersion = SchemaVersion
	run.StartedAt = utc(run.StartedAt)
	run.Interrupted = interrupted
	run.Notes = slices.Clone(run.Notes)
	run.Programs = make([]Program, 0, len(a.programs))
	for _, p := range a.programs {
		run.Programs = append(run.Programs, p.snapshot(interrupted))
	}
	run.Counts = Count(run.Programs)
	run.Status = RunStatus(run.Programs, interrupted)
	return &run
}

func (p *programState) snapshot(interrupted bool) Program {
	out := p.result
	out.File = cmp.Or(out.File, out.Path)
	out.Problems = slices.Clone(out.Problems)
	out.Tags = slices.Clone(out.Tags)
	out.Warnings = slices.Clone(out.Warnings)
	out.Attempts = nil
	var made []Status
	for _, at := range p.attempts {
		attempt := at.snapshot()
		out.Attempts = append(out.Attempts, attempt)
		made = append(made, attempt.Status)
	}
	status, note := FinalStatus(made)
	if w := (Warning{Kind: WarnNote, Message: note}); note != "" && !slices.Contains(out.Warnings, w) {
		out.Warnings = append(out.Warnings, w)
	}
	if !p.finished {
		out.Status = status
		out.DurationMS = millisBetween(p.startedAt, p.lastTime)
		switch {
		case out.Status != Skipped:
		case interrupted:
			out.Reason = Interrupted
		default:
			out.Reason = "not run"
		}
	}
	if out.Reason == "" && out.Status != Passed {
		if final := out.Final(); final != nil {
			out.Reason = final.Reason
		}
	}
	return out
}

func (at *attemptState) snapshot() Attempt {
	out := at.result
	out.StartedAt = utc(out.StartedAt)
	out.Artifacts = slices.Clone(out.Artifacts)
	out.Fault = out.Fault.normal()
	out.Steps = make([]Step, 0, len(at.steps))
	if !at.finished {
		out.Status = at.unfinishedStatus()
		out.Reason = Interrupted
		out.DurationMS = millisBetween(out.StartedAt, at.lastTime)
	}
	ender := at.ender(out.Status)
	for i := range at.steps {
		out.Steps = append(out.Steps, at.steps[i].snapshot(&out, i, ender))
	}
	if ender >= 0 && (out.Reason == "" || out.Reason == Interrupted && out.Status != Skipped) {
		if f := out.Steps[ender].Failure; f != nil {
			out.Reason = f.Reason
		}
	}
	if out.Reason == "" && out.Fault != nil {
		out.Reason = out.Fault.Reason
	}
	return out
}

// unfinishedStatus is the status of an attempt that never ended: a step that
// failed or broke has decided already, anything else was interrupted.
func (at *attemptState) unfinishedStatus() Status {
	status := Skipped
	for i := range at.steps {
		switch st := &at.steps[i]; {
		case st.finished && st.result.Status == StepFailed:
			return Failed
		case st.finished && st.result.Status == StepBroken:
			status = Broken
		}
	}
	return status
}

// ender is the place of the step that ended the attempt, -1 for none: the
// first that failed or broke; where none did and the attempt did not pass or
// get interrupted, the one that was under way.
func (at *attemptState) ender(status Status) int {
	running := -1
	for i := range at.steps {
		st := &at.steps[i]
		if st.finished && (st.result.Status == StepFailed || st.result.Status == StepBroken) {
			return i
		}
		if st.running {
			running = i
		}
	}
	if status == Failed || status == Broken {
		return running
	}
	return -1
}

// snapshot is the step's result with a status in any case. A step that was
// under way when the attempt ended failed or broke with it; what was not
// reached is blocked.
func (st *stepState) snapshot(attempt *Attempt, place, ender int) Step {
	out := st.result
	if !st.finished {
		out.BlockedBy = ""
		switch {
		case place == ender && attempt.Status == Failed:
			out.Status, out.Failure = StepFailed, attempt.stepFault()
		case place == ender:
			out.Status, out.Failure = StepBroken, attempt.stepFault()
		default:
			out.Status = StepBlocked
			if attempt.Status == Skipped {
				out.Notes = append(slices.Clone(out.Notes), Interrupted)
			}
		}
	}
	if out.Status == StepBlocked && out.BlockedBy == "" && ender >= 0 && place > ender {
		out.BlockedBy = attempt.Steps[ender].ID
	}
	out.StartedAt = utc(out.StartedAt)
	out.Failure = out.Failure.normal()
	return out
}

// stepFault is the failure of the step that was under way when the attempt
// ended.
func (at *Attempt) stepFault() *Failure {
	if at.Fault != nil {
		return at.Fault
	}
	return &Failure{Kind: InternalFault, Reason: cmp.Or(at.Reason, "the attempt ended while this step was under way")}
}

// normal is a copy in which lists that the schema requires are lists.
func (f *Failure) normal() *Failure {
	if f == nil {
		return nil
	}
	out := *f
	if !slices.ContainsFunc(out.Candidates, func(c Candidate) bool { return c.Differs == nil }) &&
		(out.SelfHeal == nil || out.SelfHeal.RemainingSteps != nil) {
		return &out
	}
	out.Candidates = slices.Clone(out.Candidates)
	for i := range out.Candidates {
		if out.Candidates[i].Differs == nil {
			out.Candidates[i].Differs = []string{}
		}
	}
	if out.SelfHeal != nil && out.SelfHeal.RemainingSteps == nil {
		heal := *out.SelfHeal
		heal.RemainingSteps = []json.RawMessage{}
		out.SelfHeal = &heal
	}
	return &out
}

// utc is the moment in UTC without a monotonic reading, as JSON has it.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Round(0)
}
