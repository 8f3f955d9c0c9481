package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opendesk/opendesk/results"
)

// did is what --json prints of a step.
type did struct {
	// Status is passed, failed or broken.
	Status string `json:"status"`
	// Reason is why it did not pass.
	Reason  string `json:"reason,omitempty"`
	Summary string `json:"summary,omitempty"`
	Value   string `json:"value,omitempty"`
	// Notes say more, of a step that passed as well.
	Notes []string `json:"notes,omitempty"`
	// Log is the audit log.
	Log  string        `json:"log"`
	Step *results.Step `json:"step,omitempty"`
}

// tell says what came of a step, and gives the exit code.
func (at *place) tell(ctx context.Context, d *done, err error) error {
	if ctx.Err() != nil {
		return &exit{results.ExitInterrupted, errors.New("interrupted: the step may have been done")}
	}
	if err == nil && d != nil {
		err = d.unkept
	}
	if d == nil {
		return &exit{exitInternal, err}
	}
	code, out := d.verdict()
	out.Log = at.log
	if at.options.json {
		if printed := printJSON(at.st, out); printed != nil {
			return &exit{exitInternal, printed}
		}
	} else {
		at.print(out)
	}
	if err != nil {
		return &exit{exitInternal, err}
	}
	if code != 0 {
		return &exit{code: code}
	}
	return nil
}

// verdict is what came of a step, and its exit code.
func (d *done) verdict() (code int, out did) {
	out.Step = d.step
	if s := d.step; s != nil {
		out.Status, out.Summary, out.Value, out.Notes = string(s.Status), s.Summary, s.Value, slices.Clone(s.Notes)
		for _, line := range s.Explain() {
			if line.Label != "repair" {
				out.Notes = append(out.Notes, line.Label+": "+line.Text)
			}
		}
		if s.Postcondition != nil && s.Postcondition.Vacuous {
			out.Notes = append(out.Notes, "what was expected held before the step already: it proves nothing")
		}
		if s.Failure != nil {
			out.Reason = s.Failure.Reason
		}
	}
	switch {
	case d.fault != nil:
		out.Status, out.Reason = string(results.StepBroken), d.fault.Reason
		for _, line := range d.fault.Explain() {
			out.Notes = append(out.Notes, line.Label+": "+line.Text)
		}
		return exitInternal, out
	case d.step == nil:
		out.Status, out.Reason = string(results.StepBroken), "the worker told nothing of the step"
		return exitInternal, out
	case d.step.Status == results.StepPassed:
		return 0, out
	case d.step.Status == results.StepFailed:
		return exitFailed, out
	}
	return exitInternal, out
}

// print prints one line, and more of what did not pass.
func (at *place) print(out did) {
	line := said(out.Summary) + ": " + out.Status
	if out.Summary == "" {
		line = out.Status
	}
	if out.Reason != "" {
		line += ": " + said(out.Reason)
	}
	if out.Value != "" {
		line += fmt.Sprintf(": %q", out.Value)
	}
	fmt.Fprintln(at.st.Stdout, line)
	for _, note := range out.Notes {
		fmt.Fprintf(at.st.Stdout, "  %s\n", said(note))
	}
}
