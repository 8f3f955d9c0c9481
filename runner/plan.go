package runner

import (
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/check"
)

// Selected are the program's steps without those that are left out: all but
// the one whose id is only, or all before the one whose id is startAt; "" leaves
// out none.
func Selected(p *program.Program, only, startAt string) []program.Step {
	for i, s := range p.Steps {
		switch s.ID {
		case "":
		case only:
			return p.Steps[i : i+1]
		case startAt:
			return p.Steps[i:]
		}
	}
	if only+startAt != "" {
		return nil
	}
	return p.Steps
}

// Plan is the steps as results show them before anything ran: all of them
// blocked.
func Plan(selected []program.Step, scale float64) []results.Step {
	steps := make([]results.Step, 0, len(selected))
	for _, s := range selected {
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
