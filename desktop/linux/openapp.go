//go:build linux

package linux

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
)

const (
	// openTime is how long an application may take to open by default.
	openTime = 15 * time.Second
	// closeTime is how long it may take to close, and to come to the front.
	closeTime = 5 * time.Second
	// lookAgain is how often a wait looks where no event came.
	lookAgain = 100 * time.Millisecond
)

// OpenApp implements desktop.Apps.
func (d *Desktop) OpenApp(ctx context.Context, l desktop.Launch) (*desktop.Opened, error) {
	if l.Timeout <= 0 {
		l.Timeout = openTime
	}
	before, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	if w := d.openAlready(before, l); w != nil {
		return d.reopen(ctx, before, l, w)
	}
	d.catalog = readCatalog(d.env) // it may just have been installed
	clear(d.entries)
	c, err := findCommand(l, d.env, d.catalog)
	if d.options.Sandboxed {
		err = refuseConfined(l, c, err, d.env)
	}
	if err != nil {
		return nil, err
	}
	app, err := d.start(c, l)
	if err != nil {
		return nil, err
	}
	o := &opening{d: d, launch: l, command: c, app: app, before: map[uint32]bool{}}
	for _, w := range before.windows {
		o.before[w.ID] = true
	}
	return o.wait(ctx)
}

// openAlready is the frontmost window of the application if it runs already.
// A name that is a path means that very file, not another of its base name.
func (d *Desktop) openAlready(s *scene, l desktop.Launch) *seenWindow {
	_, windows := d.of(s, l.Name)
	candidates := append(visible(windows), windows...)
	for _, w := range candidates {
		if w.Override {
			continue
		}
		if strings.Contains(l.Name, "/") && w.info.OpenedAs != l.Name && !runs(w.info.PID, absolute(l.Name, l.Dir, d.env)) {
			continue
		}
		return &w
	}
	return nil
}

// reopen brings a running application to the front.
func (d *Desktop) reopen(ctx context.Context, s *scene, l desktop.Launch, w *seenWindow) (*desktop.Opened, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	if err := d.toFront(ctx, l.Name, w.ID); err != nil {
		return nil, err
	}
	port := w.port()
	port.Focused = true
	opened := &desktop.Opened{App: w.info, Window: &port}
	for _, a := range s.apps {
		if a.PID != w.info.PID {
			continue
		}
		if full, _ := d.content(ctx, a.App); full {
			opened.HasTree = true
			break
		}
	}
	return opened, nil
}

// opening is an application on its way up.
type opening struct {
	d       *Desktop
	launch  desktop.Launch
	command *command
	app     *openedApp
	before  map[uint32]bool // windows that were there already

	window   *seenWindow
	windowAt time.Time // when it was first seen
	endedAt  time.Time // when the started process was first seen to have ended
}

// wait looks at every change until the application is open, or is not going
// to be.
func (o *opening) wait(ctx context.Context) (*desktop.Opened, error) {
	deadline := time.NewTimer(o.launch.Timeout)
	defer deadline.Stop()
	watching, stop := context.WithCancel(ctx)
	silent := make(chan error, 1)
	var watch sync.WaitGroup
	watch.Go(func() { o.d.watchManager(watching, silent) })
	defer watch.Wait()
	defer stop()
	exited := o.app.done
	for {
		began := time.Now()
		opened, err := o.look(ctx)
		if opened != nil || err != nil {
			return opened, err
		}
		// Looking takes up half of the time at most, however many events come:
		// the rest is the application's.
		took := time.Since(began)
		pause := time.NewTimer(took)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, context.Cause(ctx)
		}
		again := time.NewTimer(lookAgain)
		select {
		case <-o.d.changes:
		case <-exited:
			exited = nil
		case err := <-silent:
			if o.window == nil { // nobody shows one to it
				again.Stop()
				return nil, err
			}
		case <-again.C:
		case <-deadline.C:
			again.Stop()
			return o.last(ctx)
		case <-ctx.Done():
			again.Stop()
			return nil, context.Cause(ctx)
		}
		again.Stop()
	}
}

// last decides when the time is up: a window without a tree is an open
// application.
func (o *opening) last(ctx context.Context) (*desktop.Opened, error) {
	opened, err := o.look(ctx)
	switch {
	case opened != nil || err != nil:
		return opened, err
	case o.window != nil:
		return o.opened(false), nil
	}
	return nil, &desktop.NoWindowError{Name: o.launch.Name, After: o.launch.Timeout, Facts: o.d.facts(ctx, o.app)}
}

