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

// How long putting back waits: for windows of processes that have just ended,
// for those that are asked to close, and for the window manager to follow.
const (
	endedTime  = 300 * time.Millisecond
	closeLimit = 3 * time.Second
	followTime = 3 * time.Second
)

// closeNew asks the windows to close that were not there.
func (d *Display) closeNew(ctx context.Context, was *DisplayState) error {
	left, err := d.awaitNoNew(ctx, was, endedTime)
	if err != nil || len(left) == 0 {
		return err
	}
	for _, w := range left {
		_ = d.CloseWindow(ctx, w.ID) // that it did not close shows below
	}
	left, err = d.awaitNoNew(ctx, was, closeLimit)
	if err != nil || len(left) == 0 {
		return err
	}
	return fmt.Errorf("window '%s' of %s, which the run opened, did not close", left[0].Title, left[0].App.Display())
}

// awaitNoNew waits for windows that were not there to go, and gives those left.
func (d *Display) awaitNoNew(ctx context.Context, was *DisplayState, limit time.Duration) (left []Window, err error) {
	changes, stop := d.listen()
	defer stop()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		windows, err := d.AllWindows(ctx)
		if err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(windows, func(w Window) bool {
			return !closable(w) || slices.ContainsFunc(was.Windows, func(k WindowState) bool { return k.ID == w.ID })
		})
		if len(left) == 0 {
			return nil, nil
		}
		select {
		case <-changes:
		case <-timer.C:
			return left, nil
		case <-ctx.Done():
			return left, context.Cause(ctx)
		}
	}
}

// putBackWindows gives the windows their places, their order and the focus, and
// the pointer its place. What a window manager makes of that is looked at again.
func (d *Display) putBackWindows(ctx context.Context, was *DisplayState) error {
	limit := time.NewTimer(followTime)
	defer limit.Stop()
	moves := moves{}
	for {
		now, err := d.remember(ctx)
		if err != nil {
			return err
		}
		differs := d.differences(was, now, moves)
		if len(differs) == 0 {
			return nil
		}
		for _, difference := range differs {
			if err := difference.mend(ctx); err != nil && !gone(err) {
				return err
			}
		}
		select {
		case <-time.After(lookAgain):
		case <-limit.C:
			return fmt.Errorf("%s could not be put back", differs[0].what)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// difference is something that is not as it was.
type difference struct {
	what string
	mend func(context.Context) error
}

// differences are what is to be mended now: the order of windows only once
// nothing else changes it any more.
func (d *Display) differences(was, now *DisplayState, moves moves) (list []difference) {
	add := func(what string, mend func() error) {
		list = append(list, difference{what, func(ctx context.Context) error {
			_, err := xconn.Do(ctx, d.conn, "putting "+what+" back", func() (struct{}, error) { return struct{}{}, mend() })
			return err
		}})
	}
	if was.Workspace >= 0 && now.Workspace != was.Workspace {
		add("the workspace", func() error {
			d.tellWM(d.conn.Root, "_NET_CURRENT_DESKTOP", uint32(was.Workspace), xproto.TimeCurrentTime)
			return d.roundTrip()
		})
	}
	for _, w := range now.Windows {
		i := slices.IndexFunc(was.Windows, func(k WindowState) bool { return k.ID == w.ID })
		if i < 0 {
			continue
		}
		before := was.Windows[i]
		if w.Minimised != before.Minimised || !slices.Equal(w.States, before.States) || !w.Minimised && w.Bounds != before.Bounds {
			add(fmt.Sprintf("window 0x%x", w.ID), func() error { return d.putBackWindow(before, w, moves) })
		}
	}
	if now.Pointer != was.Pointer {
		add("the pointer", func() error {
			return xproto.WarpPointerChecked(d.conn.X, 0, d.conn.Root, 0, 0, 0, 0, int16(was.Pointer.X), int16(was.Pointer.Y)).Check()
		})
	}
	there := slices.ContainsFunc(now.Windows, func(w WindowState) bool { return w.ID == was.Focused })
	if there && now.Focused != was.Focused {
		add("the focus", func() error { return d.raise(xproto.Window(was.Focused)) })
	}
	if order := order(was, now); len(list) == 0 && !slices.Equal(order, inFront(now, order)) {
		add("the order of windows", func() error { return d.restack(order) })
	}
	return list
}

// order is the order that the windows on the screen had, front first, as far as
// they are still there.
func order(was, now *DisplayState) (ids []uint32) {
	for _, w := range was.Windows {
		if !w.Minimised && slices.ContainsFunc(now.Windows, func(k WindowState) bool { return k.ID == w.ID && !k.Minimised }) {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// inFront are those of the windows, in the order that they have.
func inFront(now *DisplayState, of []uint32) (ids []uint32) {
	for _, w := range now.Windows {
		if slices.Contains(of, w.ID) {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// restack raises the windows, the last one in front first.
func (d *Display) restack(order []uint32) error {
	for _, id := range slices.Backward(order) {
		xproto.ConfigureWindow(d.conn.X, xproto.Window(id), xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
	}
	return d.roundTrip()
}

// moves are how far from the places that they were asked to be at window
// managers have put windows: some count the frame's border, some do not.
type moves map[uint32]*move

type move struct {
	seen  desktop.Rect // when it was looked at last
	asked bool         // since it is there
	off   desktop.Point
}

// ask is where to ask for a window that is at now, so that it gets to was; ok is
// false while it moves: window managers show how windows get small and large.
func (m moves) ask(id uint32, was, now desktop.Rect) (at desktop.Rect, ok bool) {
	last := m[id]
	if last == nil || last.seen != now {
		moved := &move{seen: now}
		if last != nil && last.asked { // it has followed
			moved.off = desktop.Point{X: last.off.X + was.X - now.X, Y: last.off.Y + was.Y - now.Y}
		}
		m[id] = moved
		return was, false
	}
	last.asked = true
	was.X += last.off.X
	was.Y += last.off.Y
	return was, true
}

// putBackWindow gives a window its states and its place back.
func (d *Display) putBackWindow(was, now WindowState, moves moves) error {
	w := xproto.Window(now.ID)
	const iconic, remove, add, fromPager = 3, 0, 1, 2
	switch {
	case was.Minimised && !now.Minimised:
		d.tellWM(w, "WM_CHANGE_STATE", iconic)
		return d.roundTrip()
	case now.Minimised && !was.Minimised:
		return xproto.MapWindowChecked(d.conn.X, w).Check()
	}
	for _, state := range windowStates {
		had, has := slices.Contains(was.States, state), slices.Contains(now.States, state)
		switch {
		case had && !has:
			d.tellWM(w, "_NET_WM_STATE", add, uint32(d.conn.Known(state)), 0, fromPager)
		case has && !had:
			d.tellWM(w, "_NET_WM_STATE", remove, uint32(d.conn.Known(state)), 0, fromPager)
		}
	}
	if was.Bounds == now.Bounds {
		return d.roundTrip()
	}
	const staticGravity, everything = 10, 0xf << 8
	b, ok := moves.ask(now.ID, was.Bounds, now.Bounds)
	if !ok {
		return d.roundTrip()
	}
	if d.supporting() == 0 {
		return xproto.ConfigureWindowChecked(d.conn.X, w,
			xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight,
			[]uint32{uint32(b.X), uint32(b.Y), uint32(b.Width), uint32(b.Height)}).Check()
	}
	d.tellWM(w, "_NET_MOVERESIZE_WINDOW", staticGravity|everything|fromPager<<12,
		uint32(b.X), uint32(b.Y), uint32(b.Width), uint32(b.Height))
	return d.roundTrip()
}
