package runner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/results"
)

// twoWindows is an app with two windows of one title, each with a button Save,
// and a third one of another title; the second has the focus.
func twoWindows() *fake.Desktop {
	d := fake.New(1280, 800)
	a := &fake.App{Info: desktop.AppInfo{Name: "Editor"}}
	for i, title := range []string{"Document", "Document", "Notes"} {
		w := &fake.Window{Title: title, Bounds: desktop.Rect{X: 20 * i, Y: 20 * i, Width: 400, Height: 300}}
		mark := fmt.Sprintf("saved %d", i)
		w.Nodes = []*fake.Node{{Role: "button", Name: "Save", Actions: []string{"click"},
			Bounds:  desktop.Rect{X: 20*i + 10, Y: 20*i + 10, Width: 50, Height: 20},
			OnPress: func() { w.Title = mark }}}
		if title == "Notes" {
			w.Nodes = append(w.Nodes, &fake.Node{Role: "button", Name: "Pin", Actions: []string{"click"},
				Bounds: desktop.Rect{X: 200, Y: 100, Width: 50, Height: 20}, OnPress: func() { w.Title = "pinned" }})
		}
		a.Windows = append(a.Windows, w)
	}
	d.Add(a)
	d.Focus(a.Windows[1])
	return d
}

// The windows stand, from the front: Document (1, focused), Document (0), Notes (2).
func TestWindowIndex(t *testing.T) {
	for _, row := range []struct {
		title  string
		index  string
		focus  string // the focused window's title after the step
		status results.Status
		reason string
	}{
		{"Save", `,"window_index":1`, "saved 1", results.Passed, ""},
		{"Save", `,"window_index":2`, "saved 0", results.Passed, ""},
		{"Save", `,"window_index":3`, "saved 2", results.Passed, ""},
		{"Save", "", "saved 1", results.Passed, ""},
		{"Pin", `,"window_index":3`, "pinned", results.Passed, ""},
		{"Pin", `,"window_index":1`, "Document", results.Passed, ""}, // found behind it, as without an index
		{"Pin", `,"window_index":2`, "Document", results.Failed, "target not found after 200 ms: no element matching 'Pin' in Editor"},
		{"Save", `,"window_index":4`, "Document", results.Failed, "target not found after 200 ms: no window 4 of Editor"},
	} {
		t.Run(row.title+row.index, func(t *testing.T) {
			d := twoWindows()
			o := run(t, d, fmt.Sprintf(`{"name":"w","version":1,"steps":[{"id":"s1","tool":"ui",
				"params":{"action":"click"%s},"resolve_timeout_ms":200,"target":{"app":"Editor","title":%q}}]}`, row.index, row.title))
			if o.Status != row.status || o.Reason != row.reason {
				t.Fatalf("%s: %s, want %s: %s", o.Status, o.Reason, row.status, row.reason)
			}
			w, err := d.FocusedWindow(t.Context())
			if err != nil || w == nil || w.Title != row.focus {
				t.Errorf("in front is %+v (%v), want %s", w, err, row.focus)
			}
			if row.status == results.Failed && strings.Contains(row.reason, "window") &&
				!slices.Contains(o.step("s1").Failure.Details, "app 'Editor' shows 3 windows (window_index counts them from the front)") {
				t.Errorf("details %q", o.step("s1").Failure.Details)
			}
		})
	}
}

// Keys go to the window that window_index names.
func TestWindowIndexForKeys(t *testing.T) {
	d := twoWindows()
	var got string
	o := run(t, d, `{"name":"w","version":1,"steps":[{"id":"s1","tool":"ui",
		"params":{"action":"press_key","key":"a","window_index":3},"target":{"app":"Editor"},
		"postcondition":{"kind":"window_title_contains","value":"Notes","timeout_ms":100}}]}`)
	if w, err := d.FocusedWindow(t.Context()); err == nil && w != nil {
		got = w.Title
	}
	if o.Status != results.Passed || got != "Notes" {
		t.Errorf("%s: %s; in front is %q", o.Status, o.Reason, got)
	}
}
