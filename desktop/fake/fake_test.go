package fake_test

import (
	"context"
	"errors"
	"image/color"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
)

var ctx = context.Background()

// editor is a desktop with one application that has a text field and a button.
func editor() (d *fake.Desktop, app *fake.App, field, button *fake.Node) {
	d = fake.New(800, 600)
	field = &fake.Node{Role: "text", States: desktop.Editable | desktop.Focusable, Bounds: desktop.Rect{X: 10, Y: 10, Width: 100, Height: 20}}
	button = &fake.Node{Role: "push button", Name: "OK", Actions: []string{"click"}, Bounds: desktop.Rect{X: 10, Y: 50, Width: 50, Height: 20}}
	app = d.Add(&fake.App{
		Info:    desktop.AppInfo{Name: "Editor"},
		Windows: []*fake.Window{{Title: "Untitled", Bounds: desktop.Rect{Width: 400, Height: 300}, Nodes: []*fake.Node{field, button}}},
	})
	return d, app, field, button
}

func snapshot(t *testing.T, d *fake.Desktop) []*desktop.Element {
	t.Helper()
	s, err := d.Snapshot(ctx, "editor", desktop.NeedText|desktop.NeedBounds|desktop.NeedActions)
	if err != nil || len(s.Apps) != 1 {
		t.Fatalf("snapshot: %+v, %v", s, err)
	}
	return s.Apps[0].Root.Children[0].Children
}

func TestFaults(t *testing.T) {
	d, _, _, _ := editor()
	boom := errors.New("boom")
	d.FailNth("Snapshot", 2, boom)
	d.FailNth("Click", 0, boom)
	for i, want := range []error{nil, boom, nil} {
		if _, err := d.Snapshot(ctx, "", 0); err != want {
			t.Errorf("snapshot %d: %v, want %v", i+1, err, want)
		}
	}
	for range 2 {
		if err := d.Click(ctx, desktop.Left, 1); err != boom {
			t.Errorf("click: %v", err)
		}
	}
	if got := d.Calls("Snapshot"); got != 3 {
		t.Errorf("%d calls counted", got)
	}
	if len(d.Log()) != 0 {
		t.Errorf("failed calls are in the log: %q", d.Log())
	}
	defer func() {
		if recover() == nil {
			t.Error("a method that is none can fail")
		}
	}()
	d.FailNth("Snapshots", 1, boom)
}

