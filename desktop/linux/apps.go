//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// toFront raises the window and returns once the named application has the
// focus: the window itself, or a dialog of the application's that takes it.
func (d *Desktop) toFront(ctx context.Context, name string, id uint32) error {
	for tries := 1; ; tries++ {
		err := d.tryRaise(ctx, id)
		if err == nil {
			return nil
		}
		if tries == raiseTries {
			if err := d.managerSilent(ctx, 1); err != nil {
				return err
			}
		}
		s, lookErr := d.look(ctx)
		if lookErr != nil {
			return lookErr
		}
		_, windows := d.of(s, name)
		for _, w := range windows {
			if w.Focused {
				return nil
			}
		}
		var gone *desktop.GoneError
		if errors.As(err, &gone) || ctx.Err() != nil {
			return err
		}
		if front := visible(windows); len(front) > 0 {
			id = front[0].ID
		}
	}
}

const (
	// raiseTime is how long one request to raise a window may take to be heard.
	raiseTime = time.Second
	// raiseTries is how many are made before the window manager is asked
	// whether it hears at all.
	raiseTries = 3
)

func (d *Desktop) tryRaise(ctx context.Context, id uint32) error {
	ctx, cancel := context.WithTimeoutCause(ctx, raiseTime, fmt.Errorf("window 0x%x did not get the focus", id))
	defer cancel()
	return d.x.Raise(ctx, id)
}

// FocusApp implements desktop.Apps.
func (d *Desktop) FocusApp(ctx context.Context, name string, timeout time.Duration) error {
	if timeout <= 0 {
		timeout = closeTime
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s, err := d.look(ctx)
	if err != nil {
		return err
	}
	apps, windows := d.of(s, name)
	front := visible(windows)
	if len(front) == 0 {
		for _, w := range windows {
			if w.Minimised {
				front = append(front, w)
			}
		}
	}
	switch {
	case len(front) > 0:
	case len(apps) == 0 && len(windows) == 0 && !d.runsHere(name):
		return &desktop.AppNotRunningError{Name: name}
	default:
		missing := &desktop.NoWindowError{Name: name}
		if a := d.opened.last(name); a != nil {
			missing.Facts = d.facts(ctx, a)
		}
		return missing
	}
	return d.toFront(ctx, name, front[0].ID)
}

// runsHere reports whether an application that was opened here under that
// name still has a process.
func (d *Desktop) runsHere(name string) bool {
	a := d.opened.last(name)
	return a != nil && len(d.opened.family(a)) > 0
}

// RunningApps implements desktop.Apps.
func (d *Desktop) RunningApps(ctx context.Context) ([]desktop.AppInfo, error) {
	s, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	var infos []desktop.AppInfo
	seen := map[desktop.AppInfo]bool{}
	pids := map[int]bool{}
	add := func(info desktop.AppInfo) {
		if seen[info] || info.PID != 0 && pids[info.PID] {
			return
		}
		seen[info], pids[info.PID] = true, true
		infos = append(infos, info)
	}
	for _, w := range s.windows {
		if !w.Override {
			add(w.info)
		}
	}
	for _, a := range s.apps {
		add(a.info)
	}
	return infos, nil
}

// AppState implements desktop.Apps.
func (d *Desktop) AppState(ctx context.Context, name string) (desktop.AppState, error) {
	s, err := d.look(ctx)
	if err != nil {
		return desktop.AppState{}, err
	}
	opened := d.opened.last(name)
	if name == "" {
		if opened == nil {
			return desktop.AppState{}, nil
		}
		name = opened.name
	}
	apps, windows := d.of(s, name)
	state := desktop.AppState{Windows: len(visible(windows))}
	pids := map[int]bool{}
	for _, w := range windows {
		pids[w.info.PID] = true
	}
	for _, a := range apps {
		pids[a.PID] = true
		content, err := d.content(ctx, a.App)
		var hung *desktop.HungError
		switch {
		case content:
			state.HasTree = true
		case errors.As(err, &hung):
			state.Hung = true
		case ctx.Err() != nil:
			return state, context.Cause(ctx)
		}
	}
	if opened != nil {
		for pid := range d.opened.family(opened) {
			pids[pid] = true
		}
		state.Name, state.Exited, state.Closed = opened.name, opened.exited(), opened.closed
	}
	for pid := range pids {
		if p, err := readProcess(pid); err == nil && p.alive() {
			state.Running = true
			state.Hung = state.Hung || p.stopped()
		}
	}
	state.Running = state.Running || len(windows) > 0
	if state.Running && len(apps)+len(windows) > 0 {
		state.Exited = "" // its launcher's end says nothing
	}
	state.Closed = state.Closed && !state.Running
	switch healthy := state.Windows > 0 && !state.Hung; {
	case healthy || state.Closed:
	case opened != nil:
		state.Facts = d.facts(ctx, opened)
	case len(pids) > 0:
		state.Facts = d.factsOf(ctx, pids)
	}
	return state, nil
}
