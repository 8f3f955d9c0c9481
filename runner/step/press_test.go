package step_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/step"
)

// form is a window with one node, which can be pressed.
type form struct {
	desktop *fake.Desktop
	app     *fake.App
	window  *fake.Window
	node    *fake.Node
	pressed int
}

func newForm(role string, toolkit desktop.Toolkit) *form {
	f := &form{desktop: fake.New(1280, 800)}
	f.node = &fake.Node{Role: role, Name: "Go", Bounds: desktop.Rect{X: 100, Y: 100, Width: 80, Height: 30}, Actions: []string{"click"},
		OnPress: func() { f.pressed++ }}
	f.window = &fake.Window{Title: "Form", Bounds: desktop.Rect{X: 50, Y: 50, Width: 400, Height: 300}, Nodes: []*fake.Node{f.node}}
	f.app = f.desktop.Add(&fake.App{Info: desktop.AppInfo{Name: "Form", Toolkit: toolkit}, Windows: []*fake.Window{f.window}})
	return f
}

// click does a ui click on the node.
func (f *form) click(t *testing.T) (step.Outcome, error) {
	t.Helper()
	return perform(t, f.desktop, `{"id":"s1","tool":"ui","params":{"action":"click"},"resolve_timeout_ms":400,
	  "target":{"app":"Form","title":"Go"}}`)
}

func perform(t *testing.T, d desktop.Desktop, source string) (step.Outcome, error) {
	t.Helper()
	p, problems := program.Parse("p.program.json", []byte(`{"name":"p","version":1,"steps":[`+source+`]}`))
	if p == nil {
		t.Fatal(problems)
	}
	return step.Perform(t.Context(), &step.Env{Desktop: d, Scale: 1}, p.Steps[0])
}

func TestRebuiltElementIsLookedUpAgain(t *testing.T) {
	f := newForm("button", "")
	old := *f.node
	f.desktop.FailNth("Act", 1, &desktop.GoneError{What: "button 'Go'"})
	f.desktop.On("Fill", 1, func() { // between look-up and action
		f.window.Nodes = []*fake.Node{&old}
	})
	out, err := f.click(t)
	if err != nil || f.pressed != 1 || out.ActedBy != "native" {
		t.Errorf("pressed %d times by %q: %v", f.pressed, out.ActedBy, err)
	}
}

func TestEndedAppIsNotLookedFor(t *testing.T) {
	f := newForm("button", "")
	f.desktop.On("Fill", 1, func() { f.desktop.Remove(f.app, "exit status 1") }) // between look-up and action
	_, err := f.click(t)
	var gone *desktop.GoneError
	if !errors.As(err, &gone) {
		t.Errorf("%v", err)
	}
}

// A window that goes away in time covers nothing.
func TestCoverThatGoesAway(t *testing.T) {
	f := newForm("label", "")
	cover := &fake.App{Info: desktop.AppInfo{Name: "Cover"}, Windows: []*fake.Window{{Title: "Cover", Bounds: f.window.Bounds}}}
	f.desktop.Add(cover)
	f.desktop.FailNth("Raise", 0, errors.New("the window manager keeps it in front"))
	f.desktop.After(100*time.Millisecond, func() { f.desktop.Remove(cover, "") })
	if _, err := f.click(t); err != nil || f.pressed != 1 {
		t.Errorf("pressed %d times: %v", f.pressed, err)
	}
}

