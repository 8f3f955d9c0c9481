package compare

import (
	"io"

	"github.com/opendesk/opendesk/results"
)

// Run is what of a run there is to compare.
type Run struct {
	info     RunInfo
	outcomes []Current // repetitions in one, in the order in which programs first occur
}

// Of is what there is to compare of results that are at hand.
func Of(run *results.Run) *Run {
	r := &Run{info: InfoOf(run), outcomes: make([]Current, 0, len(run.Programs))}
	places := map[string]int{}
	for i := range run.Programs {
		p := &run.Programs[i]
		r.add(places, Current{Outcome: OutcomeOf(run, p), File: p.File, Quarantine: p.Quarantine, program: p})
	}
	return r
}

// Read reads results as results.json has them, for comparing only: of a run of
// very many programs it has a fourth in memory. Errors are those of results.Read.
func Read(from io.Reader) (*Run, error) {
	r := &Run{}
	places := map[string]int{}
	run, err := results.ReadEach(from, func(p *results.Program) bool {
		one := Current{Outcome: OutcomeOf(&results.Run{}, p), File: p.File, Quarantine: p.Quarantine, steps: StepsOf(p)}
		one.fault, one.screenshot = faultOf(p)
		r.add(places, one)
		return false
	})
	if err != nil {
		return nil, err
	}
	r.info = InfoOf(run)
	for i := range r.outcomes {
		o := &r.outcomes[i]
		o.Run, o.Environment, o.Tool = refOf(run), &run.Environment, &run.Tool
	}
	return r, nil
}

// add adds what came of one repetition of a program.
func (r *Run) add(places map[string]int, one Current) {
	if at, known := places[one.Path]; known {
		r.outcomes[at] = combine(r.outcomes[at], one)
		return
	}
	places[one.Path] = len(r.outcomes)
	r.outcomes = append(r.outcomes, one)
}

// Info is the run without its programs.
func (r *Run) Info() RunInfo { return r.info }

// Outcomes is what came of each program, repetitions in one, in the order in
// which programs first occur.
func (r *Run) Outcomes() []Current { return r.outcomes }

// Current is what came of a program in a run that is at hand.
type Current struct {
	Outcome
	// File is the program's file for annotations.
	File string
	// Quarantine is what excuses it, nil for nothing.
	Quarantine *results.Quarantine

	program *results.Program // the repetition that counts; nil where it is not at hand any more
	// What is left of it then.
	steps      []StepOutcome
	fault      *StepRef
	screenshot string
}

// stepsOf are the outcomes of the steps of the deciding attempt.
func (c *Current) stepsOf() []StepOutcome {
	if c.program != nil {
		return StepsOf(c.program)
	}
	return c.steps
}

// faultOf is the step that ended the program and its screenshot.
func (c *Current) faultOf() (*StepRef, string) {
	if c.program != nil {
		return faultOf(c.program)
	}
	return c.fault, c.screenshot
}
