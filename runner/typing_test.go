package runner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/results"
)

// form is an application with a field that has the focus.
func form(d *fake.Desktop, entry *fake.Node) *fake.App {
	entry.Bounds = desktop.Rect{X: 110, Y: 110, Width: 200, Height: 30}
	entry.States |= desktop.Editable | desktop.Focusable
	w := &fake.Window{Title: "Form", Bounds: desktop.Rect{X: 100, Y: 100, Width: 400, Height: 300}, Nodes: []*fake.Node{entry}}
	app := d.Add(&fake.App{Info: desktop.AppInfo{Name: "Form", Toolkit: desktop.GTK3}, Windows: []*fake.Window{w}})
	d.FocusNode(entry)
	return app
}

func typing(text string) string {
	return fmt.Sprintf(`{"name": "t", "version": 1, "steps": [
		{"id": "s1", "tool": "keyboard", "params": {"action": "type", "text": %q}}]}`, text)
}

func TestTypedTextIsReadBack(t *testing.T) {
	for _, row := range []struct {
		name  string
		entry fake.Node
		// becomes is what the field makes of the text.
		becomes string
		status  results.Status
		note    string
	}{
		{"equal", fake.Node{Role: "entry"}, "Zażółć 😀", results.Passed, ""},
		{"lost", fake.Node{Role: "entry"}, "Zażłć 😀", results.Failed, ""},
		{"capitals", fake.Node{Role: "entry"}, "ZAŻÓŁĆ 😀", results.Passed, "changed the text"},
		{"nothing", fake.Node{Role: "entry"}, "", results.Passed, ""},
		{"cut", fake.Node{Role: "entry"}, "Zażó", results.Passed, "only a part"},
		{"a document", fake.Node{Role: "paragraph"}, "Zażłć 😀", results.Passed, ""},
		{"a terminal", fake.Node{Role: "terminal"}, "Zażłć 😀", results.Passed, ""},
		{"a password", fake.Node{Role: "entry", States: desktop.Password}, "Zażłć 😀", results.Passed, ""},
		{"a spin button", fake.Node{Role: "spin button", Value: "3"}, "Zażłć 😀", results.Passed, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := fake.New(1280, 800)
			entry := &row.entry
			form(d, entry)
			d.On("Type", 1, func() { entry.Text = row.becomes })
			out := run(t, d, typing("Zażółć 😀"))
			s := out.step("s1")
			if out.Status != row.status || !strings.Contains(strings.Join(s.Notes, "\n"), row.note) {
				t.Fatalf("%s with notes %q, want %s with %q", out.Status, s.Notes, row.status, row.note)
			}
			if row.status != results.Failed {
				return
			}
			f := s.Failure
			if f.Kind != results.TextMistyped || f.Reason != "text mistyped: 1 of 8 characters differ in the field" ||
				!slices.Contains(f.Details, "character 4, 'ó' (U+00F3), is missing") {
				t.Errorf("%s: %s %q", f.Kind, f.Reason, f.Details)
			}
		})
	}
}

// A text that comes in parts, with a wrong beginning, is waited for.
func TestTypedTextMayBeLate(t *testing.T) {
	d := fake.New(1280, 800)
	entry := &fake.Node{Role: "entry", Text: "before "}
	form(d, entry)
	d.On("Type", 1, func() { entry.Text = "before X" })
	for i, text := range []string{"before he", "before hxllo", "before hello"} {
		d.After(time.Duration(i+1)*300*time.Millisecond, func() { entry.Text = text })
	}
	out := run(t, d, typing("hello"))
	if out.Status != results.Passed || len(out.step("s1").Notes) > 0 {
		t.Errorf("%s: %v", out.Status, out.step("s1").Notes)
	}
}

func TestTypingIntoAFieldThatGoesAway(t *testing.T) {
	for name, happens := range map[string]func(*fake.Desktop, *fake.App){
		"gone":   func(_ *fake.Desktop, app *fake.App) { app.Windows[0].Nodes = nil },
		"silent": func(d *fake.Desktop, _ *fake.App) { d.FailNth("Fill", 0, &desktop.HungError{Name: "Form"}) },
	} {
		t.Run(name, func(t *testing.T) {
			d := fake.New(1280, 800)
			entry := &fake.Node{Role: "entry"}
			app := form(d, entry)
			d.On("Type", 1, func() { happens(d, app) })
			if out := run(t, d, typing("hello")); out.Status != results.Passed {
				t.Errorf("%s: %+v", out.Status, out.step("s1").Failure)
			}
		})
	}
}

// A field of another window says that it has the focus, as its window's own:
// the keys must not go to the window in front.
func TestKeysGoToTheElementsWindow(t *testing.T) {
	for _, step := range []string{
		`{"id": "s1", "tool": "ui", "params": {"action": "type", "text": "hello"}, "target": {"app": "Form", "role": "entry"}}`,
		`{"id": "s1", "tool": "ui", "params": {"action": "press_key", "key": "s", "modifiers": ["cmd", "fn"]}, "target": {"app": "Form", "role": "entry"}}`,
	} {
		d := fake.New(1280, 800)
		entry := &fake.Node{Role: "entry", States: desktop.Focused}
		app := form(d, entry)
		front := &fake.Window{Title: "Other", Bounds: desktop.Rect{X: 600, Y: 100, Width: 400, Height: 300},
			Nodes: []*fake.Node{{Role: "label", Name: "other", Bounds: desktop.Rect{X: 610, Y: 110, Width: 20, Height: 20}}}}
		app.Windows = append(app.Windows, front)
		d.Focus(front)
		d.FocusNode(nil)
		out := run(t, d, `{"name": "t", "version": 1, "steps": [`+step+`]}`)
		log := d.Log()
		if out.Status != results.Passed || !slices.Contains(log, "focus entry ''") {
			t.Errorf("%s: %q", out.Status, log)
		}
		last := log[len(log)-1]
		if last != `type "hello"` && last != "chord Control_L+s" {
			t.Errorf("pressed %q", last)
		}
	}
}

// A window that has just appeared takes keys only once something in it has the
// focus. An application that never says so is waited for once.
func TestKeysWaitForTheFocus(t *testing.T) {
	const press = `{"id": "s%d", "tool": "keyboard", "params": {"action": "press", "key": "a"}, "resolve_timeout_ms": 2000, "target": {"app": "Form"}}`
	for _, row := range []struct {
		name          string
		after         time.Duration // the field has the focus, 0 for never
		noTree        bool
		least, atMost time.Duration
	}{
		{"late", 200 * time.Millisecond, false, 200 * time.Millisecond, 1900 * time.Millisecond},
		{"never", 0, false, 2 * time.Second, 3900 * time.Millisecond},
		{"no tree", 0, true, 0, 1900 * time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := fake.New(1280, 800)
			entry := &fake.Node{Role: "entry"}
			form(d, entry).NoTree = row.noTree
			d.FocusNode(nil)
			began := time.Now()
			if row.after > 0 {
				d.After(row.after, func() { d.FocusNode(entry) })
			}
			out := run(t, d, `{"name": "t", "version": 1, "steps": [`+fmt.Sprintf(press, 1)+","+fmt.Sprintf(press, 2)+`]}`)
			took := time.Since(began)
			if out.Status != results.Passed || took < row.least || took > row.atMost {
				t.Errorf("%s after %v", out.Status, took)
			}
		})
	}
}