func TestCoverIsNamed(t *testing.T) {
	t.Run("a window", func(t *testing.T) {
		f := newForm("label", "")
		f.desktop.Add(&fake.App{Info: desktop.AppInfo{Name: "Cover"}, Windows: []*fake.Window{{Title: "Notice", Bounds: f.window.Bounds}}})
		f.desktop.FailNth("Raise", 0, errors.New("the window manager keeps it in front"))
		_, err := f.click(t)
		if err == nil || !strings.Contains(err.Error(), "covered by window 'Notice' of Cover") || f.pressed != 0 {
			t.Errorf("pressed %d times: %v", f.pressed, err)
		}
	})
	t.Run("an element", func(t *testing.T) {
		f := newForm("label", desktop.Qt)
		f.window.Nodes = append(f.window.Nodes, &fake.Node{Role: "panel", Name: "Veil", Bounds: f.node.Bounds})
		_, err := f.click(t)
		if err == nil || !strings.Contains(err.Error(), "covered by [panel] 'Veil'") || f.pressed != 0 {
			t.Errorf("pressed %d times: %v", f.pressed, err)
		}
	})
	t.Run("not what it holds, nor what holds it", func(t *testing.T) {
		f := newForm("label", desktop.Qt)
		f.node.Children = []*fake.Node{{Role: "image", Bounds: f.node.Bounds, OnPress: f.node.OnPress}}
		if _, err := f.click(t); err != nil || f.pressed != 1 {
			t.Errorf("pressed %d times: %v", f.pressed, err)
		}
	})
}

func TestGTK4ButtonIsPressedByPointerWhereThatIsSure(t *testing.T) {
	f := newForm("button", desktop.GTK4)
	if out, err := f.click(t); err != nil || out.ActedBy != "pointer" || f.pressed != 1 {
		t.Errorf("pressed %d times by %q: %v", f.pressed, out.ActedBy, err)
	}
	f = newForm("button", desktop.GTK4)
	f.node.Bounds = desktop.Rect{} // in a popover
	if out, err := f.click(t); err != nil || out.ActedBy != "native" || f.pressed != 1 {
		t.Errorf("pressed %d times by %q: %v", f.pressed, out.ActedBy, err)
	}
}

func TestEntriesOfQtListsAreNotToggled(t *testing.T) {
	f := newForm("list item", desktop.Qt)
	f.node.Bounds = desktop.Rect{}
	_, err := f.click(t)
	if err == nil || f.pressed != 0 || slices.ContainsFunc(f.desktop.Log(), func(l string) bool { return strings.HasPrefix(l, "press ") }) {
		t.Errorf("%v %q", err, f.desktop.Log())
	}
}

func TestClickEndsWithItsContext(t *testing.T) {
	f := newForm("list item", desktop.Qt)
	f.node.Bounds = desktop.Rect{}
	ctx, cancel := context.WithCancel(t.Context())
	f.desktop.On("Snapshot", 2, cancel)
	p, _ := program.Parse("p.program.json", []byte(`{"name":"p","version":1,"steps":[{"id":"s1","tool":"ui","params":{"action":"click"},
	  "resolve_timeout_ms":60000,"target":{"app":"Form","title":"Go"}}]}`))
	start := time.Now()
	_, err := step.Perform(ctx, &step.Env{Desktop: f.desktop, Scale: 1}, p.Steps[0])
	if !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// A click on a menu that comes to nothing is done again, and the item is
// chosen once.
func TestMenuIsOpenedAgain(t *testing.T) {
	d := fake.New(1280, 800)
	presses, chosen := 0, 0
	menu := &fake.Node{Role: "button", Name: "More", States: desktop.HasPopup, Actions: []string{"click"}}
	w := &fake.Window{Title: "w", Bounds: desktop.Rect{Width: 800, Height: 600}, Nodes: []*fake.Node{menu}}
	menu.OnPress = func() {
		if presses++; presses == 2 {
			w.Nodes = append(w.Nodes, &fake.Node{Role: "menu item", Name: "Refund", Actions: []string{"click"}, OnPress: func() { chosen++ }})
		}
	}
	d.Add(&fake.App{Info: desktop.AppInfo{Name: "Shop"}, Windows: []*fake.Window{w}})
	_, err := perform(t, d, `{"id":"s1","tool":"ui","params":{"action":"click_menu","menu":"More","menu_item":"Refund"},"target":{"app":"Shop"}}`)
	if err != nil || presses != 2 || chosen != 1 {
		t.Errorf("opened %d times, chosen %d times: %v", presses, chosen, err)
	}
}
