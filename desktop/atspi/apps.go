package atspi

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// How long Apps waits for an application whose name is known already, and for
// one that has no name yet but was silent when it was last asked: one hung
// application must not slow every look-up.
const (
	knownPatience  = 60 * time.Millisecond
	silentPatience = 250 * time.Millisecond
)

// App is one application object of the registry.
type App struct {
	// Name is its name in the tree, "" where it has not told it.
	Name string
	// PID is the process that owns the bus connection, 0 where unknown.
	PID int
	// BusName is the unique name of its connection, Path its root object.
	BusName string
	Path    dbus.ObjectPath
	// Toolkit and ToolkitVersion are such as "gtk" and "3.24.38".
	Toolkit, ToolkitVersion string
}

// label is what messages call the application.
func (a App) label() string {
	if a.Name != "" {
		return a.Name
	}
	if a.PID != 0 {
		return fmt.Sprintf("pid %d", a.PID)
	}
	return a.BusName
}

func (a App) info() *desktop.AppInfo { return &desktop.AppInfo{Name: a.Name, PID: a.PID} }

// appRecord is what is remembered of a connection. Unique bus names are never
// used twice, so nothing here can belong to another process.
type appRecord struct {
	app       App
	silent    bool // did not answer when last asked
	slowCache bool // GetItems took too long: not asked again
}

// Apps lists the application objects of the registry, in its order. A silent
// application is listed with what is known of it; one that has left the bus
// is not. Errors are *desktop.EnvironmentError or the context's.
func (b *Bus) Apps(ctx context.Context) ([]App, error) {
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: registryName, path: rootPath, method: accessible + ".GetChildren"})
	if err != nil {
		return nil, b.registryFault(ctx, err)
	}
	refs := parseRefs(first(body))

	apps := make([]App, len(refs))
	alive := make([]bool, len(refs))
	var wg sync.WaitGroup
	for i, r := range refs {
		wg.Go(func() { apps[i], alive[i] = b.identify(ctx, r) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !b.conn.Connected() {
		return nil, broken(desktop.PartA11yBus, dbus.ErrClosed)
	}
	out := apps[:0]
	for i, a := range apps {
		if alive[i] {
			out = append(out, a)
		}
	}
	return out, nil
}

// identify asks the bus for the connection's process and the application for
// its names. It reports false for a connection that has gone.
func (b *Bus) identify(ctx context.Context, r ref) (App, bool) {
	known, seen := b.record(r.dest)
	app := App{BusName: r.dest, Path: r.path}
	patience := b.timeout
	if seen && known.app.Path == r.path {
		app = known.app
		switch {
		case app.Name != "":
			patience = min(patience, knownPatience)
		case known.silent:
			patience = min(patience, silentPatience)
		}
	}

	// The bus answers this one, whatever the application does, and it says
	// whether the application is still there.
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
		method: "org.freedesktop.DBus.GetConnectionUnixProcessID", args: []any{r.dest}})
	if peerGone(err) {
		b.forget(r.dest)
		return App{}, false
	}
	if pid, ok := first(body).(uint32); ok {
		app.PID = int(pid)
	}

	const application = "org.a11y.atspi.Application"
	asked := []*request{
		{dest: r.dest, path: r.path, method: getProperty, args: []any{accessible, "Name"}},
		{dest: r.dest, path: r.path, method: getProperty, args: []any{application, "ToolkitName"}},
		{dest: r.dest, path: r.path, method: getProperty, args: []any{application, "Version"}},
	}
	if app.Toolkit != "" {
		asked = asked[:1]
	}
	err = batch(ctx, b.conn, patience, asked)
	for i, field := range []*string{&app.Name, &app.Toolkit, &app.ToolkitVersion}[:len(asked)] {
		if peerGone(asked[i].err) {
			b.forget(r.dest)
			return App{}, false
		}
		if s, ok := variantOf(asked[i].body).(string); ok && asked[i].err == nil && s != "" {
			*field = s
		}
	}
	b.remember(app, err != nil)
	return app, true
}

func (b *Bus) registryFault(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case connectionLost(err):
		return broken(desktop.PartA11yBus, err)
	}
	return broken(desktop.PartRegistry, err)
}

func (b *Bus) record(dest string) (appRecord, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.apps[dest]
	if !ok {
		return appRecord{}, false
	}
	return *r, true
}

func (b *Bus) remember(a App, silent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.apps[a.BusName]
	if r == nil {
		r = &appRecord{}
		b.apps[a.BusName] = r
	}
	r.app, r.silent = a, silent
}

// forget drops what is kept of a connection that has left the bus.
func (b *Bus) forget(dest string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.addresses, dest)
	delete(b.apps, dest)
}

func (b *Bus) setSlowCache(dest string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.apps[dest]; r != nil {
		r.slowCache = true
	} else {
		b.apps[dest] = &appRecord{slowCache: true}
	}
}
