// Package atspi reads and acts on accessibility trees over D-Bus, without
// libatspi: AT-SPI as GTK 3, GTK 4, Qt and Chromium speak it.
//
// Every call has a deadline, and calls to one application travel together, so
// that a silent application costs its own caller one deadline and nobody else
// anything. What a tree says is read at the moment of the call; nothing is
// answered from an earlier one.
package atspi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// DefaultCallTimeout is how long an application may stay silent before it
// counts as hung.
const DefaultCallTimeout = 800 * time.Millisecond

// Options says which buses to use.
type Options struct {
	// Address is the accessibility bus's address. "" asks org.a11y.Bus for it
	// on the session bus at SessionAddress, and lets the buses start launcher
	// and registry where they can, as every client of a user's desktop does.
	Address string
	// SessionAddress is the session bus's address. Where it is given,
	// org.a11y.Status is switched on there: Qt 5 publishes nothing before.
	SessionAddress string
	// CallTimeout is how long an application may stay silent; 0 means
	// DefaultCallTimeout.
	CallTimeout time.Duration
}

// Bus is a connection to one accessibility bus. Its methods are safe for
// concurrent use.
type Bus struct {
	conn    *dbus.Conn
	timeout time.Duration
	changes *changes

	mu        sync.Mutex
	apps      map[ref]*appRecord
	slowCache map[string]bool   // by unique bus name: GetItems took too long, and is not asked again
	addresses map[string]string // of private connections, by unique bus name; "" for none
	private   map[*dbus.Conn]*privateUse
	closed    bool
}

// Open connects to the accessibility bus, switches accessibility on where it
// has the session bus's address, and registers for events. It starts no
// processes. Errors are *desktop.EnvironmentError.
func Open(ctx context.Context, o Options) (*Bus, error) {
	timeout := o.CallTimeout
	if timeout <= 0 {
		timeout = DefaultCallTimeout
	}
	address := o.Address
	if o.SessionAddress != "" {
		found, err := switchOn(ctx, o.SessionAddress, timeout, address == "")
		if err != nil {
			return nil, err
		}
		if address == "" {
			address = found
		}
	}
	if address == "" {
		return nil, broken(desktop.PartSessionBus, errors.New("no address given"))
	}

	b := &Bus{
		timeout:   timeout,
		changes:   newChanges(),
		apps:      map[ref]*appRecord{},
		slowCache: map[string]bool{},
		addresses: map[string]string{},
		private:   map[*dbus.Conn]*privateUse{},
	}
	conn, err := dial(ctx, address, timeout, true)
	if err != nil {
		return nil, broken(desktop.PartA11yBus, err)
	}
	b.conn = conn
	heard := b.changes.heard
	wireOf(conn).heard.Store(&heard)
	if err := b.subscribe(ctx, o.Address == ""); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return b, nil
}

// Close closes every connection. The applications go on.
func (b *Bus) Close() error {
	b.mu.Lock()
	b.closed = true
	private := slices.Collect(maps.Keys(b.private))
	b.mu.Unlock()
	for _, c := range private {
		_ = c.Close()
	}
	if err := b.conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil // the bus had gone before
}

// Changes gets a value (capacity 1, never closed) whenever an application
// reported a change. It is a hint to look again, never an answer.
func (b *Bus) Changes() <-chan struct{} { return b.changes.c }

// switchOn sets org.a11y.Status on the session bus and, where asked, gives
// the accessibility bus's address; the bus may start the launcher for that.
func switchOn(ctx context.Context, session string, timeout time.Duration, wantAddress bool) (string, error) {
	conn, err := dial(ctx, session, timeout, true)
	if err != nil {
		return "", broken(desktop.PartSessionBus, err)
	}
	defer conn.Close()
	const dest, path = "org.a11y.Bus", dbus.ObjectPath("/org/a11y/bus")
	const status = "org.a11y.Status"
	for _, name := range []string{"IsEnabled", "ScreenReaderEnabled"} {
		body, err := callOne(ctx, conn, timeout, request{dest: dest, path: path, method: getProperty, args: []any{status, name}, activate: wantAddress})
		if err != nil {
			return "", broken(desktop.PartA11yBus, fmt.Errorf("org.a11y.Status.%s: %w", name, err))
		}
		if on, _ := variantOf(body).(bool); on {
			continue
		}
		if _, err := callOne(ctx, conn, timeout, request{dest: dest, path: path, method: setProperty,
			args: []any{status, name, dbus.MakeVariant(true)}}); err != nil {
			return "", broken(desktop.PartA11yBus, fmt.Errorf("org.a11y.Status.%s: %w", name, err))
		}
	}
	if !wantAddress {
		return "", nil
	}
	body, err := callOne(ctx, conn, timeout, request{dest: dest, path: path, method: "org.a11y.Bus.GetAddress"})
	if err != nil {
		return "", broken(desktop.PartA11yBus, fmt.Errorf("org.a11y.Bus.GetAddress: %w", err))
	}
	address := stringOf(body)
	if address == "" {
		return "", broken(desktop.PartA11yBus, errors.New("org.a11y.Bus gives no address"))
	}
	return address, nil
}

func broken(part desktop.Part, err error) error {
	return &desktop.EnvironmentError{Part: part, Err: err}
}
