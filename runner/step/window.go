package step

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/wait"
)

// inWindow gives the environment for a step with window_index: of the app's
// windows only that one, counted from the front, is looked at. Any but the
// frontmost is brought to the front for that. 1 means the frontmost first; an
// element that is only in another window is found there as ever.
func (env *Env) inWindow(ctx context.Context, s program.Step) (*Env, error) {
	index := int(s.Number("window_index"))
	if !s.Given("window_index") || index < 1 || s.App() == "" {
		return env, nil
	}
	timeout := env.scaled(s.ResolveTimeout)
	var windows []desktop.Window
	held, _, err := wait.Until(ctx, env.Desktop.Changes(), timeout, func(ctx context.Context) (bool, error) {
		var err error
		windows, err = windowsOf(ctx, env.Desktop, s.App())
		return len(windows) >= index || index == 1, err
	})
	switch {
	case err != nil:
		return nil, err
	case !held:
		return nil, noSuchWindow(s, index, len(windows), timeout)
	case len(windows) == 0:
		return env, nil // the action says what is missing
	}
	chosen := windows[index-1]
	if index > 1 && !chosen.Focused {
		if err := env.Desktop.Raise(ctx, chosen); err != nil {
			return nil, err
		}
	}
	scoped := *env
	scoped.Desktop = &oneWindow{Desktop: env.Desktop, app: s.App(), chosen: chosen.ID, strict: index > 1}
	return &scoped, nil
}

func noSuchWindow(s program.Step, index, have int, timeout time.Duration) *Error {
	return &Error{
		Kind:   results.TargetNotFound,
		Reason: fmt.Sprintf("target not found after %d ms: no window %d of %s", timeout.Milliseconds(), index, s.App()),
		Details: []string{
			fmt.Sprintf("app '%s' shows %d windows (window_index counts them from the front)", s.App(), have),
		},
	}
}

// windowsOf are the app's windows, front first, without menus and tooltips.
func windowsOf(ctx context.Context, d desktop.Desktop, app string) ([]desktop.Window, error) {
	windows, err := d.Windows(ctx)
	return slices.DeleteFunc(windows, func(w desktop.Window) bool { return w.Override || !w.App.Matches(app) }), err
}

// oneWindow is a desktop on which the trees of an app hold one of its windows:
// alone, or before the others where strict is not set. Top-level elements that
// are no window (menus, popups) stay.
type oneWindow struct {
	desktop.Desktop
	app    string
	chosen uint32
	strict bool
}

// Snapshot implements desktop.Trees.
func (d *oneWindow) Snapshot(ctx context.Context, app string, need desktop.Need) (*desktop.Snapshot, error) {
	snap, err := d.Desktop.Snapshot(ctx, app, need)
	if err != nil || app != d.app {
		return snap, err
	}
	windows, err := windowsOf(ctx, d.Desktop, app)
	if err != nil {
		return nil, err
	}
	var tops []*desktop.Element
	for _, tree := range snap.Apps {
		tops = append(tops, tree.Root.Children...)
	}
	if err := d.Fill(ctx, tops, desktop.NeedBounds); environmental(err) {
		return nil, err
	}
	own, others := topLevels(tops, windows, d.chosen)
	for _, tree := range snap.Apps {
		tree.Root.Children = d.arrange(tree.Root.Children, own, others)
	}
	return snap, nil
}

// arrange puts the chosen window's element first, and leaves out those of
// other windows where only that one counts.
func (d *oneWindow) arrange(tops []*desktop.Element, own *desktop.Element, others []*desktop.Element) []*desktop.Element {
	var first, rest []*desktop.Element
	for _, top := range tops {
		switch {
		case top == own:
			first = append(first, top)
		case !d.strict || !slices.Contains(others, top):
			rest = append(rest, top)
		}
	}
	return append(first, rest...)
}

// topLevels finds the element of the chosen window, nil for none, and those of
// the other windows. Process and title tell them; of several alike the one
// that says that it is active, where the chosen window has the focus, or that
// is nearest to the window's place.
func topLevels(tops []*desktop.Element, windows []desktop.Window, chosen uint32) (own *desktop.Element, others []*desktop.Element) {
	var window desktop.Window
	for _, w := range windows {
		if w.ID == chosen {
			window = w
		}
	}
	for _, top := range tops {
		if fits(top, window) && (own == nil || better(top, own, window)) {
			own = top
		}
	}
	for _, top := range tops {
		if top != own && slices.ContainsFunc(windows, func(w desktop.Window) bool { return fits(top, w) }) {
			others = append(others, top)
		}
	}
	return own, others
}

func fits(top *desktop.Element, w desktop.Window) bool {
	if top.App != nil && top.App.PID != 0 && w.App.PID != 0 && top.App.PID != w.App.PID {
		return false
	}
	return w.ID != 0 && fold.Text(top.Name) == fold.Text(w.Title)
}

// better reports whether a rather than b is the window's element.
func better(a, b *desktop.Element, w desktop.Window) bool {
	if activeA, activeB := a.States.Has(desktop.Active), b.States.Has(desktop.Active); w.Focused && activeA != activeB {
		return activeA
	}
	if a.BoundsKnown != b.BoundsKnown {
		return a.BoundsKnown
	}
	return distance(a.Bounds, w.Bounds) < distance(b.Bounds, w.Bounds)
}

// distance is the squared distance of two boxes' corners.
func distance(a, b desktop.Rect) int {
	square := func(n int) int { return n * n }
	return square(a.X-b.X) + square(a.Y-b.Y) + square(a.X+a.Width-b.X-b.Width) + square(a.Y+a.Height-b.Y-b.Height)
}
