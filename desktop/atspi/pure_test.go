package atspi

import (
	"math"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

func TestPickAction(t *testing.T) {
	for _, c := range []struct {
		names []string
		kind  desktop.ActionKind
		label bool
		want  int
	}{
		{[]string{"click"}, desktop.Press, false, 0},
		{[]string{"Toggle", "Press", "SetFocus"}, desktop.Press, false, 1},
		{[]string{"SetFocus"}, desktop.Press, false, -1},
		{[]string{"ShowMenu"}, desktop.Press, false, -1},
		{[]string{"ShowMenu"}, desktop.ShowMenu, false, 0},
		{[]string{"doDefault", "showContextMenu"}, desktop.ShowMenu, false, -1}, // opens another menu
		{[]string{"doDefault", "showContextMenu"}, desktop.Press, true, -1},
		{[]string{"doDefault", "showContextMenu"}, desktop.Press, false, 0},
		{[]string{"expand or contract", "edit", "activate"}, desktop.Press, false, 2},
		{[]string{"expand or contract", "edit", "activate"}, desktop.Expand, false, 0},
		{[]string{"clipboard.copy", "link.open", "menu.popup"}, desktop.Press, true, -1},
		{[]string{"", "jump"}, desktop.Press, false, 1},
		{nil, desktop.Press, false, -1},
		{[]string{"click"}, desktop.ActionKind("dance"), false, -1},
	} {
		if got := pickAction(c.names, c.kind, c.label); got != c.want {
			t.Errorf("pickAction(%q, %s, label %v) = %d, want %d", c.names, c.kind, c.label, got, c.want)
		}
	}
}

func TestParseExtents(t *testing.T) {
	box := func(x, y, w, h int32) any { return box{x, y, w, h} }
	for _, c := range []struct {
		in    any
		want  desktop.Rect
		known bool
	}{
		{box(1, 2, 3, 4), desktop.Rect{X: 1, Y: 2, Width: 3, Height: 4}, true},
		{box(-5, -6, 3, 4), desktop.Rect{X: -5, Y: -6, Width: 3, Height: 4}, true},
		{box(math.MinInt32, math.MinInt32, 1, 1), desktop.Rect{}, false},
		{box(0, 0, 0, 0), desktop.Rect{}, false},
		{box(-1, -1, -1, -1), desktop.Rect{}, false},
		{box(10, 10, 0, 5), desktop.Rect{}, false},
		{[]any{int32(1)}, desktop.Rect{}, false},
		{[]any{"a", "b", "c", "d"}, desktop.Rect{}, false},
		{nil, desktop.Rect{}, false},
	} {
		if got, known := parseExtents(c.in); got != c.want || known != c.known {
			t.Errorf("parseExtents(%v) = %v, %v", c.in, got, known)
		}
	}
}

func TestFormatValue(t *testing.T) {
	for in, want := range map[float64]string{3: "3", 3.5: "3.5", 0: "0", -1: "-1", 1e15: "1000000000000000", 0.1: "0.1", math.Inf(1): ""} {
		if got := formatValue(in); got != want {
			t.Errorf("formatValue(%v) = %q, want %q", in, got, want)
		}
	}
	if got := formatValue(math.NaN()); got != "" {
		t.Errorf("formatValue(NaN) = %q", got)
	}
}

func TestCutText(t *testing.T) {
	long := strings.Repeat("ö", desktop.MaxText)
	got := cutText(long + "x")
	if len(got) > desktop.MaxText || !strings.HasPrefix(long, got) || len(got) < desktop.MaxText-4 {
		t.Errorf("cutText gives %d bytes", len(got))
	}
	if cutText("short") != "short" {
		t.Error("cutText changes a short text")
	}
}

func TestStates(t *testing.T) {
	s := parseStates([]uint32{1<<1 | 1<<12 | 1<<25, 1 << (42 - 32)})
	if got, want := s.desktop(), desktop.Active|desktop.Focused|desktop.Showing|desktop.HasPopup; got != want {
		t.Errorf("states are %b, want %b", got, want)
	}
	for _, in := range []any{nil, "no", []uint32{}, []uint32{0, 0, 0xffffffff}} {
		if got := parseStates(in).desktop(); got != 0 {
			t.Errorf("parseStates(%v) = %b", in, got)
		}
	}
}

func TestParseItemsOfOtherShapes(t *testing.T) {
	object := []any{":1.1", dbus.ObjectPath("/a")}
	for _, body := range [][]any{
		nil,
		{"text"},
		{[][]any{}},
		{[][]any{{object}}},
		{[][]any{{object, object, object, "x", "y", 1, 2, 3, 4, 5}}},
		{[][]any{{object, object, object, int32(0), int32(0), []string{}, "name", "role is text", "", []uint32{}}}},
		{[][]any{{[]any{}, object, object, int32(0), int32(0), []string{}, "name", uint32(3), "", []uint32{}}}},
	} {
		if items, _ := parseItems(body); len(items) != 0 {
			t.Errorf("parseItems(%v) = %v", body, items)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		"unix:path=/tmp/a%20b,guid=12":  "unix /tmp/a b",
		"unix:abstract=/tmp/x":          "unix @/tmp/x",
		"tcp:host=localhost,port=4,b=c": "tcp localhost:4",
	} {
		network, where, err := parseAddress(in)
		if err != nil || network+" "+where != want {
			t.Errorf("parseAddress(%q) = %q, %q, %v", in, network, where, err)
		}
	}
	for _, in := range []string{"", "unix", "unix:", "autolaunch:", "unix:path=", "unix:path=%zz", "tcp:host=x"} {
		if _, _, err := parseAddress(in); err == nil {
			t.Errorf("parseAddress(%q) succeeds", in)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"unix:path=/a", "unix:abstract=b,guid=c", "tcp:host=h,port=1", ";", ":=,%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		network, where, err := parseAddress(s)
		if err == nil && (network == "" || where == "") {
			t.Errorf("parseAddress(%q) = %q, %q without an error", s, network, where)
		}
	})
}
