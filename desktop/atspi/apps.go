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
// one that was silent when it was last asked: one hung application must not
// slow every look-up. An answer that comes later than that is not lost.
const (
	knownPatience  = 60 * time.Millisecond
	silentPatience = 20 * time.Millisecond
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

// appRecord is what is remembered of an application object. Unique bus names
// are never used twice, so nothing here can belong to another process.
type appRecord struct {
	app    App
	silent bool // did not answer when last asked
	// asking is closed when the question for its names that is under way has
	// been answered, or not within the timeout; nil where none is.
	asking chan struct{}
}

// Apps lists the application objects of the registry, in its order. A silent
// application is listed with what is known of it; one that has left the bus
// is not. Errors are *desktop.EnvironmentError or the context's.
func (b *Bus) Apps(ctx context.Context) ([]App, error) { return b.list(ctx, true) }

// KnownApps is Apps without waiting for applications that have told their names
// before: those names are as they were told last, and asked for again beside.
func (b *Bus) KnownApps(ctx context.Context) ([]App, error) { return b.list(ctx, false) }

func (b *Bus) list(ctx context.Context, fresh bool) ([]App, error) {
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: registryName, path: rootPath, method: accessible + ".GetChildren"})
	if err != nil {
		return nil, b.registryFault(ctx, err)
	}
	refs := parseRefs(first(body))

	apps := make([]App, len(refs))
	alive := make([]bool, len(refs))
	var wg sync.WaitGroup
	for i, r := range refs {
		wg.Go(func() { apps[i], alive[i] = b.identify(ctx, r, fresh) })
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
// The names of one that has told them are waited for where they must be fresh.
func (b *Bus) identify(ctx context.Context, r ref, fresh bool) (App, bool) {
	answered, patience, told := b.askNames(r)

	// The bus answers this one, whatever the application does, and it says
	// whether the application is still there.
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
		method: "org.freedesktop.DBus.GetConnectionUnixProcessID", args: []any{r.dest}})
	if peerGone(err) {
		b.forget(r.dest)
		return App{}, false
	}

	pid, _ := first(body).(uint32)
	if told && !fresh {
		return b.named(r, int(pid), false)
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-answered:
	case <-late.C:
	case <-ctx.Done():
	}
	return b.named(r, int(pid), true)
}

// askNames asks the application for its names, where that question is not
// under way already. It gives a channel that is closed with the answer, and
// how long that is worth waiting for. told says that it has told its names before.
func (b *Bus) askNames(r ref) (answered <-chan struct{}, patience time.Duration, told bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record := b.apps[r]
	if record == nil {
		record = &appRecord{app: App{BusName: r.dest, Path: r.path}}
		b.apps[r] = record
	}
	patience = b.timeout
	switch {
	case record.silent:
		patience = min(patience, silentPatience)
	case record.app.Name != "":
		patience = min(patience, knownPatience)
	}
	if record.asking == nil {
		record.asking = make(chan struct{})
		go b.readNames(record, record.app)
	}
	return record.asking, patience, record.app.Name != ""
}

// readNames brings the record's names up to date; known is what was known.
func (b *Bus) readNames(record *appRecord, known App) {
	const application = "org.a11y.atspi.Application"
	asked := []*request{
		{dest: known.BusName, path: known.Path, method: getProperty, args: []any{accessible, "Name"}},
		{dest: known.BusName, path: known.Path, method: getProperty, args: []any{application, "ToolkitName"}},
		{dest: known.BusName, path: known.Path, method: getProperty, args: []any{application, "Version"}},
	}
	if known.Toolkit != "" {
		asked = asked[:1]
	}
	err := batch(b.conn.Context(), b.conn, b.timeout, asked)
	b.mu.Lock()
	defer b.mu.Unlock()
	gone := false
	for i, field := range []*string{&record.app.Name, &record.app.Toolkit, &record.app.ToolkitVersion}[:len(asked)] {
		gone = gone || peerGone(asked[i].err)
		if s, ok := variantOf(asked[i].body).(string); ok && asked[i].err == nil && s != "" {
			*field = s
		}
	}
	if gone {
		b.drop(known.BusName)
	}
	record.silent = err != nil
	close(record.asking)
	record.asking = nil
}

// named is what is known of the application now, and false where it has gone.
// One that was waited for and has not answered yet is silent. pid is its
// process, 0 for unknown.
func (b *Bus) named(r ref, pid int, waited bool) (App, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record := b.apps[r]
	if record == nil {
		return App{}, false
	}
	if pid != 0 {
		record.app.PID = pid
	}
	if waited && record.asking != nil {
		record.silent = true
	}
	return record.app, true
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

// forget drops what is kept of a connection that has left the bus.
func (b *Bus) forget(dest string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(dest)
}

// drop is forget where b.mu is held.
func (b *Bus) drop(dest string) {
	delete(b.addresses, dest)
	b.changes.forget(dest)
	delete(b.slowCache, dest)
	for r := range b.apps {
		if r.dest == dest {
			delete(b.apps, r)
		}
	}
}
