package runner

import (
	"context"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/runner/check"
)

// holdsAlready tells whether the step's condition holds before its action, by
// the tree alone. What cannot be looked at does not hold. Where what was done
// before can still be at work, the answer would differ from run to run, and
// none is given.
func (r *run) holdsAlready(ctx context.Context, s program.Step) bool {
	if !r.settled(s) {
		return false
	}
	seen, err := r.checker.Look(ctx, check.Of(s))
	return err == nil && seen.Met
}

// settled tells whether the effect that the step's condition is about has been
// waited for: the last step that acted has a postcondition of its own, or it
// brought an app to the front and the condition asks for no more.
func (r *run) settled(s program.Step) bool {
	for i := s.Index - 1; i >= 0; i-- {
		before := r.Program.Steps[i]
		switch {
		case before.Postcondition != nil && !before.Postcondition.Kind.OfScript(): // that is not about the screen
			return true
		case acts(before):
			return before.Tool == "app" && s.Postcondition.Kind == program.AppFrontmost
		}
	}
	return true
}

// acts tells whether the step changes anything.
func acts(s program.Step) bool {
	tool, known := tools.Lookup(s.Tool)
	if !known || s.Tool == "wait" {
		return false
	}
	action, known := tool.Action(s.Action)
	return known && action.Effect == tools.Acts
}
