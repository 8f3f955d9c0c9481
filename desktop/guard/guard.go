// Package guard keeps what is done on a desktop to some applications and a
// part of the screen. Reading is free; acting on anything else is refused with
// a *desktop.RefusedError, and nothing is done.
package guard

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// Rules say what is allowed. The zero value allows everything.
type Rules struct {
	// AllowedApps are parts of the names of the apps that may be acted on,
	// whatever their case; none allows all.
	AllowedApps []string `json:"allowed_apps,omitempty"`
	// ScreenRegion is where the pointer may act, in screen pixels; nil for the
	// whole screen.
	ScreenRegion *desktop.Rect `json:"screen_region,omitempty"`
}

// IsZero reports whether everything is allowed.
func (r Rules) IsZero() bool { return len(r.AllowedApps) == 0 && r.ScreenRegion == nil }

// Wrap gives the desktop with the rules in force.
func Wrap(d desktop.Desktop, r Rules) desktop.Desktop {
	if r.IsZero() {
		return d
	}
	return &guarded{Desktop: d, rules: r}
}

// guarded is a desktop whose acting methods ask the rules first.
type guarded struct {
	desktop.Desktop
	rules Rules
}

func refusedf(format string, args ...any) error {
	return &desktop.RefusedError{Reason: fmt.Sprintf(format, args...)}
}

// app refuses an application none of whose names holds one that is allowed.
// called are further names that it goes by.
func (g *guarded) app(info desktop.AppInfo, called ...string) error {
	if len(g.rules.AllowedApps) == 0 {
		return nil
	}
	names := append(called, info.Display(), info.Name, info.Class, info.Instance, info.Process, info.OpenedAs, info.DesktopID, info.DesktopName)
	for _, allowed := range g.rules.AllowedApps {
		part := fold.Text(allowed)
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(fold.Text(name), part) }) {
			return nil
		}
	}
	who := info.Display()
	if len(called) > 0 {
		who = called[0]
	}
	return refusedf("app '%s' is not among the allowed apps (%s)", fold.Space(who), strings.Join(g.rules.AllowedApps, ", "))
}

// named refuses an application by the name that a program gives it, unless one
// that runs and goes by it is allowed.
func (g *guarded) named(ctx context.Context, name string, called ...string) error {
	refused := g.app(desktop.AppInfo{}, append([]string{name}, called...)...)
	if refused == nil {
		return nil
	}
	running, err := g.RunningApps(ctx)
	if err != nil {
		return err
	}
	for _, info := range running {
		if info.Matches(name) && g.app(info) == nil {
			return nil
		}
	}
	return refused
}

// point refuses a place outside the region.
func (g *guarded) point(p desktop.Point) error {
	if r := g.rules.ScreenRegion; r != nil && !r.Contains(p) {
		return refusedf("(%d,%d) is outside the allowed screen region (%d,%d, size %dx%d)", p.X, p.Y, r.X, r.Y, r.Width, r.Height)
	}
	return nil
}

// at refuses a press at a place: outside the region, or over the window of an
// application that is not allowed.
func (g *guarded) at(ctx context.Context, p desktop.Point) error {
	if err := g.point(p); err != nil || len(g.rules.AllowedApps) == 0 {
		return err
	}
	windows, err := g.Windows(ctx)
	if err != nil {
		return err
	}
	for _, w := range windows {
		if w.Bounds.Contains(p) && !w.Tooltip {
			return g.window(ctx, w)
		}
	}
	return nil // the background, or a frame
}

// window refuses the window of an application that is not allowed. A menu that
// says nothing of its application is that of the window with the focus.
func (g *guarded) window(ctx context.Context, w desktop.Window) error {
	if !w.Override || w.App.Display() != "" {
		return g.app(w.App)
	}
	return g.keyboard(ctx)
}

// keyboard refuses keys that would go to an application that is not allowed.
func (g *guarded) keyboard(ctx context.Context) error {
	if len(g.rules.AllowedApps) == 0 {
		return nil
	}
	w, err := g.FocusedWindow(ctx)
	switch {
	case err != nil:
		return err
	case w == nil:
		return refusedf("no window of an allowed app has the focus (%s)", strings.Join(g.rules.AllowedApps, ", "))
	}
	return g.app(w.App)
}

// underPointer refuses a press where the pointer is.
func (g *guarded) underPointer(ctx context.Context) error {
	p, err := g.PointerAt(ctx)
	if err != nil {
		return err
	}
	return g.at(ctx, p)
}

// owner refuses an element of an application that is not allowed, or not known.
func (g *guarded) owner(e *desktop.Element) error {
	if e.App == nil {
		return g.app(desktop.AppInfo{})
	}
	return g.app(*e.App)
}

