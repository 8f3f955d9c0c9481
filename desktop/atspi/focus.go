package atspi

import (
	"context"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// What the errors of SetFocus and ScrollTo call the missing action.
const (
	actionFocus  desktop.ActionKind = "focus"
	actionScroll desktop.ActionKind = "scroll_to"
)

// scrollAnywhere asks for the least scrolling that shows the element.
const scrollAnywhere = uint32(6)

// SetFocus gives the element the keyboard focus. *desktop.NoActionError where
// the toolkit cannot or the element does not take it.
func (b *Bus) SetFocus(ctx context.Context, e *desktop.Element) error {
	return b.component(ctx, e, actionFocus, "org.a11y.atspi.Component.GrabFocus")
}

// ScrollTo brings the element into view. *desktop.NoActionError where the
// toolkit cannot.
func (b *Bus) ScrollTo(ctx context.Context, e *desktop.Element) error {
	return b.component(ctx, e, actionScroll, "org.a11y.atspi.Component.ScrollTo", scrollAnywhere)
}

func (b *Bus) component(ctx context.Context, e *desktop.Element, kind desktop.ActionKind, method string, args ...any) error {
	h, ok := handleOf(e)
	if !ok {
		return &desktop.NoActionError{Action: kind}
	}
	start := time.Now()
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: h.dest, path: h.path, method: method, args: args})
	switch {
	case refused(err):
		return b.noAction(ctx, e, kind)
	case err != nil:
		return b.fault(ctx, *h.app, err, time.Since(start))
	}
	if did, _ := first(body).(bool); !did {
		return &desktop.NoActionError{Action: kind}
	}
	return nil
}

// HasFocus reports whether FocusedElement would find one. The object that was
// last heard to have the focus is asked whether it still has; only where it
// has not, the whole tree is looked at.
func (b *Bus) HasFocus(ctx context.Context, app App) (bool, error) {
	start := time.Now()
	if r, known := b.changes.focusedOf(app.BusName); known {
		body, err := callOne(ctx, b.conn, b.timeout, request{dest: r.dest, path: r.path, method: accessible + ".GetState"})
		if err != nil && !refused(err) {
			return false, b.fault(ctx, app, err, time.Since(start))
		}
		if s := parseStates(first(body)).desktop(); err == nil && s.Has(desktop.Focused) && !s.Has(desktop.Defunct) {
			return true, nil
		}
	}
	e, err := b.FocusedElement(ctx, app, 0)
	if h, ok := handleOf(e); ok {
		b.changes.focus(h.ref)
	}
	return e != nil, err
}

// FocusedElement is the application's element that has the keyboard focus,
// filled with need; nil where none says so. Where several do, the one in the
// active window counts, and of those the innermost. Errors are those of Tree.
func (b *Bus) FocusedElement(ctx context.Context, app App, need desktop.Need) (*desktop.Element, error) {
	root, err := b.Tree(ctx, app, 0)
	if err != nil {
		return nil, err
	}
	e := focusedIn(root)
	if e == nil {
		return nil, nil
	}
	if need != 0 {
		if err := b.Fill(ctx, []*desktop.Element{e}, need); err != nil {
			return nil, err
		}
	}
	if e.Gone {
		return nil, nil
	}
	return e, nil
}

func focusedIn(root *desktop.Element) *desktop.Element {
	var best *desktop.Element
	root.Walk(func(e *desktop.Element) bool {
		if !e.States.Has(desktop.Focused) {
			return true
		}
		if best == nil || inActive(e) || !inActive(best) {
			best = e
		}
		return true
	})
	return best
}

func inActive(e *desktop.Element) bool {
	return e.Window != nil && e.Window.States.Has(desktop.Active)
}

// IsFocused reports whether the element says now that it has the keyboard focus.
// Only it is asked. Errors are those of Tree.
func (b *Bus) IsFocused(ctx context.Context, e *desktop.Element) (bool, error) {
	h, ok := handleOf(e)
	if !ok {
		return false, nil
	}
	start := time.Now()
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: h.dest, path: h.path, method: accessible + ".GetState"})
	if refused(err) {
		return false, nil
	}
	if err != nil {
		return false, b.fault(ctx, *h.app, err, time.Since(start))
	}
	s := parseStates(first(body)).desktop()
	return s.Has(desktop.Focused) && !s.Has(desktop.Defunct), nil
}