func TestInput(t *testing.T) {
	d, _, field, button := editor()
	pressed := 0
	button.OnPress = func() { pressed++ }
	d.On("Type", 1, func() { button.Name = "Done" })
	for _, do := range []func() error{
		func() error { return d.Move(ctx, desktop.Point{X: 20, Y: 15}) },
		func() error { return d.Click(ctx, desktop.Left, 1) },
		func() error { return d.Type(ctx, "héllo") },
		func() error { return d.Chord(ctx, "s", "ctrl") },
		func() error { return d.Move(ctx, desktop.Point{X: 20, Y: 55}) },
		func() error { return d.Click(ctx, desktop.Left, 2) },
		func() error { return d.Act(ctx, snapshot(t, d)[1], desktop.Press) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if field.Text != "héllo" || pressed != 3 {
		t.Errorf("text %q, pressed %d times", field.Text, pressed)
	}
	want := []string{
		"move to (20,15)", "click left 1 at (20,15)", `type "héllo"`, "chord ctrl+s",
		"move to (20,55)", "click left 2 at (20,55)", "press push button 'Done'",
	}
	if got := d.Log(); !slices.Equal(got, want) {
		t.Errorf("log %q, want %q", got, want)
	}
	if e, err := d.FocusedElement(ctx, desktop.NeedText); err != nil || e == nil || e.Text != "héllo" {
		t.Errorf("focused: %+v, %v", e, err)
	}
	var off *desktop.OffScreenError
	if err := d.Move(ctx, desktop.Point{X: 800}); !errors.As(err, &off) {
		t.Errorf("moved off the screen: %v", err)
	}
}

func TestTypedErrors(t *testing.T) {
	d, app, _, button := editor()
	elements := snapshot(t, d)
	var (
		noAction   *desktop.NoActionError
		unanswered *desktop.UnansweredError
		gone       *desktop.GoneError
		notRunning *desktop.AppNotRunningError
		notFound   *desktop.AppNotFoundError
		hung       *desktop.HungError
	)
	if err := d.Act(ctx, elements[0], desktop.Press); !errors.As(err, &noAction) {
		t.Errorf("no action: %v", err)
	}
	app.Hung = true
	if err := d.Act(ctx, elements[1], desktop.Press); !errors.As(err, &unanswered) {
		t.Errorf("hung: %v", err)
	}
	if s, _ := d.Snapshot(ctx, "", 0); len(s.Apps) != 0 || len(s.Faults) != 1 || !errors.As(s.Faults[0].Err, &hung) {
		t.Errorf("hung: %+v", s)
	}
	app.Hung = false
	app.Windows[0].Nodes = []*fake.Node{button}
	if err := d.Act(ctx, elements[0], desktop.Press); !errors.As(err, &gone) {
		t.Errorf("gone: %v", err)
	}
	if err := d.Fill(ctx, elements, desktop.NeedText); err != nil || !elements[0].Gone || elements[1].Gone {
		t.Errorf("fill: %v, gone %v and %v", err, elements[0].Gone, elements[1].Gone)
	}
	if _, err := d.CloseApp(ctx, "Editor", 0); err != nil {
		t.Error(err)
	}
	if err := d.FocusApp(ctx, "Editor", 0); !errors.As(err, &notRunning) {
		t.Errorf("focus: %v", err)
	}
	if s, _ := d.AppState(ctx, "Editor"); s.Running || s.Exited != "exit status 0" {
		t.Errorf("state: %+v", s)
	}
	if _, err := d.OpenApp(ctx, desktop.Launch{Name: "Editor"}); !errors.As(err, &notFound) {
		t.Errorf("open: %v", err)
	}
	d.Install(app)
	if o, err := d.OpenApp(ctx, desktop.Launch{Name: "Editor"}); err != nil || o.Window.Title != "Untitled" {
		t.Errorf("open: %+v, %v", o, err)
	}
	if w, _ := d.FocusedWindow(ctx); w == nil || w.App.Name != "Editor" {
		t.Errorf("focused window: %+v", w)
	}
}

// Changes that come by themselves work in a bubble of fake time too.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, app, _, button := editor()
		button.OnPress = func() {
			d.After(2*time.Second, func() { app.Windows[0].Title = "Saved" })
		}
		start := time.Now()
		if err := d.Act(ctx, snapshot(t, d)[1], desktop.Press); err != nil {
			t.Fatal(err)
		}
		<-d.Changes() // the press
		<-d.Changes()
		if w, _ := d.FocusedWindow(ctx); w.Title != "Saved" || time.Since(start) != 2*time.Second {
			t.Errorf("title %q after %v", w.Title, time.Since(start))
		}
		d.DelayNth("Snapshot", 0, time.Minute)
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := d.Snapshot(short, "", 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("delayed call: %v", err)
		}
		d.After(time.Hour, func() { t.Error("runs after Close") })
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestProbeAndCapture(t *testing.T) {
	d, _, _, _ := editor()
	d.Break(desktop.PartA11yBus, "no answer")
	if f := d.Probe(ctx).FirstFault(); f == nil || f.Part != desktop.PartA11yBus || f.Detail != "no answer" {
		t.Errorf("fault %+v", f)
	}
	d.Break(desktop.PartA11yBus, "")
	if h := d.Probe(ctx); !h.OK() || len(h) != len(desktop.Parts) {
		t.Errorf("health %+v", h)
	}
	img, err := d.Capture(ctx, desktop.Rect{X: 700, Y: 500, Width: 500, Height: 500})
	if err != nil || img.Bounds().Min.X != 700 || img.Bounds().Max.X != 800 || img.At(750, 550) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("captured %v, %v", img.Bounds(), err)
	}
}
