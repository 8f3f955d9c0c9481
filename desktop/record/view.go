package record

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// view is what was seen of the desktop at one moment. It does not change.
type view struct {
	// began and ended are when looking did.
	began, ended time.Time
	// windows are the visible windows, front first.
	windows []desktop.Window
	// front is the window with the input focus, nil for none; since is when it
	// was first seen there, with that title.
	front *desktop.Window
	since time.Time
	// forest is what was last seen of the applications, maybe before the view.
	forest *forest
	// focus is the element of front that has the keyboard focus, nil where none
	// says so.
	focus *desktop.Element
}

// forest is the trees of some applications. It does not change, but for stale.
type forest struct {
	began, ended time.Time
	// trees are those of the processes that were looked at and told everything,
	// failed says that another did not.
	trees  map[int][]*desktop.AppTree
	failed bool
	// stale is when something was heard to have changed since began; zero as
	// long as nothing has. It is the watcher's lock that guards it.
	stale time.Time
}

// need is what is looked at of the elements that are shown.
const need = desktop.NeedIdentifier | desktop.NeedBounds | desktop.NeedText

// lookTimeout bounds a look. An application that does not answer is given up
// long before; this is for machines that are very busy.
const lookTimeout = 10 * time.Second

// glance sees the windows, which is cheap. Of the applications it has what the
// last look saw.
func (w *watcher) glance(ctx context.Context) *view {
	v := &view{began: time.Now(), forest: &forest{}}
	last := w.lastView()
	if last != nil {
		v.forest = last.forest
	}
	v.windows, _ = w.desktop.Windows(ctx) // none where the display does not answer
	for i := range v.windows {
		if v.windows[i].Focused {
			v.front = &v.windows[i]
		}
	}
	if v.since = v.began; last != nil && v.sameFront(last) {
		v.since = last.since
	}
	v.finish()
	w.add(v)
	return v
}

// sameFront reports whether the same window with the same title is in front.
func (v *view) sameFront(other *view) bool {
	a, b := v.front, other.front
	return a == nil && b == nil || a != nil && b != nil && a.ID == b.ID && a.Title == b.Title
}

// look sees the windows, and the applications of the one in front and of the one
// at the point. What does not answer is left out.
func (w *watcher) look(ctx context.Context, at desktop.Point) *view {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	seen := w.glance(ctx)
	f := &forest{began: seen.began, trees: map[int][]*desktop.AppTree{}}
	w.mark(f)
	for _, win := range []*desktop.Window{seen.front, topAt(seen.windows, at)} {
		if win == nil || win.App.PID == 0 || f.trees[win.App.PID] != nil {
			continue
		}
		if trees, err := w.trees(ctx, win.App); err == nil {
			f.trees[win.App.PID] = trees
		} else {
			f.failed = true
		}
	}
	f.ended = time.Now()
	v := &view{began: seen.began, windows: seen.windows, front: seen.front, since: seen.since, forest: f}
	v.finish()
	w.add(v)
	return v
}

// trees are those of the application, with more of the elements that are shown.
// One that does not tell everything tells nothing: half of it would look as if
// the rest had gone.
func (w *watcher) trees(ctx context.Context, app desktop.AppInfo) ([]*desktop.AppTree, error) {
	snap, err := w.desktop.Snapshot(ctx, app.Display(), 0)
	if err != nil {
		return nil, err
	}
	trees := []*desktop.AppTree{}
	var elements []*desktop.Element
	for _, tree := range snap.Apps {
		if tree.Info.PID == app.PID {
			trees = append(trees, tree)
			visit([]*desktop.AppTree{tree}, func(e *desktop.Element) {
				if shown(e) {
					elements = append(elements, e)
				}
			})
		}
	}
	for _, fault := range snap.Faults {
		var none *desktop.NoTreeError
		if fault.Info.PID == app.PID && !errors.As(fault.Err, &none) {
			return nil, fault.Err
		}
	}
	return trees, w.desktop.Fill(ctx, elements, need)
}

// finish completes the view.
func (v *view) finish() {
	if v.front != nil {
		v.focus = focusIn(v.forest.trees[v.front.App.PID])
	}
	v.ended = time.Now()
}

// alike reports whether two views have the same windows.
func (v *view) alike(other *view) bool {
	return slices.EqualFunc(v.windows, other.windows, func(a, b desktop.Window) bool {
		return a.ID == b.ID && a.Title == b.Title && a.Focused == b.Focused
	})
}

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
// one. Where several say that they have it, it is one that takes texts, or else
// the innermost; a tab of Qt says so beside what is on its page.
func focusIn(trees []*desktop.AppTree) (best *desktop.Element) {
	rank := func(e *desktop.Element) (r int) {
		if e.Window != nil && e.Window.States.Has(desktop.Active) {
			r += 4
		}
		switch {
		case takesText(e):
			r += 2
		case e.Role != "page tab":
			r++
		}
		return r
	}
	for _, tree := range trees {
		tree.Root.Walk(func(e *desktop.Element) bool {
			if e.States.Has(desktop.Focused) && (best == nil || rank(e) >= rank(best)) {
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
