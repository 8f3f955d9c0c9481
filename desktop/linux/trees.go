//go:build linux

package linux

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
)

// Snapshot implements desktop.Trees.
func (d *Desktop) Snapshot(ctx context.Context, app string, need desktop.Need) (*desktop.Snapshot, error) {
	began := time.Now()
	s, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	apps, windows := s.apps, s.windows
	if app != "" {
		apps, windows = d.of(s, app)
	}
	trees := make([]*desktop.AppTree, len(apps))
	faults := make([]error, len(apps))
	var wg sync.WaitGroup
	for i := range apps {
		wg.Go(func() { trees[i], faults[i] = d.tree(ctx, s, &apps[i], need) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	snapshot := &desktop.Snapshot{}
	for i, t := range trees {
		var broken *desktop.EnvironmentError
		if errors.As(faults[i], &broken) {
			return nil, broken
		}
		if t != nil {
			snapshot.Apps = append(snapshot.Apps, t)
		}
		if faults[i] != nil {
			snapshot.Faults = append(snapshot.Faults, desktop.AppFault{Info: apps[i].info, Err: faults[i]})
		}
	}
	if app != "" {
		snapshot.Faults = append(snapshot.Faults, treeless(apps, windows)...)
	}
	snapshot.TakenIn = time.Since(began)
	return snapshot, nil
}

// tree reads one application's tree. Tree and error are both given where the
// tree is empty although the application shows a window.
func (d *Desktop) tree(ctx context.Context, s *scene, a *seenApp, need desktop.Need) (*desktop.AppTree, error) {
	if isStopped(a.PID) {
		return nil, &desktop.HungError{Name: a.info.Display()}
	}
	ask := need
	if isGTK4(a.App) {
		ask &^= desktop.NeedBounds // placed below
	}
	root, err := d.bus.Tree(ctx, a.App, ask)
	if err != nil {
		return nil, err
	}
	var all []*desktop.Element
	root.Walk(func(e *desktop.Element) bool {
		e.App = &a.info
		all = append(all, e)
		return true
	})
	if need&desktop.NeedBounds != 0 {
		if err := d.place(ctx, s, a.App, all); err != nil {
			return nil, err
		}
	}
	if !hasContent(root) && s.shows(a.PID) {
		err = &desktop.NoTreeError{Name: a.info.Display()}
	}
	return &desktop.AppTree{Info: a.info, Root: root}, err
}

// hasContent reports whether any of the application's windows has anything in
// it.
func hasContent(root *desktop.Element) bool {
	return slices.ContainsFunc(root.Children, func(w *desktop.Element) bool { return len(w.Children) > 0 })
}

// shows reports whether the process has a visible window.
func (s *scene) shows(pid int) bool {
	return slices.ContainsFunc(visible(s.windows), func(w seenWindow) bool { return w.info.PID == pid })
}

// treeless are the faults of applications that show windows and are not in
// the registry.
func treeless(apps []seenApp, windows []seenWindow) []desktop.AppFault {
	known := map[int]bool{}
	for _, a := range apps {
		known[a.PID] = true
	}
	var faults []desktop.AppFault
	for _, w := range visible(windows) {
		if !known[w.info.PID] {
			known[w.info.PID] = true
			faults = append(faults, desktop.AppFault{Info: w.info, Err: &desktop.NoTreeError{Name: w.info.Display()}})
		}
	}
	return faults
}

// Fill implements desktop.Trees.
func (d *Desktop) Fill(ctx context.Context, elements []*desktop.Element, need desktop.Need) error {
	if need&desktop.NeedBounds == 0 {
		return d.bus.Fill(ctx, elements, need)
	}
	// Where things are is known once the input before has had its effects.
	if err := d.taken(ctx); err != nil {
		return err
	}
	// GTK 4 is asked for bounds in another way than the rest.
	var plain, special, office []*desktop.Element
	for _, e := range elements {
		app := d.bus.AppOf(e)
		if isGTK4(app) {
			special = append(special, e)
			continue
		}
		plain = append(plain, e)
		if isVCL(app) {
			office = append(office, e)
		}
	}
	var errs []error
	if len(plain) > 0 {
		errs = append(errs, d.bus.Fill(ctx, plain, need))
		for _, e := range plain {
			keepPlausible(e)
		}
		if len(office) > 0 {
			errs = append(errs, d.placeVCL(ctx, office))
		}
	}
	if len(special) > 0 {
		if rest := need &^ desktop.NeedBounds; rest != 0 {
			errs = append(errs, d.bus.Fill(ctx, special, rest))
		}
		errs = append(errs, d.placeGTK4(ctx, special))
	}
	return errors.Join(errs...)
}

func keepPlausible(e *desktop.Element) {
	if e.BoundsKnown && !plausible(e.Bounds) {
		e.Bounds, e.BoundsKnown = desktop.Rect{}, false
	}
}

// Act implements desktop.Trees.
func (d *Desktop) Act(ctx context.Context, e *desktop.Element, action desktop.ActionKind) error {
	if err := d.taken(ctx); err != nil {
		return err
	}
	if err := d.bus.Act(ctx, e, action); err != nil {
		return err
	}
	return d.carriedOut(ctx, e, action)
}

// SetFocus implements desktop.Trees.
func (d *Desktop) SetFocus(ctx context.Context, e *desktop.Element) error {
	if err := d.taken(ctx); err != nil {
		return err
	}
	return d.bus.SetFocus(ctx, e)
}

// ScrollTo implements desktop.Trees.
func (d *Desktop) ScrollTo(ctx context.Context, e *desktop.Element) error {
	if err := d.taken(ctx); err != nil {
		return err
	}
	return d.bus.ScrollTo(ctx, e)
}

// FocusedElement implements desktop.Trees. It asks the application whose
// window has the input focus.
func (d *Desktop) FocusedElement(ctx context.Context, need desktop.Need) (*desktop.Element, error) {
	apps, err := d.focusedApps(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range apps {
		e, err := d.bus.FocusedElement(ctx, a.App, need&^desktop.NeedBounds)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		root := e
		for root.Parent != nil {
			root = root.Parent
		}
		root.Walk(func(at *desktop.Element) bool {
			at.App = &a.info
			return true
		})
		if need&desktop.NeedBounds != 0 {
			if err := d.Fill(ctx, []*desktop.Element{e}, desktop.NeedBounds); err != nil {
				return nil, err
			}
		}
		return e, nil
	}
	return nil, nil
}

// HasFocusedElement implements desktop.Trees.
func (d *Desktop) HasFocusedElement(ctx context.Context) (bool, error) {
	apps, err := d.focusedApps(ctx)
	if err != nil {
		return false, err
	}
	for _, a := range apps {
		if has, err := d.bus.HasFocus(ctx, a.App); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// IsFocused reports whether the element says now that it has the keyboard focus.
// It costs far less than FocusedElement.
func (d *Desktop) IsFocused(ctx context.Context, e *desktop.Element) (bool, error) {
	return d.bus.IsFocused(ctx, e)
}

// focusedApps are the application objects of the process whose window has the
// input focus.
func (d *Desktop) focusedApps(ctx context.Context) ([]seenApp, error) {
	s, err := d.lookAtWindows(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s.windows, func(w seenWindow) bool { return w.Focused })
	if i < 0 || s.windows[i].info.PID == 0 {
		return nil, nil
	}
	return slices.DeleteFunc(s.apps, func(a seenApp) bool { return a.PID != s.windows[i].info.PID }), nil
}

// isGTK4 reports whether the application's toolkit is GTK 4, which knows
// positions only within its windows.
func isGTK4(a atspi.App) bool { return toolkitOf(a) == desktop.GTK4 }
