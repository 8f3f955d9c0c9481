package compare

import (
	"slices"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// InfoOf is the run without its programs.
func InfoOf(run *results.Run) RunInfo {
	info := RunInfo{
		ID: run.ID, Suite: run.Suite, Kind: run.Kind, StartedAt: run.StartedAt, DurationMS: run.DurationMS,
		Status: run.Status, Interrupted: run.Interrupted,
		Tool: run.Tool, Environment: run.Environment, Counts: run.Counts,
	}
	if run.Plan != nil {
		var parts []string
		if run.Plan.Shard != "" {
			parts = append(parts, "shard "+run.Plan.Shard)
		}
		if run.Plan.Selection != "" {
			parts = append(parts, run.Plan.Selection)
		}
		info.Part = strings.Join(parts, ", ")
	}
	return info
}

func refOf(run *results.Run) RunRef {
	return RunRef{ID: run.ID, StartedAt: run.StartedAt, Commit: run.Environment.Commit}
}

// OutcomeOf is what came of one repetition of a program.
func OutcomeOf(run *results.Run, p *results.Program) Outcome {
	o := Outcome{
		Run: refOf(run), Environment: &run.Environment, Tool: &run.Tool, Path: p.Path, Repeat: p.Repeat,
		Status: p.Status, Excused: p.Excused(), Reason: p.Reason, SHA256: p.SHA256, CodeSHA256: p.CodeSHA256,
	}
	if final := p.Final(); final != nil {
		o.DurationMS = final.DurationMS
		if final.Session != nil {
			o.Isolation = final.Session.Isolation
		}
	}
	return o
}

// combine is the outcome of two repetitions.
func combine(a, b Current) Current {
	counts := a
	if worse(b.Outcome, a.Outcome) {
		counts = b
	}
	counts.Outcome = Combine(a.Outcome, b.Outcome)
	return counts
}

// Combine is the outcome of two repetitions of a program in one run: the worse
// one, mixed where some passed and others failed.
func Combine(a, b Outcome) Outcome {
	counts := a
	if worse(b, a) {
		counts = b
	}
	counts.Mixed = a.Mixed || b.Mixed || good(a) && b.failed() || a.failed() && good(b)
	return counts
}

// worse says whether the outcome of one repetition counts rather than another's.
func worse(o, than Outcome) bool {
	return results.Worst(o.Status, than.Status) == o.Status && o.Status != than.Status
}

// failed says whether the program itself failed, excused or not.
func (o Outcome) failed() bool { return o.Status == results.Failed || o.Excused }

// Good says whether the outcome shows that the program works.
func (o Outcome) Good() bool { return good(o) }

func good(o Outcome) bool { return o.Status == results.Passed || o.Status == results.Flaky }

// failing says whether the outcome counts as a failure.
func failing(o Outcome) bool { return o.Status == results.Failed || o.Status == results.Invalid }

// bad says whether a state is that of a failing program.
func bad(state results.Status) bool { return state == results.Failed || state == results.Invalid }

// state is what the outcome says of the program, "" for nothing.
func (o Outcome) state() results.Status {
	switch {
	case o.Excused:
		return results.Failed
	case good(o), failing(o):
		return o.Status
	}
	return ""
}

// StepsOf are the outcomes of the steps of the program's deciding attempt.
func StepsOf(p *results.Program) []StepOutcome {
	final := p.Final()
	if final == nil {
		return nil
	}
	steps := make([]StepOutcome, 0, len(final.Steps))
	for i := range final.Steps {
		s := &final.Steps[i]
		o := StepOutcome{
			StepRef: StepRef{ID: s.ID, Index: s.Index, Line: s.Line, Summary: s.Summary},
			Status:  s.Status, DurationMS: s.Timing.TotalMS, ActedBy: s.ActedBy,
		}
		if s.Resolution != nil {
			o.Target = s.Resolution.Means
		}
		if pc := s.Postcondition; pc != nil && pc.Met {
			o.Held = pc.Means
		}
		steps = append(steps, o)
	}
	return steps
}

// faultOf is the step that ended the program, nil where none did, and the name
// of its screenshot, "" for none.
func faultOf(p *results.Program) (fault *StepRef, screenshot string) {
	final := p.Final()
	if final == nil {
		return nil, ""
	}
	i := slices.IndexFunc(final.Steps, func(s results.Step) bool {
		return s.Status == results.StepFailed || s.Status == results.StepBroken
	})
	if i < 0 {
		return nil, ""
	}
	s := &final.Steps[i]
	for _, a := range s.Artifacts {
		if a.Kind == "screenshot" {
			screenshot = a.Name
		}
	}
	return &StepRef{ID: s.ID, Index: s.Index, Line: s.Line, Summary: s.Summary}, screenshot
}

// ShortName is a program's name for people: its path without the learned
// folder and its ending.
func ShortName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, ".opendesk/learned/"), ".program.json")
}