// look reads the display once. It gives nil and nil while it is too early to
// say.
func (o *opening) look(ctx context.Context) (*desktop.Opened, error) {
	d := o.d
	ended := o.app.exited()
	s, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	pids := o.ours(s)
	now := time.Now()
	if ended != "" && o.endedAt.IsZero() {
		o.endedAt = now
	}
	o.window = o.pick(s, pids, now)
	if o.window == nil {
		if ended != "" && len(d.opened.family(o.app)) == 0 {
			return nil, o.died(ctx, now, ended)
		}
		return nil, nil
	}
	if o.windowAt.IsZero() {
		o.windowAt = now
	}
	pids[o.window.info.PID] = true
	if now.Sub(o.windowAt) < o.scaled(focusGrace) && !o.hasFocus(s, pids) {
		return nil, nil // keys would go elsewhere
	}
	registered := false
	for _, a := range s.apps {
		if !pids[a.PID] {
			continue
		}
		registered = true
		if full, _ := d.content(ctx, a.App); full {
			return o.opened(true), nil
		}
	}
	if now.Sub(o.windowAt) < o.scaled(plainGrace) {
		return nil, nil // the shortest that there is
	}
	grace, err := o.grace(ctx, registered)
	if err != nil {
		return nil, err
	}
	if now.Sub(o.windowAt) >= grace {
		return o.opened(false), nil
	}
	return nil, nil
}

// ours are the application's processes among those that show windows or are in
// the registry.
func (o *opening) ours(s *scene) map[int]bool {
	pids := map[int]bool{}
	seen := func(pid int) {
		if _, known := pids[pid]; !known && pid != 0 {
			pids[pid] = o.d.opened.belongs(o.app, pid)
		}
	}
	for _, w := range s.windows {
		seen(w.info.PID)
	}
	for _, a := range s.apps {
		seen(a.PID)
	}
	return pids
}

// pick finds the application's window: one of its processes', or, where an
// instance that ran already took the request over, a new one of its name, or
// an old one where no new one comes for a while.
func (o *opening) pick(s *scene, pids map[int]bool, now time.Time) *seenWindow {
	var old *seenWindow
	for _, w := range visible(s.windows) {
		if w.Type == "splash" {
			continue
		}
		if w.info.PID != 0 && pids[w.info.PID] {
			return &w
		}
		if !o.isOurs(w.info) {
			continue
		}
		if !o.before[w.ID] {
			return &w
		}
		if old == nil {
			old = &w
		}
	}
	if o.app.succeeded() && now.Sub(o.endedAt) >= o.scaled(sameWindowTime) {
		return old
	}
	return nil
}

// hasFocus reports whether one of the application's windows has the focus.
func (o *opening) hasFocus(s *scene, pids map[int]bool) bool {
	for _, w := range s.windows {
		if w.Focused {
			return w.ID == o.window.ID || w.info.PID != 0 && pids[w.info.PID]
		}
	}
	return false
}

// isOurs reports whether an application looks like the one that was started.
func (o *opening) isOurs(info desktop.AppInfo) bool {
	if o.d.matches(&info, o.launch.Name) {
		return true
	}
	if o.command.entry != nil && o.command.entry.id == info.DesktopID {
		return true
	}
	program := programOf(o.command.args)
	return program != "" && info.Matches(program)
}

// died is the error for a launcher that has ended and left nothing behind,
// once it is clear that nobody took the request over.
func (o *opening) died(ctx context.Context, now time.Time, how string) error {
	if o.app.succeeded() && now.Sub(o.endedAt) < o.scaled(handOverTime) {
		return nil
	}
	return &desktop.AppDiedError{Name: o.launch.Name, How: how, Facts: o.d.facts(ctx, o.app)}
}

func (o *opening) opened(hasTree bool) *desktop.Opened {
	d := o.d
	pids := d.opened.family(o.app)
	if pid := o.window.info.PID; pid != 0 {
		pids[pid] = true
	}
	for pid := range pids {
		d.opened.called(o.launch.Name, pid)
	}
	w := o.window.port()
	w.App.OpenedAs = o.launch.Name
	o.app.seen = w.App
	return &desktop.Opened{App: w.App, Command: o.command.args, How: o.command.how, Window: &w, HasTree: hasTree}
}

// content reports whether the application publishes a window with anything in
// it, or why its tree could not be read.
func (d *Desktop) content(ctx context.Context, a atspi.App) (bool, error) {
	if isStopped(a.PID) {
		return false, &desktop.HungError{Name: a.Name}
	}
	return d.bus.HasContent(ctx, a)
}
