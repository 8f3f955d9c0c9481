//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// busTime is how long a bus may take to let a client in and answer it.
const busTime = 5 * time.Second

var errBusSilent = fmt.Errorf("no answer within %v", busTime)

// dialBus connects to the bus at exactly that address. It never starts one.
func dialBus(ctx context.Context, address string) (*dbus.Conn, error) {
	if address == "" {
		return nil, errors.New("no address (DBUS_SESSION_BUS_ADDRESS is empty)")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, busTime, errBusSilent)
	defer cancel()
	type dialled struct {
		conn *dbus.Conn
		err  error
	}
	answer := make(chan dialled, 1)
	life, end := context.WithCancel(context.Background())
	go func() {
		conn, err := dbus.Dial(address, dbus.WithContext(life))
		if err == nil {
			if err = conn.Auth(nil); err == nil {
				err = conn.Hello()
			}
			if err != nil {
				_ = conn.Close()
			}
		}
		answer <- dialled{conn, err}
	}()
	select {
	case a := <-answer:
		if a.err != nil {
			end()
			return nil, a.err
		}
		context.AfterFunc(a.conn.Context(), end)
		return a.conn, nil
	case <-ctx.Done():
		end() // which closes the connection, if there is one yet
		return nil, context.Cause(ctx)
	}
}

// probeSessionBus asks the session bus for its id.
func probeSessionBus(ctx context.Context, address string) desktop.Probe {
	p := desktop.Probe{Part: desktop.PartSessionBus}
	began := time.Now()
	detail, err := func() (string, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, busTime, errBusSilent)
		defer cancel()
		conn, err := dialBus(ctx, address)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		var id string
		if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetId", 0).Store(&id); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return "", err
		}
		return "bus " + id + " answered", nil
	}()
	p.OK, p.Detail, p.Millis = err == nil, detail, time.Since(began).Milliseconds()
	if err != nil {
		p.Detail = err.Error()
	}
	return p
}

// a11yAddress asks the session bus where the accessibility bus is.
func a11yAddress(ctx context.Context, sessionBus string) (string, error) {
	conn, err := dialBus(ctx, sessionBus)
	if err != nil {
		return "", &desktop.EnvironmentError{Part: desktop.PartSessionBus, Err: err}
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, busTime, errBusSilent)
	defer cancel()
	var address string
	err = conn.Object("org.a11y.Bus", "/org/a11y/bus").CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Store(&address)
	if err == nil && address == "" {
		err = errors.New("org.a11y.Bus gives no address")
	}
	if err != nil {
		return "", &desktop.EnvironmentError{Part: desktop.PartA11yBus, Err: err}
	}
	return address, nil
}

// clients tells which processes are connected to a bus. A toolkit with
// accessibility connects to the accessibility bus before it has a tree.
type clients struct {
	address string

	mu   sync.Mutex
	conn *dbus.Conn
	pids map[string]int // by unique name, which is never used twice
}

func newClients(address string) *clients {
	return &clients{address: address, pids: map[string]int{}}
}

// connected are the pids of the bus's clients at this moment.
func (c *clients) connected(ctx context.Context) (map[int]bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil || !c.conn.Connected() {
		conn, err := dialBus(ctx, c.address)
		if err != nil {
			return nil, err
		}
		c.conn = conn
	}
	ctx, cancel := context.WithTimeoutCause(ctx, busTime, errBusSilent)
	defer cancel()
	bus := c.conn.BusObject()
	var names []string
	if err := bus.CallWithContext(ctx, "org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		return nil, err
	}
	in := map[int]bool{}
	for _, n := range names {
		if n == "" || n[0] != ':' {
			continue
		}
		pid, known := c.pids[n]
		if !known {
			var answer uint32
			err := bus.CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, n).Store(&answer)
			if err != nil {
				continue // it has left
			}
			pid = int(answer)
			c.pids[n] = pid
		}
		in[pid] = true
	}
	return in, nil
}

func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
