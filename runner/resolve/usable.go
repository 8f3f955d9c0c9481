package resolve

import "github.com/opendesk/opendesk/desktop"

// Use is what a caller wants to do with an element, which decides in what
// state it must be.
type Use int

const (
	// ForExistence: the element is part of its window, if only scrolled out
	// of view or in a closed menu. A hidden element does not exist.
	ForExistence Use = iota
	// ForAction: it can be seen, if only after scrolling, and is not greyed
	// out. An item of a closed menu counts, since its native action works.
	ForAction
	// ForPointer: it can be seen, if only after scrolling, and is not greyed
	// out.
	ForPointer
)

// visibility judges elements of one snapshot. GTK 4.8 reports no element
// below a window as showing; in such a window being visible has to do.
type visibility struct {
	mute map[*desktop.Element]bool // top-level elements, as far as asked
	// reach counts what is there but for scrolling as present.
	reach bool
}

func judge() visibility { return visibility{mute: map[*desktop.Element]bool{}} }

// isMute reports whether nothing below the top-level element says that it shows.
func (v visibility) isMute(top *desktop.Element) bool {
	mute, known := v.mute[top]
	if !known {
		mute = true
		for _, child := range top.Children {
			child.Walk(func(e *desktop.Element) bool {
				mute = mute && !e.States.Has(desktop.Showing)
				return mute
			})
		}
		v.mute[top] = mute
	}
	return mute
}

// topLevel is the window's own top-level element below the application.
func topLevel(e *desktop.Element) *desktop.Element {
	for e.Parent != nil && e.Parent.Parent != nil {
		e = e.Parent
	}
	return e
}

// present reports whether the element is part of a window on the screen,
// scrolled out of view or in a closed menu included.
func (v visibility) present(e *desktop.Element) bool {
	return v.partOfWindow(e) || v.reach && v.scrolledOut(e)
}

func (v visibility) partOfWindow(e *desktop.Element) bool {
	if e.Gone || e.States.Has(desktop.Defunct) {
		return false
	}
	if e.States.Has(desktop.Showing) {
		return !inHiddenView(e)
	}
	if e.NoRoom && !inMenu(e) && !isMenuItem(e) {
		return false
	}
	for at := e; at != nil && at.Parent != nil; at = at.Parent {
		if !at.States.Has(desktop.Visible) && !at.States.Has(desktop.Showing) {
			return false
		}
	}
	return true
}

// showing reports whether the element can be seen.
func (v visibility) showing(e *desktop.Element) bool {
	if e.States.Has(desktop.Showing) {
		return v.present(e)
	}
	return v.isMute(topLevel(e)) && v.present(e)
}

// Present reports whether the element is part of a window on the screen,
// scrolled out of view or in a closed menu included. What is not is hidden.
func Present(e *desktop.Element) bool { return judge().present(e) }

// inHiddenView reports whether the element is in a list or table that is
// hidden itself. Qt says of the items of such a view that they show.
func inHiddenView(e *desktop.Element) bool {
	for at := e.Parent; at != nil && at.Parent != nil; at = at.Parent {
		switch at.Role {
		case "list", "tree", "table":
			if !at.States.Has(desktop.Visible) && !at.States.Has(desktop.Showing) {
				return true
			}
		}
	}
	return false
}

// Sensitive reports whether the element is not greyed out.
func Sensitive(e *desktop.Element) bool {
	return e.States.Has(desktop.Sensitive) || e.States.Has(desktop.Enabled)
}

// usable reports whether the element is in the state that the use asks for.
func (v visibility) usable(e *desktop.Element, use Use) bool {
	switch use {
	case ForExistence:
		return v.present(e)
	case ForAction:
		return Sensitive(e) && (v.showing(e) || isMenuItem(e) && v.present(e) || v.scrolledOut(e))
	default:
		return Sensitive(e) && (v.showing(e) || v.scrolledOut(e))
	}
}

func isMenuItem(e *desktop.Element) bool { return e.Role == "menu item" || e.Role == "menu" }
