package runner_test

import (
	"context"
	"errors"
	"image"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

// What a desktop cannot do although its environment answers is the program's
// or the app's, whatever the error.
func TestRefusedActionsAreNoFaultsOfTheEnvironment(t *testing.T) {
	for _, row := range []struct{ method, step string }{
		{"Type", `"tool":"keyboard","params":{"action":"type","text":"x"}`},
		{"CloseApp", `"tool":"app","params":{"action":"close","name":"Numbers"}`},
		{"WriteClipboard", `"tool":"clipboard","params":{"action":"write","text":"x"}`},
		{"Click", `"tool":"mouse","params":{"action":"click","x":1,"y":1}`},
	} {
		t.Run(row.method, func(t *testing.T) {
			n := newNumbers()
			n.desktop.Add(n.app)
			n.desktop.FailNth(row.method, 1, errors.New("it stays as it is"))
			o := run(t, n.desktop, `{"name":"r","version":1,"steps":[{"id":"s1",`+row.step+`}]}`)
			if o.Status != results.Failed || o.step("s1").Failure.Kind != results.ActionRefused {
				t.Errorf("%s: %+v", o.Status, o.step("s1").Failure)
			}
			if o.Reason != "action refused: it stays as it is" {
				t.Errorf("reason %q", o.Reason)
			}
		})
	}
}

// A pointer acts on the part of an element that is on the screen.
func TestPointerOnTheScreenOnly(t *testing.T) {
	for _, row := range []struct {
		name   string
		x      int
		status results.Status
		says   string
	}{
		{"centre outside", 1240, results.Passed, "move to (1260,210)"},
		{"all outside", 1300, results.Failed, "is outside the screen (1280×800)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := fake.New(1280, 800)
			d.Add(&fake.App{Info: desktop.AppInfo{Name: "Wide"}, Windows: []*fake.Window{{
				Title: "w", Bounds: desktop.Rect{X: 500, Width: 1500, Height: 500},
				Nodes: []*fake.Node{{Role: "label", Name: "Far", Bounds: desktop.Rect{X: row.x, Y: 200, Width: 100, Height: 20}}},
			}}})
			o := run(t, d, `{"name":"w","version":1,"steps":[{"id":"s1","tool":"mouse",
			  "params":{"action":"click"},"target":{"app":"Wide","title":"Far"},"resolve_timeout_ms":10}]}`)
			if o.Status != row.status || !strings.Contains(o.Reason+strings.Join(d.Log(), "\n"), row.says) {
				t.Errorf("%s: %s %q", o.Status, o.Reason, d.Log())
			}
		})
	}
}

// strictCapture refuses what lies outside the screen, as X does.
type strictCapture struct{ *fake.Desktop }

func (d strictCapture) Capture(ctx context.Context, region desktop.Rect) (*image.RGBA, error) {
	img, err := d.Desktop.Capture(ctx, region)
	if err == nil && img.Bounds().Empty() {
		return nil, errors.New("the region lies outside the screen")
	}
	return img, err
}

