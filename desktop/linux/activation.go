//go:build linux

package linux

import (
	"context"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// gtk4Activation is how long GTK 4 shows a button pressed that was activated
// by other means than the pointer, before it does what the button does (250 ms
// there). Meanwhile another activation of the button is accepted and lost,
// and keys overtake it.
const gtk4Activation = 260 * time.Millisecond

// carriedOut waits until the application has done what it was asked for,
// where it answers before that.
func (d *Desktop) carriedOut(ctx context.Context, e *desktop.Element, action desktop.ActionKind) error {
	if action != desktop.Press || !desktop.SameRole(e.Role, "button") || !isGTK4(d.bus.AppOf(e)) {
		return nil
	}
	timer := time.NewTimer(gtk4Activation)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	// On a busy machine its time comes later than the clock says. What answers
	// now has its time behind it before it reads anything that is sent later.
	// Whether it answers at all is for the next call to find out.
	_, _ = d.bus.Extents(ctx, []*desktop.Element{e}, true)
	return ctx.Err()
}
