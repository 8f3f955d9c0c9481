package step

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/wait"
)

func uiClick(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	return env.onTarget(ctx, s, resolve.ForAction, out, func(found *resolve.Found) error {
		if found.Means == results.MeansApp {
			out.ActedBy = "pointer"
			return env.clickAt(ctx, found.Element, desktop.Left, 1)
		}
		return env.press(ctx, found.Element, out)
	})
}

// onTarget looks the step's target up and acts on it. Where the pointer cannot
// reach it or it went away before anything was done, it is looked up again, for
// as long as a target is looked for.
func (env *Env) onTarget(ctx context.Context, s program.Step, use resolve.Use, out *Outcome,
	act func(*resolve.Found) error) error {
	timeout := env.scaled(s.ResolveTimeout)
	deadline := time.Now().Add(timeout)
	var last error // why it could not be acted on when it was last found
	for {
		if last != nil {
			timeout = max(0, time.Until(deadline))
		}
		found, err := env.findTarget(ctx, *s.Target, timeout, use, out)
		var missing *Error
		if errors.As(err, &missing) && last != nil {
			return last
		}
		if err != nil {
			return err
		}
		err = act(found)
		left := time.Until(deadline)
		if !errors.Is(err, errUnreached) || left <= 0 {
			return err
		}
		last = err
		if err := wait.Change(ctx, env.Desktop.Changes(), min(wait.Floor, left)); err != nil {
			return err
		}
	}
}

// press does what a click on the element means, by the means that its toolkit
// calls for (see policy) and by the other one where that cannot be had.
func (env *Env) press(ctx context.Context, e *desktop.Element, out *Outcome) error {
	how := meansFor(e)
	if how == byAction {
		done, err := env.pressNatively(ctx, e, out)
		if done || err != nil {
			return err
		}
		out.ActedBy = "pointer"
		return env.clickAt(ctx, e, desktop.Left, 1)
	}
	at, sure, unreachable := env.reach(ctx, e)
	if unreachable == nil && (sure || how != bySurePointer) {
		out.ActedBy = "pointer"
		if opensPopup(e) {
			return env.clickMenu(ctx, e, at)
		}
		return env.clickPoint(ctx, e, at, desktop.Left, 1)
	}
	switch {
	case unreachable == nil:
	case !errors.Is(unreachable, errUnreached), e.Gone, how == byPointerAlone,
		how == byPointer && errors.Is(unreachable, errCovered):
		return unreachable
	}
	done, err := env.pressNatively(ctx, e, out)
	switch {
	case done && unreachable != nil:
		out.notef("by its native action, not by the pointer: %v", unreachable)
		return nil
	case done || err != nil:
		return err
	case unreachable != nil:
		return unreachable
	}
	out.ActedBy = "pointer"
	return env.clickPoint(ctx, e, at, desktop.Left, 1)
}

// pressNatively performs the element's native action. done is false where it
// has none, or refuses it.
func (env *Env) pressNatively(ctx context.Context, e *desktop.Element, out *Outcome) (done bool, err error) {
	err = env.Desktop.Act(ctx, e, desktop.Press)
	var (
		none       *desktop.NoActionError
		unanswered *desktop.UnansweredError
		gone       *desktop.GoneError
		refused    *desktop.RefusedError
	)
	switch {
	case err == nil:
		out.ActedBy = "native"
		return true, nil
	case errors.As(err, &unanswered):
		out.ActedBy = "native"
		out.notef("%v: a dialog may be open, the check decides", err)
		return true, nil
	case errors.As(err, &none):
		return false, nil
	case errors.As(err, &gone):
		return false, env.goneBefore(ctx, e, err)
	case environmental(err), errors.As(err, &refused):
		return false, err
	}
	out.Weak = append(out.Weak, "the native action was refused and the pointer served")
	out.notef("the native action was refused (%v): clicked with the pointer", err)
	return false, nil
}

// goneBefore tells an element that was replaced between look-up and action from
// an application that ended.
func (env *Env) goneBefore(ctx context.Context, e *desktop.Element, gone error) error {
	snap, err := env.Desktop.Snapshot(ctx, "", 0)
	if err != nil {
		return err
	}
	for _, app := range snap.Apps {
		if e.App != nil && app.Info.PID == e.App.PID && app.Info.PID != 0 {
			return unreached(e, "went away")
		}
	}
	return gone
}
