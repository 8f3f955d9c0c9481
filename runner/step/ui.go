package step

import (
	"context"
	"errors"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
)

func uiClick(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	found, err := env.find(ctx, s, resolve.ForAction, out)
	if err != nil {
		return err
	}
	if found.Means == results.MeansApp {
		out.ActedBy = "pointer"
		return env.clickAt(ctx, found.Element, desktop.Left, 1)
	}
	return env.press(ctx, found.Element, out)
}

// press does what a click on the element means: its native action, else a
// click with the pointer.
func (env *Env) press(ctx context.Context, e *desktop.Element, out *Outcome) error {
	if desktop.Clickable(e.Role) {
		err := env.Desktop.Act(ctx, e, desktop.Press)
		var none *desktop.NoActionError
		var unanswered *desktop.UnansweredError
		switch {
		case err == nil:
			out.ActedBy = "native"
			return nil
		case errors.As(err, &unanswered):
			out.ActedBy = "native"
			out.notef("%v: a dialog may be open, the check decides", err)
			return nil
		case errors.As(err, &none):
			// Nothing native to do: the pointer is the normal means.
		case environmental(err):
			return err
		default:
			out.Weak = append(out.Weak, "the native action was refused and the pointer served")
			out.notef("the native action was refused (%v): clicked with the pointer", err)
		}
	}
	if err := env.Desktop.ScrollTo(ctx, e); environmental(err) {
		return err
	}
	out.ActedBy = "pointer"
	return env.clickAt(ctx, e, desktop.Left, 1)
}

func uiGetValue(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	found, err := env.find(ctx, s, resolve.ForExistence, out)
	if err != nil {
		return err
	}
	e := found.Element
	if err := env.Desktop.Fill(ctx, []*desktop.Element{e}, desktop.NeedText); err != nil {
		return err
	}
	for _, v := range []string{e.Value, e.Text, e.Name} {
		if v != "" && !e.States.Has(desktop.Password) {
			out.Value = v
			break
		}
	}
	return nil
}