// A window that was moved off the screen is not read, and breaks nothing.
func TestWindowsOutsideTheScreenAreNotRead(t *testing.T) {
	d := fake.New(800, 600)
	away := &fake.Window{Title: "away", Bounds: desktop.Rect{X: 900, Y: 20, Width: 400, Height: 300}}
	here := &fake.Window{Title: "here", Bounds: desktop.Rect{X: 10, Y: 20, Width: 400, Height: 300}}
	app := d.Install(&fake.App{Info: desktop.AppInfo{Name: "Terminal"}, NoTree: true, Windows: []*fake.Window{away, here}})
	read := &reader{text: "Build finished"}
	o := run(t, strictCapture{d}, showsText, func(r *runner.Request) { r.Reader = read })
	if o.Status != results.Passed || read.asked != 1 {
		t.Fatalf("%s: %s (asked %d times)", o.Status, o.Reason, read.asked)
	}
	app.Windows = slices.DeleteFunc(app.Windows, func(w *fake.Window) bool { return w == here })
	o = run(t, strictCapture{d}, showsText, func(r *runner.Request) { r.Reader = read })
	if o.Status != results.Failed || o.step("s1").Failure.Kind != results.PostconditionNotMet {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
}

// interruptedProbe is a desktop whose run is interrupted while it is probed.
type interruptedProbe struct {
	*fake.Desktop
	interrupt func()
}

func (d interruptedProbe) Probe(ctx context.Context) desktop.Health {
	d.interrupt()
	if err := ctx.Err(); err != nil {
		d.Break(desktop.PartDisplay, err.Error())
	}
	return d.Desktop.Probe(ctx)
}

// A failure that was seen before an interrupt is a failure.
func TestAnInterruptIsNoFaultOfTheEnvironment(t *testing.T) {
	p, problems := program.Parse("p", []byte(`{"name":"i","version":1,"steps":[{"id":"s1","tool":"wait",
	  "postcondition":{"kind":"app_frontmost","value":"x","timeout_ms":1}}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := runner.Run(ctx, runner.Request{Program: p, Desktop: interruptedProbe{newNumbers().desktop, cancel}})
	if a.Status != results.Failed || a.Steps[0].Failure.Kind != results.PostconditionNotMet {
		t.Errorf("%s: %s", a.Status, a.Reason)
	}
}

func TestAnAppWhoseWindowComesLateIsFocused(t *testing.T) {
	n := newNumbers()
	n.desktop.Add(n.app)
	late := n.app.Windows
	n.app.Windows = nil
	n.desktop.After(100*time.Millisecond, func() { n.app.Windows = late })
	const focus = `{"name":"f","version":1,"steps":[{"id":"s1","tool":"app","params":{"action":"focus","name":"Numbers"},
	  "postcondition":{"kind":"app_frontmost","value":"Numbers","timeout_ms":200}}]}`
	if o := run(t, n.desktop, focus); o.Status != results.Passed {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
	n.app.Windows = nil
	o := run(t, n.desktop, focus, func(r *runner.Request) { r.Scale = 0.02 })
	if o.Status != results.Failed || o.Reason != "app 'Numbers' showed no window within 100 ms" {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
}

// recovering is a desktop with a part that is silent, or slow, and answers
// again by the time that a step has failed.
type recovering struct {
	*fake.Desktop
	asked atomic.Int32
	first func(*desktop.Probe)
}

func (d *recovering) Probe(ctx context.Context) desktop.Health {
	health := d.Desktop.Probe(ctx)
	if d.asked.Add(1) == 1 {
		d.first(&health[1])
	}
	return health
}

// A part that was silent while a step failed is to blame, although it answers
// when the step has failed.
func TestFaultsThatPassAway(t *testing.T) {
	for _, row := range []struct {
		name   string
		within string
		first  func(*desktop.Probe)
		status results.Status
		says   string
	}{
		{"silent", "900", func(p *desktop.Probe) { p.OK, p.Detail = false, "nothing came" }, results.Broken,
			"window manager does not answer: while the step was under way: nothing came (it answers again)"},
		{"slow", "900", func(p *desktop.Probe) { p.Millis = 3200 }, results.Broken,
			"window manager does not answer: it took 3.2 s to answer"},
		{"slow at the end", "10", func(p *desktop.Probe) { p.Millis = 3200 }, results.Broken,
			"window manager does not answer: it took 3.2 s to answer"},
		{"well", "900", func(*desktop.Probe) {}, results.Failed, "not met within 900 ms"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			o := run(t, &recovering{Desktop: newNumbers().desktop, first: row.first}, `{"name":"i","version":1,"steps":[{"id":"s1","tool":"wait",
			  "postcondition":{"kind":"app_frontmost","value":"x","timeout_ms":`+row.within+`}}]}`)
			if o.Status != row.status || !strings.Contains(o.Reason, row.says) {
				t.Errorf("%s: %s", o.Status, o.Reason)
			}
		})
	}
}
