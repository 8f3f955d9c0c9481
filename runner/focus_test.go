package runner_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/results"
)

const escapeThenTitle = `{"name":"f","version":1,"steps":[
	{"id":"s1","tool":"wait","params":{"ms":1},"target":{"app":"Editor"},
	 "postcondition":{"kind":"window_title_contains","value":"Document"}},
	{"id":"s2","tool":"keyboard","params":{"action":"press","key":"escape"},"target":{"app":"Editor"},
	 "postcondition":{"kind":"window_title_contains","value":"Notes","timeout_ms":TIMEOUT}}]}`

// dialogOverNotes is an app with two windows, the first of which has the focus.
func dialogOverNotes() (d *fake.Desktop, notes *fake.Window) {
	d = fake.New(1280, 800)
	field := &fake.Node{Role: "entry", Bounds: desktop.Rect{Width: 40, Height: 20}}
	dialog := &fake.Window{Title: "Document", Bounds: desktop.Rect{Width: 400, Height: 300}, Nodes: []*fake.Node{field}}
	notes = &fake.Window{Title: "Notes", Bounds: desktop.Rect{Width: 800, Height: 600}}
	d.Add(&fake.App{Info: desktop.AppInfo{Name: "Editor"}, Windows: []*fake.Window{notes, dialog}})
	d.Focus(dialog)
	d.FocusNode(field)
	return d, notes
}

// While the focus is on its way, the application is not asked for its tree.
func TestFocusOnItsWay(t *testing.T) {
	d, notes := dialogOverNotes()
	d.On("Chord", 1, func() {
		d.Focus(nil)
		d.After(60*time.Millisecond, func() { d.Focus(notes) })
	})
	o := run(t, d, strings.ReplaceAll(escapeThenTitle, "TIMEOUT", "5000"))
	if o.Status != results.Passed || d.Calls("Snapshot") != 0 {
		t.Errorf("%s: %s, after %d looks at trees", o.Status, o.Reason, d.Calls("Snapshot"))
	}
}

// focusless has a window whose focus nobody tells of but the tree.
type focusless struct {
	*fake.Desktop
	lost bool
}

func (f *focusless) FocusedWindow(ctx context.Context) (*desktop.Window, error) {
	w, err := f.Desktop.FocusedWindow(ctx)
	if f.lost {
		return nil, err
	}
	return w, err
}

// The tree has the last word, also where the focus has gone a moment before.
func TestFocusThatOnlyTheTreeTells(t *testing.T) {
	for _, timeout := range []string{"0", "100", "2000"} {
		in, notes := dialogOverNotes()
		d := &focusless{Desktop: in}
		d.On("Chord", 1, func() {
			d.Focus(notes)
			d.lost = true
		})
		began := time.Now()
		o := run(t, d, strings.ReplaceAll(escapeThenTitle, "TIMEOUT", timeout))
		if o.Status != results.Passed {
			t.Errorf("timeout %s: %s: %s", timeout, o.Status, o.Reason)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("timeout %s: it took %v", timeout, took)
		}
	}
}
