package runner

import (
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/check"
)

// Plan is the program's steps as results show them before anything ran: all
// of them blocked.
func Plan(p *program.Program, scale float64) []results.Step {
	steps := make([]results.Step, 0, len(p.Steps))
	for _, s := range p.Steps {
		steps = append(steps, plan(s, scale))
	}
	return steps
}

func plan(s program.Step, scale float64) results.Step {
	planned := results.Step{
		ID: s.ID, Index: s.Index, Line: s.Line, Column: s.Column,
		Tool: s.Tool, Action: s.Action, Summary: s.Summary(), Note: s.Note, Status: results.StepBlocked,
	}
	if s.Postcondition != nil {
		cond := check.Of(s)
		planned.Postcondition = &results.PostconditionResult{
			Kind: string(cond.Kind), Value: cond.Text(),
			TimeoutMS: scaled(cond.Timeout, scale).Milliseconds(),
		}
	}
	return planned
}

func scaled(d time.Duration, scale float64) time.Duration {
	return time.Duration(float64(d) * scale)
}
