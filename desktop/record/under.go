package record

import (
	"slices"

	"github.com/opendesk/opendesk/desktop"
)

// reachPopup is how far the boxes of what is in a menu may be off its window.
const reachPopup = 8

// elementAt is the element at the point in the window, as people would say:
// the button, not the label in it. nil where none is known.
func (v *view) elementAt(win *desktop.Window, at desktop.Point) *desktop.Element {
	var best *desktop.Element
	for _, tree := range v.forest.trees[win.App.PID] {
		for _, top := range topLevels(tree.Root, win) {
			top.Walk(func(e *desktop.Element) bool {
				if isAt(e, at) && (!win.Override || inPopup(e, win.Bounds)) && (best == nil || area(e) <= area(best)) {
					best = e
				}
				return true
			})
		}
	}
	return meant(best, at)
}

// topLevels are the top-level elements that may be the window: those that are
// most like it, and for a menu all of them.
func topLevels(root *desktop.Element, win *desktop.Window) []*desktop.Element {
	if win.Override {
		return root.Children
	}
	var best []*desktop.Element
	least := -1
	for _, top := range root.Children {
		off := 0
		if top.BoundsKnown {
			off = distance(top.Bounds, win.Bounds)
		}
		if top.Name != win.Title {
			off += 1000
		}
		switch {
		case least < 0 || off < least:
			best, least = []*desktop.Element{top}, off
		case off == least:
			best = append(best, top)
		}
	}
	return best
}

func distance(a, b desktop.Rect) int {
	abs := func(n int) int { return max(n, -n) }
	return abs(a.X-b.X) + abs(a.Y-b.Y) + abs(a.Width-b.Width) + abs(a.Height-b.Height)
}

// isAt reports whether the element is shown at the point.
func isAt(e *desktop.Element, at desktop.Point) bool {
	return e.BoundsKnown && e.Bounds.Contains(at) && shown(e)
}

// shown reports whether the element is on the screen. GTK 4 says so of no
// element; it has room there for those that are. Qt says so of the items of
// lists on hidden pages.
func shown(e *desktop.Element) bool {
	if e.Gone || e.States.Has(desktop.Defunct) {
		return false
	}
	mute := e.App != nil && e.App.Toolkit == desktop.GTK4
	if !e.States.Has(desktop.Showing) && !mute {
		return false
	}
	for at := e; at != nil && at.Parent != nil; at = at.Parent {
		if mute && at.NoRoom || !at.States.Has(desktop.Visible) && !at.States.Has(desktop.Showing) {
			return false
		}
	}
	return true
}

// inPopup reports whether the element is drawn on a popup with that box, rather
// than on what lies under it: it is in a menu, or in something of that box.
func inPopup(e *desktop.Element, box desktop.Rect) bool {
	if !within(e.Bounds, box) {
		return false
	}
	for at := e; at != nil && at.Parent != nil; at = at.Parent {
		inMenu := (at.Role == "menu" || at.Role == "menu item") && at.Parent.Role != "menu bar"
		if inMenu || at.BoundsKnown && within(at.Bounds, box) && within(box, at.Bounds) {
			return true
		}
		if at.Role == "menu" && at != e { // GTK 3 hangs the items on the bar's own menus
			return true
		}
	}
	return false
}

// within reports whether a box is in another one, give or take reachPopup.
func within(inner, outer desktop.Rect) bool {
	return inner.X >= outer.X-reachPopup && inner.Y >= outer.Y-reachPopup &&
		inner.X+inner.Width <= outer.X+outer.Width+reachPopup && inner.Y+inner.Height <= outer.Y+outer.Height+reachPopup
}

func area(e *desktop.Element) int { return e.Bounds.Width * e.Bounds.Height }

// meant is what somebody clicks who clicks the element: the control that it is
// a part of, if it is only its label or picture.
func meant(e *desktop.Element, at desktop.Point) *desktop.Element {
	if e == nil || desktop.Clickable(e.Role) && !slices.Contains(pictures, e.Role) || takesText(e) {
		return e
	}
	for up := e.Parent; up != nil && up != up.Window && up.Parent != nil; up = up.Parent {
		if up.BoundsKnown && !up.Bounds.Contains(at) || takesText(up) {
			break
		}
		if desktop.Clickable(up.Role) {
			return up
		}
	}
	return e
}

// pictures are roles of what is clicked for itself only where it is no part of
// something else.
var pictures = []string{"icon", "image", "label"}

// takesText reports whether people type into the element.
func takesText(e *desktop.Element) bool {
	return e.States.Has(desktop.Editable) || slices.Contains([]string{"entry", "spin button", "terminal", "document"}, e.Role)
}
