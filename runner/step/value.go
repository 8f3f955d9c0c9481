package step

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/resolve"
)

// uiGetValue reads the target's value, else its text, else its name.
func uiGetValue(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	e, err := env.readable(ctx, s, out)
	if err != nil {
		return err
	}
	if e.States.Has(desktop.Password) {
		out.notef("what is in a password field is not recorded")
		return nil
	}
	for _, v := range []string{e.Value, e.Text, e.Name} {
		if v != "" {
			out.Value = v
			break
		}
	}
	return nil
}

// readable is the target with its value and text. An element that goes away
// while it is read is looked up anew, once.
func (env *Env) readable(ctx context.Context, s program.Step, out *Outcome) (*desktop.Element, error) {
	for range 2 {
		found, err := env.find(ctx, s, resolve.ForExistence, out)
		if err != nil {
			return nil, err
		}
		e := found.Element
		if err := env.Desktop.Fill(ctx, []*desktop.Element{e}, desktop.NeedText); err != nil {
			return nil, err
		}
		if !e.Gone {
			return e, nil
		}
	}
	return nil, refused("the element went away while it was read")
}
