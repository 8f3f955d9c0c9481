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
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
