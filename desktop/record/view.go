package record

import (
	"context"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// view is what was seen of the desktop in one look. It does not change, but for
// stale.
type view struct {
	// began and ended are when looking did.
	began, ended time.Time
	// windows are the visible windows, front first.
	windows []desktop.Window
	// front is the window with the input focus, nil for none.
	front *desktop.Window
	// trees are those of the processes that were looked at.
	trees map[int][]*desktop.AppTree
	// focus is the element of front that has the keyboard focus, nil where none
	// says so.
	focus *desktop.Element
	// stale is when something was heard to have changed since began; zero as
	// long as nothing has. It is the watcher's lock that guards it.
	stale time.Time
}

// need is what of elements is looked at.
const need = desktop.NeedIdentifier | desktop.NeedBounds | desktop.NeedText

// look takes a view: the windows, and the trees of the one in front and of the
// one at the point. What does not answer is left out.
func (w *watcher) look(ctx context.Context, at desktop.Point) *view {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	v := &view{began: time.Now(), trees: map[int][]*desktop.AppTree{}}
	w.add(v)
	windows, err := w.desktop.Windows(ctx)
	if err == nil {
		v.windows = windows
	}
	under := topAt(windows, at)
	for i := range windows {
		if windows[i].Focused {
			v.front = &windows[i]
		}
	}
	for _, win := range []*desktop.Window{v.front, under} {
		if win == nil || win.App.PID == 0 || v.trees[win.App.PID] != nil {
			continue
		}
		snap, err := w.desktop.Snapshot(ctx, win.App.Display(), need)
		if err != nil {
			continue
		}
		trees := []*desktop.AppTree{}
		for _, tree := range snap.Apps {
			if tree.Info.PID == win.App.PID {
				trees = append(trees, tree)
			}
		}
		v.trees[win.App.PID] = trees
	}
	if v.front != nil {
		v.focus = focusIn(v.trees[v.front.App.PID])
	}
	v.ended = time.Now()
	return v
}

// lookTimeout bounds a look at applications that do not answer.
const lookTimeout = 2 * time.Second

// topAt is the window in front at the point, nil for none. It goes by the
// windows' own areas, without what the window manager draws around them.
func topAt(windows []desktop.Window, at desktop.Point) *desktop.Window {
	for i, w := range windows {
		if w.Bounds.Contains(at) && !w.Tooltip {
			return &windows[i]
		}
	}
	return nil
}

// focusIn is the element that has the focus, in an active window if there is
// one, and the innermost of several.
func focusIn(trees []*desktop.AppTree) (best *desktop.Element) {
	active := func(e *desktop.Element) bool { return e.Window != nil && e.Window.States.Has(desktop.Active) }
	for _, tree := range trees {
		tree.Root.Walk(func(e *desktop.Element) bool {
			if e.States.Has(desktop.Focused) && (best == nil || active(e) || !active(best)) {
				best = e
			}
			return true
		})
	}
	return best
}

// window is the window of that id, nil where it was not seen.
func (v *view) window(id uint32) *desktop.Window {
	for i := range v.windows {
		if v.windows[i].ID == id {
			return &v.windows[i]
		}
	}
	return nil
}
