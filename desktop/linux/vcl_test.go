package linux

import (
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

// What LibreOffice draws is off by the menu bar's height, and the widgets of
// GTK's in it are not. The boxes are those of Calc.
func TestVCLPlaces(t *testing.T) {
	boxes := map[*desktop.Element]desktop.Rect{}
	add := func(parent *desktop.Element, role string, x, y, w, h int) *desktop.Element {
		e := &desktop.Element{RawRole: role, Parent: parent}
		boxes[e] = desktop.Rect{X: x, Y: y, Width: w, Height: h}
		return e
	}
	frame := add(nil, "frame", 0, 0, 1280, 800)
	bar := add(frame, "menu bar", 0, 19, 1256, 25)
	holder := add(frame, "panel", 0, 44, 1280, 756)
	pane := add(holder, rootPane, 0, 19, 1280, 756)
	cell := add(add(pane, "table", 41, 157, 1166, 559), "table cell", 41, 157, 82, 17)
	tabs := add(pane, "panel", 0, 730, 138, 23)
	embedded := add(tabs, "panel", 0, 755, 138, 24)
	button := add(add(embedded, "filler", 6, 755, 126, 24), "push button", 6, 755, 24, 24)
	hidden := &desktop.Element{RawRole: "label", Parent: pane}

	scene := newVCLScene(boxes)
	for _, row := range []struct {
		e    *desktop.Element
		x, y int
	}{{frame, 0, 0}, {bar, 0, 19}, {holder, 0, 44}, {pane, 0, 44}, {cell, 41, 182}, {tabs, 0, 755}, {embedded, 0, 755}, {button, 6, 755}} {
		box, ok := scene.onScreen(row.e)
		if !ok || box.X != row.x || box.Y != row.y {
			t.Errorf("%s %v: at (%d,%d), want (%d,%d)", row.e.RawRole, boxes[row.e], box.X, box.Y, row.x, row.y)
		}
	}
	if _, ok := scene.onScreen(hidden); ok {
		t.Error("a place for what has none")
	}
}
