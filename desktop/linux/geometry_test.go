package linux

import (
	"math"
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

func TestLocate(t *testing.T) {
	box := func(x, y, w, h int) desktop.Rect { return desktop.Rect{X: x, Y: y, Width: w, Height: h} }
	calculator := frame{title: "Calculator", bounds: box(0, 0, 355, 486)}
	active := calculator
	active.active = true
	plain := xWindow{title: "Calculator", bounds: box(300, 200, 365, 496)}
	same := xWindow{title: "Calculator", bounds: box(700, 100, 365, 496), focused: true}
	tests := []struct {
		what    string
		frame   frame
		windows []xWindow
		want    desktop.Point
		ok      bool
	}{
		{"a border of 5 without compositor", calculator, []xWindow{plain}, desktop.Point{X: 305, Y: 205}, true},
		{
			"a shadow, wider below", calculator,
			[]xWindow{{title: "Calculator", bounds: box(300, 200, 355+20+20, 486+15+25), shadow: insets{20, 20, 15, 25}}},
			desktop.Point{X: 320, Y: 215}, true,
		},
		{"maximised", frame{bounds: box(0, 0, 1280, 800)}, []xWindow{{bounds: box(0, 0, 1280, 800)}}, desktop.Point{}, true},
		{"no window", calculator, nil, desktop.Point{}, false},
		{"a window of another size", calculator, []xWindow{{title: "Calculator", bounds: box(0, 0, 600, 496)}}, desktop.Point{}, false},
		{"smaller than the frame", calculator, []xWindow{{title: "Calculator", bounds: box(0, 0, 300, 400)}}, desktop.Point{}, false},
		{"the title tells", calculator, []xWindow{{title: "Preferences", bounds: box(0, 0, 365, 496)}, plain}, desktop.Point{X: 305, Y: 205}, true},
		{"another title, but the only one of the size", frame{title: "", bounds: box(0, 0, 355, 486)}, []xWindow{plain}, desktop.Point{X: 305, Y: 205}, true},
		{"two alike", calculator, []xWindow{plain, same}, desktop.Point{}, false},
		{"two alike, one active", active, []xWindow{plain, same}, desktop.Point{X: 705, Y: 105}, true},
	}
	for _, tc := range tests {
		got, ok := locate(tc.frame, tc.windows)
		if ok != tc.ok || ok && got != tc.want {
			t.Errorf("%s: %v, %v; want %v, %v", tc.what, got, ok, tc.want, tc.ok)
		}
	}
}

func TestPopup(t *testing.T) {
	box := desktop.Rect{X: 201, Y: 6, Width: 285, Height: 418}
	menu := desktop.Rect{X: 538, Y: 188, Width: 285, Height: 418}
	tooltip := desktop.Rect{X: 623, Y: 213, Width: 114, Height: 30}
	if at, ok := popup(box, []desktop.Rect{tooltip, menu}); !ok || at != (desktop.Point{X: 337, Y: 182}) {
		t.Errorf("popup = %v, %v", at, ok)
	}
	if _, ok := popup(box, []desktop.Rect{tooltip}); ok {
		t.Error("found the popup of a popover that is not shown")
	}
	if _, ok := popup(box, []desktop.Rect{menu, menu}); ok {
		t.Error("took one of two popups")
	}
}

func TestPlausible(t *testing.T) {
	for r, want := range map[desktop.Rect]bool{
		{X: 10, Y: 20, Width: 30, Height: 40}:   true,
		{X: -50, Y: -5, Width: 100, Height: 10}: true,
		{}:                                      false,
		{X: 5, Y: 5, Width: 10}:                 false,
		{X: math.MinInt32, Y: math.MinInt32, Width: 1, Height: 1}: false,
		{X: -1, Y: -1, Width: -1, Height: -1}:                     false,
		{X: math.MinInt16, Y: 0, Width: 10, Height: 10}:           false,
		{X: 0, Y: 0, Width: math.MaxInt32, Height: 20}:            false,
		{X: 4_000_000, Y: 0, Width: 10, Height: 10}:               false,
	} {
		if got := plausible(r); got != want {
			t.Errorf("plausible(%v) = %v, want %v", r, got, want)
		}
	}
}
