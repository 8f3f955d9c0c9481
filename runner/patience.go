package runner

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/runner/wait"
)

// hungTime is how long an application may be silent until it hangs: as long as
// a target is looked for where the program says nothing.
const hungTime = 5 * time.Second

// patient asks an application again that was silent. The deadline of a single
// call is short, so that one application costs no other anything; an application
// that is busy for a second, or on a machine that is, must not fail a step by
// it. One that was silent for hungTime is not waited for again until it answers.
type patient struct {
	desktop.Desktop
	scale  float64
	silent map[string]bool // by the name in the errors
}

func newPatient(d desktop.Desktop, scale float64) *patient {
	return &patient{Desktop: d, scale: scale, silent: map[string]bool{}}
}

// ask calls until the application answers, or hangs.
func (p *patient) ask(ctx context.Context, call func() error) error {
	limit := time.Duration(float64(hungTime) * p.scale)
	var err error
	var hung *desktop.HungError
	answered, _, ended := wait.Until(ctx, p.Desktop.Changes(), limit, func(context.Context) (bool, error) {
		err = call()
		return !errors.As(err, &hung) || p.silent[hung.Name], nil
	})
	switch {
	case ended != nil:
		return ended
	case err == nil:
		clear(p.silent)
	case !answered:
		p.silent[hung.Name] = true
		return &desktop.HungError{Name: hung.Name, After: max(limit, hung.After)}
	}
	return err
}

// Fill implements desktop.Trees.
func (p *patient) Fill(ctx context.Context, elements []*desktop.Element, need desktop.Need) error {
	return p.ask(ctx, func() error { return p.Desktop.Fill(ctx, elements, need) })
}

// SetFocus implements desktop.Trees.
func (p *patient) SetFocus(ctx context.Context, e *desktop.Element) error {
	return p.ask(ctx, func() error { return p.Desktop.SetFocus(ctx, e) })
}

// ScrollTo implements desktop.Trees.
func (p *patient) ScrollTo(ctx context.Context, e *desktop.Element) error {
	return p.ask(ctx, func() error { return p.Desktop.ScrollTo(ctx, e) })
}

// FocusedElement implements desktop.Trees.
func (p *patient) FocusedElement(ctx context.Context, need desktop.Need) (e *desktop.Element, err error) {
	err = p.ask(ctx, func() error {
		e, err = p.Desktop.FocusedElement(ctx, need)
		return err
	})
	return e, err
}

// HasFocusedElement implements desktop.Trees.
func (p *patient) HasFocusedElement(ctx context.Context) (has bool, err error) {
	err = p.ask(ctx, func() error {
		has, err = p.Desktop.HasFocusedElement(ctx)
		return err
	})
	return has, err
}

// HitTest implements desktop.Trees.
func (p *patient) HitTest(ctx context.Context, e *desktop.Element, at desktop.Point) (hit *desktop.Element, err error) {
	err = p.ask(ctx, func() error {
		hit, err = p.Desktop.HitTest(ctx, e, at)
		return err
	})
	return hit, err
}
