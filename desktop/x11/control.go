package x11

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// raiseTime bounds Raise where ctx has no deadline.
const raiseTime = 5 * time.Second

// lookAgain is how often a wait looks even without any event.
const lookAgain = 100 * time.Millisecond

// Raise brings the window to the front, out of the task bar if need be, gives
// it the focus and returns when it has it. *desktop.GoneError where the window
// does not exist; an error that says so where it did not become active.
func (d *Display) Raise(ctx context.Context, id uint32) error {
	ctx, cancel := context.WithTimeoutCause(ctx, raiseTime, fmt.Errorf("window 0x%x did not become active within %v", id, raiseTime))
	defer cancel()
	w := xproto.Window(id)
	changes, stop := d.listen()
	defer stop()
	_, err := xconn.Do(ctx, d.conn, "raising a window", func() (struct{}, error) {
		return struct{}{}, d.raise(w)
	})
	if err != nil {
		return lost(err, id)
	}
	return d.wait(ctx, changes, "waiting for a window to become active", func() (bool, error) {
		active, err := d.active()
		if err != nil {
			return false, err
		}
		if active != w {
			_, err = xproto.GetWindowAttributes(d.conn.X, w).Reply()
			return false, lost(err, id)
		}
		shown, err := d.describe([]xproto.Window{w}, active) // it may be active and not yet out of the task bar
		return len(shown) == 1 && !shown[0].Minimised, err
	})
}

func (d *Display) raise(w xproto.Window) error {
	x := d.conn.X
	a, err := xproto.GetWindowAttributes(x, w).Reply()
	if err != nil {
		return err
	}
	if a.MapState != xproto.MapStateViewable {
		xproto.MapWindow(x, w)
	}
	if d.supporting() != 0 {
		const fromPager = 2 // not a request of the application's own
		d.tellWM(w, "_NET_ACTIVE_WINDOW", fromPager, xproto.TimeCurrentTime)
		return nil
	}
	xproto.ConfigureWindow(x, w, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
	return xproto.SetInputFocusChecked(x, xproto.InputFocusParent, w, xproto.TimeCurrentTime).Check()
}

// wait returns when holds does, which is asked after every change.
func (d *Display) wait(ctx context.Context, changes <-chan struct{}, what string, holds func() (bool, error)) error {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		ok, err := xconn.Do(ctx, d.conn, what, holds)
		if ok || err != nil {
			return err
		}
		select {
		case <-changes:
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
	}
}

// CloseWindow asks the window to close, as its close button does. It does not
// wait: the application may ask back. *desktop.GoneError where the window does
// not exist.
func (d *Display) CloseWindow(ctx context.Context, id uint32) error {
	w := xproto.Window(id)
	_, err := xconn.Do(ctx, d.conn, "closing a window", func() (struct{}, error) {
		protocols, err := xproto.GetProperty(d.conn.X, false, w, d.conn.Known("WM_PROTOCOLS"),
			xproto.AtomAtom, 0, maxProperty).Reply()
		if err != nil {
			return struct{}{}, err
		}
		takes := slices.Contains(cardinals(protocols, nil), uint32(d.conn.Known("WM_DELETE_WINDOW")))
		switch {
		case takes:
			d.send(w, w, "WM_PROTOCOLS", xproto.EventMaskNoEvent,
				uint32(d.conn.Known("WM_DELETE_WINDOW")), xproto.TimeCurrentTime)
		case d.supporting() != 0:
			d.tellWM(w, "_NET_CLOSE_WINDOW", xproto.TimeCurrentTime, 2)
		default:
			return struct{}{}, fmt.Errorf("window 0x%x cannot be asked to close (no WM_DELETE_WINDOW)", id)
		}
		return struct{}{}, d.roundTrip()
	})
	return lost(err, id)
}

func (d *Display) roundTrip() error {
	_, err := xproto.GetInputFocus(d.conn.X).Reply()
	return err
}

// lost turns X's "no such window" into a *desktop.GoneError.
func lost(err error, id uint32) error {
	if err != nil && gone(err) {
		return &desktop.GoneError{What: fmt.Sprintf("window 0x%x", id)}
	}
	return err
}
