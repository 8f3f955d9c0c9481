package runner

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/step"
)

// suggestTimeout bounds what is asked of apps for a suggestion.
const suggestTimeout = 5 * time.Second

// suggest gives the command line that makes the step look for the closest
// element instead of what it missed, "" where there is none to suggest.
func (r *run) suggest(ctx context.Context, s program.Step, kind results.FailureKind, err error) string {
	ctx, cancel := context.WithTimeout(ctx, suggestTimeout)
	defer cancel()
	var acted *step.Error
	var unmet *notMet
	replacement := program.Replacement{Project: r.Project}
	ok := false
	switch {
	case len(s.Variables()) > 0: // a command line would have their values
	case errors.As(err, &acted) && kind == results.MenuItemNotFound:
		top := len(s.MenuPath()) > 0 && s.MenuPath()[0] == acted.Target.Title
		replacement.Place, replacement.Missed = program.InMenu, acted.Target
		replacement.Found.Title, ok = r.finder.SuggestEntry(ctx, acted.Miss, acted.Target, top)
	case errors.As(err, &acted) && kind == results.TargetNotFound:
		replacement.Place, replacement.Missed = program.InTarget, acted.Target
		replacement.Found, ok = r.finder.Suggest(ctx, acted.Miss, acted.Target)
	case errors.As(err, &unmet) && kind == results.PostconditionNotMet && unmet.cond.Element != nil:
		replacement.Place, replacement.Missed = program.InPostcondition, *unmet.cond.Element
		replacement.Found, ok = r.finder.Suggest(ctx, unmet.seen.Miss, *unmet.cond.Element)
	}
	if !ok {
		return ""
	}
	return program.PatchCommand(r.Program.Path, s, replacement)
}
