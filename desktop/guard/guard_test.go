package guard

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

// still is a desktop on which nothing may be done: the calls that are not here
// end the test. It shows one window of Mail, which has the focus.
type still struct{ desktop.Desktop }

var mail = desktop.AppInfo{Name: "Mail"}

func (still) PointerAt(context.Context) (desktop.Point, error) {
	return desktop.Point{X: 500, Y: 500}, nil
}
func (still) RunningApps(context.Context) ([]desktop.AppInfo, error) {
	return []desktop.AppInfo{mail}, nil
}
func (still) FocusedWindow(context.Context) (*desktop.Window, error) { return &window, nil }
func (still) Windows(context.Context) ([]desktop.Window, error)      { return []desktop.Window{window}, nil }

var window = desktop.Window{App: mail, Bounds: desktop.Rect{X: 0, Y: 0, Width: 1000, Height: 1000}}

// reads are the methods that act on nothing, and those that end an action.
var reads = []string{
	"AppState", "Capture", "Changes", "Close", "Fill", "FocusedElement", "FocusedWindow", "HasFocusedElement", "HitTest", "PointerAt", "Probe",
	"ReadClipboard", "RunningApps", "Size", "Snapshot", "Windows", "ButtonUp",
	// The clipboard is nobody's: what is done with it is typed or pasted.
	"WriteClipboard",
}

func TestEveryActionIsGuarded(t *testing.T) {
	ctx := t.Context()
	e := &desktop.Element{App: &mail, BoundsKnown: true, Bounds: desktop.Rect{X: 500, Y: 500, Width: 10, Height: 10}}
	at := desktop.Point{X: 500, Y: 500}
	type action func(d desktop.Desktop) error
	apps := map[string]action{
		"Act":        func(d desktop.Desktop) error { return d.Act(ctx, e, desktop.Press) },
		"SetFocus":   func(d desktop.Desktop) error { return d.SetFocus(ctx, e) },
		"ScrollTo":   func(d desktop.Desktop) error { return d.ScrollTo(ctx, e) },
		"Raise":      func(d desktop.Desktop) error { return d.Raise(ctx, window) },
		"Click":      func(d desktop.Desktop) error { return d.Click(ctx, desktop.Left, 1) },
		"ButtonDown": func(d desktop.Desktop) error { return d.ButtonDown(ctx, desktop.Left) },
		"Scroll":     func(d desktop.Desktop) error { return d.Scroll(ctx, desktop.Down, 1) },
		"Drag":       func(d desktop.Desktop) error { return d.Drag(ctx, at, at, 0) },
		"Type":       func(d desktop.Desktop) error { return d.Type(ctx, "x") },
		"Chord":      func(d desktop.Desktop) error { return d.Chord(ctx, "x") },
		"Hold":       func(d desktop.Desktop) error { return d.Hold(ctx, "x", 0) },
		"OpenApp":    func(d desktop.Desktop) error { _, err := d.OpenApp(ctx, desktop.Launch{Name: "Mail"}); return err },
		"CloseApp":   func(d desktop.Desktop) error { _, err := d.CloseApp(ctx, "Mail", 0); return err },
		"FocusApp":   func(d desktop.Desktop) error { return d.FocusApp(ctx, "Mail", 0) },
	}
	places := map[string]action{"Move": func(d desktop.Desktop) error { return d.Move(ctx, at) }}
	for _, name := range []string{"Act", "SetFocus", "Click", "ButtonDown", "Scroll", "Drag"} {
		places[name] = apps[name]
	}
	for what, c := range map[string]struct {
		rules   Rules
		actions map[string]action
	}{
		"another app":      {Rules{AllowedApps: []string{"calc", "Numb"}}, apps},
		"outside a region": {Rules{ScreenRegion: &desktop.Rect{Width: 100, Height: 100}}, places},
	} {
		for name, act := range c.actions {
			var refused *desktop.RefusedError
			if err := act(Wrap(still{}, c.rules)); !errors.As(err, &refused) {
				t.Errorf("%s, %s: %v", what, name, err)
			}
		}
	}
	methods := reflect.TypeFor[desktop.Desktop]()
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		if apps[name] == nil && places[name] == nil && !slices.Contains(reads, name) {
			t.Errorf("%s is neither guarded nor known to act on nothing", name)
		}
	}
	if err := Wrap(still{}, Rules{AllowedApps: []string{"mail"}}).Act(ctx, &desktop.Element{}, desktop.Press); err == nil {
		t.Error("an element of nobody was acted on")
	}
}
