package step

import (
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

// What covers an element is told only where it is certain.
func TestCovering(t *testing.T) {
	at := desktop.Point{X: 100, Y: 100}
	here := desktop.Rect{X: 50, Y: 50, Width: 400, Height: 300}
	away := desktop.Rect{X: 600, Y: 50, Width: 300, Height: 300}
	window := func(id uint32, pid int, title string, r desktop.Rect, more ...func(*desktop.Window)) desktop.Window {
		w := desktop.Window{ID: id, Title: title, Bounds: r, App: desktop.AppInfo{PID: pid}}
		for _, m := range more {
			m(&w)
		}
		return w
	}
	override := func(w *desktop.Window) { w.Override = true }
	tooltip := func(w *desktop.Window) { w.Override, w.Tooltip = true, true }
	element := func(role, title string, frame desktop.Rect, known bool) *desktop.Element {
		app := &desktop.AppInfo{PID: 7}
		top := &desktop.Element{Role: "window", Name: title, Bounds: frame, BoundsKnown: known, App: app}
		top.Window = top
		return &desktop.Element{Role: role, App: app, Window: top, Parent: top}
	}
	button := element("button", "Main", here, true)
	for _, row := range []struct {
		name    string
		windows []desktop.Window // front first
		e       *desktop.Element
		cover   uint32 // 0 for none
		raise   uint32
		front   bool
		gone    bool // elsewhere
	}{
		{"in front", []desktop.Window{window(1, 7, "Main", here)}, button, 0, 0, true, false},
		{"another app's window", []desktop.Window{window(2, 8, "Other", here), window(1, 7, "Main", here)}, button, 2, 1, false, false},
		{"beside it", []desktop.Window{window(2, 8, "Other", away), window(1, 7, "Main", here)}, button, 0, 0, true, false},
		{"below it", []desktop.Window{window(1, 7, "Main", here), window(2, 8, "Other", here)}, button, 0, 0, true, false},
		{"a dialog of its own", []desktop.Window{window(3, 7, "Question", here), window(1, 7, "Main", here)}, button, 3, 1, false, false},
		{"in that dialog", []desktop.Window{window(3, 7, "Question", here), window(1, 7, "Main", here)}, element("button", "Question", here, true), 0, 0, true, false},
		{"an open menu", []desktop.Window{window(3, 7, "", here, override), window(1, 7, "Main", here)}, button, 3, 1, false, false},
		{"in that menu", []desktop.Window{window(3, 7, "", here, override), window(1, 7, "Main", here)}, element("menu item", "Main", here, true), 0, 0, false, false},
		{"a tooltip", []desktop.Window{window(3, 7, "", here, tooltip), window(1, 7, "Main", here)}, button, 0, 0, true, false},
		{"a title without bounds", []desktop.Window{window(3, 7, "Question", here), window(1, 7, "Main", here)}, element("button", "Main", desktop.Rect{}, false), 3, 1, false, false},
		{"two alike", []desktop.Window{window(3, 7, "Main", here), window(1, 7, "Main", here)}, button, 0, 0, false, false},
		{"unknown window", []desktop.Window{window(3, 7, "A", away), window(1, 7, "B", here)}, element("button", "C", desktop.Rect{}, false), 0, 0, false, false},
		{"unknown window, another app's in front", []desktop.Window{window(2, 8, "Other", here), window(1, 7, "B", here)},
			element("button", "C", desktop.Rect{}, false), 2, 1, false, false},
		{"no window at all", nil, button, 0, 0, false, true},
		{"nothing but the screen", []desktop.Window{window(1, 7, "Main", away)}, element("button", "", desktop.Rect{}, false), 0, 0, false, true},
		{"its window elsewhere, another of the app there", []desktop.Window{window(3, 7, "Question", here), window(1, 7, "Main", away)}, button, 0, 0, false, true},
		{"a menu of a window elsewhere", []desktop.Window{window(3, 7, "Question", here), window(1, 7, "Main", away)}, element("menu item", "Main", away, true), 0, 0, false, false},
		{"a window of another size", []desktop.Window{window(2, 8, "Other", here), window(1, 7, "Main", away)}, button, 0, 0, false, true},
	} {
		c := coveringOf(row.windows, at, row.e)
		var cover, raise uint32
		if c.cover != nil {
			cover = c.cover.ID
		}
		if c.own != nil {
			raise = c.own.ID
		}
		if cover != row.cover || raise != row.raise || c.front != row.front || c.elsewhere != row.gone {
			t.Errorf("%s: cover %d, raise %d, front %v, elsewhere %v; want %d, %d, %v, %v", row.name,
				cover, raise, c.front, c.elsewhere, row.cover, row.raise, row.front, row.gone)
		}
	}
}
