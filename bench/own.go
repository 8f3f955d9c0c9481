//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/opendesk/opendesk/desktop/xconn"
	"github.com/opendesk/opendesk/internal/keysym"
)

// input is a key, and by which events the application tells of what it did.
type input struct {
	keys  []string // names of keysyms, held together
	shows []string // members of event interfaces
}

// Events by which applications tell of changes.
var (
	text   = []string{"TextChanged", "PropertyChange", "ChildrenChanged"}
	menu   = []string{"StateChanged", "ChildrenChanged"}
	window = []string{"Activate", "Create", "Deactivate", "Destroy"}
)

func inputs(f flow) (list []input) {
	letters := func(keys ...string) {
		for _, k := range keys {
			list = append(list, input{[]string{k}, text})
		}
	}
	switch f.name {
	case "calc":
		letters("1")
		list = append(list, input{[]string{"Shift_L", "plus"}, text})
		letters("2", "Return")
	case "note":
		letters("d", "e", "a", "r", "space", "r", "e", "a", "d", "e", "r")
		list = append(list, input{[]string{"Alt_L", "f"}, menu}, input{[]string{"a"}, window}, input{[]string{"Escape"}, window})
	case "qt":
		letters("4", "2")
	}
	return list
}

// ownTime is what the application needs by itself: from exec to its tree
// having something in its window, and from each input to the first event of it
// that tells of a change.
func (r *rig) ownTime(f flow) (*measured, error) {
	ctx, cancel := context.WithTimeout(r.bench.ctx, flowTimeout)
	defer cancel()
	l, err := listen(r.Info().A11yBus)
	if err != nil {
		return nil, err
	}
	defer l.conn.Close() //nolint:errcheck // read only
	r.onDisplay()
	x, err := xconn.Dial(ctx, r.Info().Display, nil)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if err := xtest.Init(x.X); err != nil {
		return nil, err
	}

	began := time.Now()
	c := r.command(ctx, f.app)
	if err := c.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	if err := l.awaitTree(ctx); err != nil {
		return nil, err
	}
	m := &measured{StartMS: milliseconds(time.Since(began))}
	m.FlowMS = m.StartMS
	for _, in := range inputs(f) {
		if err := l.quiet(ctx, 150*time.Millisecond); err != nil {
			return nil, err
		}
		acted := time.Now()
		if err := press(x, in.keys); err != nil {
			return nil, err
		}
		if err := l.await(ctx, in.shows); err != nil {
			return nil, fmt.Errorf("after %v: %w", in.keys, err)
		}
		took := milliseconds(time.Since(acted))
		m.ActionsMS = append(m.ActionsMS, took)
		m.FlowMS += took
	}
	return m, nil
}

// listener hears the events of the one application.
type listener struct {
	conn    *dbus.Conn
	signals chan *dbus.Signal
}

const root = "/org/a11y/atspi/accessible/root"

func listen(address string) (*listener, error) {
	conn, err := dbus.Connect(address)
	if err != nil {
		return nil, err
	}
	l := &listener{conn: conn, signals: make(chan *dbus.Signal, 10000)}
	conn.Signal(l.signals)
	for _, i := range []string{"Object", "Window"} {
		if err := conn.AddMatchSignal(dbus.WithMatchInterface("org.a11y.atspi.Event." + i)); err != nil {
			return nil, err
		}
	}
	registry := conn.Object("org.a11y.atspi.Registry", "/org/a11y/atspi/registry")
	for _, event := range []string{"Object:", "Window:"} {
		if err := registry.Call("org.a11y.atspi.Registry.RegisterEvent", 0, event, []string{}, "").Err; err != nil {
			return nil, err
		}
	}
	return l, nil
}

type ref struct {
	Name string
	Path dbus.ObjectPath
}

func (l *listener) children(r ref) []ref {
	var children []ref
	ctx, cancel := context.WithTimeout(l.conn.Context(), time.Second)
	defer cancel()
	_ = l.conn.Object(r.Name, r.Path).CallWithContext(ctx, "org.a11y.atspi.Accessible.GetChildren", 0).Store(&children)
	return children
}

// awaitTree returns when an application has a window with something in it.
func (l *listener) awaitTree(ctx context.Context) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, app := range l.children(ref{"org.a11y.atspi.Registry", root}) {
			for _, window := range l.children(app) {
				if len(l.children(window)) > 0 {
					return nil
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("no tree")
		}
	}
}

// quiet returns when nothing was heard for a while.
func (l *listener) quiet(ctx context.Context, d time.Duration) error {
	for {
		timer := time.NewTimer(d)
		select {
		case <-l.signals:
			timer.Stop()
		case <-timer.C:
			return nil
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// await returns at the first event of one of these members.
func (l *listener) await(ctx context.Context, members []string) error {
	timeout := time.NewTimer(5 * time.Second)
	defer timeout.Stop()
	for {
		select {
		case s := <-l.signals:
			if slices.ContainsFunc(members, func(m string) bool { return len(s.Name) > len(m) && s.Name[len(s.Name)-len(m)-1:] == "."+m }) {
				return nil
			}
		case <-timeout.C:
			return fmt.Errorf("no %v", members)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// press presses the keys together and lets them go.
func press(x *xconn.Conn, names []string) error {
	setup := xproto.Setup(x.X)
	mapping, err := xproto.GetKeyboardMapping(x.X, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1)).Reply()
	if err != nil {
		return err
	}
	var codes []byte
	for _, name := range names {
		sym, _ := keysym.ByName(name)
		at := slices.Index(mapping.Keysyms, xproto.Keysym(sym))
		if at < 0 {
			return fmt.Errorf("no key %s", name)
		}
		codes = append(codes, byte(setup.MinKeycode)+byte(at/int(mapping.KeysymsPerKeycode)))
	}
	for _, code := range codes {
		xtest.FakeInput(x.X, xproto.KeyPress, code, 0, setup.DefaultScreen(x.X).Root, 0, 0, 0)
	}
	slices.Reverse(codes)
	for _, code := range codes {
		xtest.FakeInput(x.X, xproto.KeyRelease, code, 0, setup.DefaultScreen(x.X).Root, 0, 0, 0)
	}
	x.X.Sync()
	return nil
}