// element refuses what owner refuses, and an element outside of the region.
func (g *guarded) element(e *desktop.Element) error {
	if err := g.owner(e); err != nil {
		return err
	}
	if e.BoundsKnown {
		return g.point(e.Bounds.Centre())
	}
	return nil
}

// Act implements desktop.Trees.
func (g *guarded) Act(ctx context.Context, e *desktop.Element, action desktop.ActionKind) error {
	if err := g.element(e); err != nil {
		return err
	}
	return g.Desktop.Act(ctx, e, action)
}

// SetFocus implements desktop.Trees.
func (g *guarded) SetFocus(ctx context.Context, e *desktop.Element) error {
	if err := g.element(e); err != nil {
		return err
	}
	return g.Desktop.SetFocus(ctx, e)
}

// ScrollTo implements desktop.Trees. Where the element is before does not
// matter.
func (g *guarded) ScrollTo(ctx context.Context, e *desktop.Element) error {
	if err := g.owner(e); err != nil {
		return err
	}
	return g.Desktop.ScrollTo(ctx, e)
}

// Raise implements desktop.Windows.
func (g *guarded) Raise(ctx context.Context, w desktop.Window) error {
	if err := g.window(ctx, w); err != nil {
		return err
	}
	return g.Desktop.Raise(ctx, w)
}

// Move implements desktop.Pointer.
func (g *guarded) Move(ctx context.Context, to desktop.Point) error {
	if err := g.point(to); err != nil {
		return err
	}
	return g.Desktop.Move(ctx, to)
}

// Click implements desktop.Pointer.
func (g *guarded) Click(ctx context.Context, b desktop.Button, count int) error {
	if err := g.underPointer(ctx); err != nil {
		return err
	}
	return g.Desktop.Click(ctx, b, count)
}

// ButtonDown implements desktop.Pointer. Letting go is never refused.
func (g *guarded) ButtonDown(ctx context.Context, b desktop.Button) error {
	if err := g.underPointer(ctx); err != nil {
		return err
	}
	return g.Desktop.ButtonDown(ctx, b)
}

// Scroll implements desktop.Pointer.
func (g *guarded) Scroll(ctx context.Context, d desktop.Direction, clicks int) error {
	if err := g.underPointer(ctx); err != nil {
		return err
	}
	return g.Desktop.Scroll(ctx, d, clicks)
}

// Drag implements desktop.Pointer.
func (g *guarded) Drag(ctx context.Context, from, to desktop.Point, duration time.Duration) error {
	for _, p := range []desktop.Point{from, to} {
		if err := g.at(ctx, p); err != nil {
			return err
		}
	}
	return g.Desktop.Drag(ctx, from, to, duration)
}

// Type implements desktop.Keyboard.
func (g *guarded) Type(ctx context.Context, text string) error {
	if err := g.keyboard(ctx); err != nil {
		return err
	}
	return g.Desktop.Type(ctx, text)
}

// Chord implements desktop.Keyboard.
func (g *guarded) Chord(ctx context.Context, key string, modifiers ...string) error {
	if err := g.keyboard(ctx); err != nil {
		return err
	}
	return g.Desktop.Chord(ctx, key, modifiers...)
}

// Hold implements desktop.Keyboard.
func (g *guarded) Hold(ctx context.Context, key string, d time.Duration) error {
	if err := g.keyboard(ctx); err != nil {
		return err
	}
	return g.Desktop.Hold(ctx, key, d)
}

// OpenApp implements desktop.Apps. The command that the project gives for the
// name counts as a name, too.
func (g *guarded) OpenApp(ctx context.Context, l desktop.Launch) (*desktop.Opened, error) {
	var called []string
	if len(l.Command) > 0 {
		called = append(called, path.Base(l.Command[0]))
	}
	if err := g.named(ctx, l.Name, called...); err != nil {
		return nil, err
	}
	return g.Desktop.OpenApp(ctx, l)
}

// CloseApp implements desktop.Apps.
func (g *guarded) CloseApp(ctx context.Context, name string, timeout time.Duration) (*desktop.Closed, error) {
	if err := g.named(ctx, name); err != nil {
		return nil, err
	}
	return g.Desktop.CloseApp(ctx, name, timeout)
}

// FocusApp implements desktop.Apps.
func (g *guarded) FocusApp(ctx context.Context, name string, timeout time.Duration) error {
	if err := g.named(ctx, name); err != nil {
		return err
	}
	return g.Desktop.FocusApp(ctx, name, timeout)
}
