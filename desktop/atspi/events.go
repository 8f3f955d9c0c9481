package atspi

import (
	"context"
	"fmt"
	"sync"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

const (
	registryName = "org.a11y.atspi.Registry"
	registryPath = dbus.ObjectPath("/org/a11y/atspi/registry")
	rootPath     = dbus.ObjectPath("/org/a11y/atspi/accessible/root")
)

// registered are the events that the registry is told we listen to. GTK 3
// answers Cache.GetItems only then, and from at-spi2-core 2.61 on toolkits
// publish only then.
var registered = []string{
	"Object:StateChanged",
	"Object:ChildrenChanged",
	"Object:PropertyChange",
	"Object:TextChanged",
	"Object:SelectionChanged",
	"Window",
	"Focus",
}

// subscribe asks the bus for event signals and registers with the registry,
// which the bus starts where activate says so and it can.
func (b *Bus) subscribe(ctx context.Context, activate bool) error {
	var rules []*request
	for _, rule := range []string{
		"type='signal',interface='org.a11y.atspi.Event.Object'",
		"type='signal',interface='org.a11y.atspi.Event.Window'",
		"type='signal',interface='org.a11y.atspi.Event.Focus'",
	} {
		rules = append(rules, &request{dest: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
			method: "org.freedesktop.DBus.AddMatch", args: []any{rule}})
	}
	if err := firstError(batch(ctx, b.conn, b.timeout, rules), rules); err != nil {
		return broken(desktop.PartA11yBus, err)
	}
	var events []*request
	for _, event := range registered {
		events = append(events, &request{dest: registryName, path: registryPath,
			method: registryName + ".RegisterEvent", args: []any{event, []string{}, ""}, activate: activate})
	}
	if err := firstError(batch(ctx, b.conn, b.timeout, events), events); err != nil {
		return broken(desktop.PartRegistry, fmt.Errorf("registering for events: %w", err))
	}
	return nil
}

func firstError(err error, requests []*request) error {
	for _, r := range requests {
		if err == nil {
			err = r.err
		}
	}
	return err
}

// changes wakes one listener up for any number of signals, and remembers which
// object of each connection was the last to say that it has got the focus.
type changes struct {
	c chan struct{}

	mu      sync.Mutex
	focused map[string]dbus.ObjectPath // by unique bus name
}

func newChanges() *changes {
	return &changes{c: make(chan struct{}, 1), focused: map[string]dbus.ObjectPath{}}
}

// eventPrefix begins the names of the interfaces of events.
const eventPrefix = "org.a11y.atspi.Event."

// heard is called by the connection for each event. Of what it tells, nothing
// but the focus is looked at: floods of events come while applications start.
func (c *changes) heard(h header) {
	switch {
	case string(h.iface) == eventPrefix+"Focus",
		string(h.iface) == eventPrefix+"Object" && string(h.member) == "StateChanged" && gotFocus(h):
		c.focus(ref{string(h.sender), dbus.ObjectPath(h.path)})
	}
	select {
	case c.c <- struct{}{}:
	default:
	}
}

// gotFocus reports whether a change of a state is about the focus, and on.
func gotFocus(h header) bool {
	c := cursor{b: h.body, big: h.big}
	return string(c.bytes()) == "focused" && c.uint32() != 0 && !c.bad
}

func (c *changes) focus(r ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.focused[r.dest] = r.path
}

// focusedOf is the object of the connection that was last heard to have the
// focus. That is where to ask, not an answer.
func (c *changes) focusedOf(dest string) (r ref, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path, known := c.focused[dest]
	return ref{dest, path}, known
}

func (c *changes) forget(dest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.focused, dest)
}
