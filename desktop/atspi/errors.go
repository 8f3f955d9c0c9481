package atspi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// peerGone tells whether err says that the called connection has gone from
// the bus.
func peerGone(err error) bool {
	var e dbus.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Name {
	case "org.freedesktop.DBus.Error.ServiceUnknown",
		"org.freedesktop.DBus.Error.NameHasNoOwner",
		"org.freedesktop.DBus.Error.Disconnected":
		return true
	case "org.freedesktop.DBus.Error.NoReply":
		// The bus says this when the peer leaves, and after its own (far
		// longer) deadline.
		return strings.Contains(e.Error(), "disconnected")
	}
	return false
}

// refused tells whether err is an error that the application answered: for an
// object, interface or property that does not exist (any more), or for a call
// that it does not support. Toolkits do not tell these apart.
func refused(err error) bool {
	var e dbus.Error
	return errors.As(err, &e) && !peerGone(err)
}

// connectionLost tells whether err says that our own connection is down.
func connectionLost(err error) bool {
	return errors.Is(err, dbus.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || isNetError(err)
}

func isNetError(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}

// fault turns the error of a call to an application into the typed error
// that callers see.
func (b *Bus) fault(ctx context.Context, a App, err error, after time.Duration) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case connectionLost(err):
		return broken(desktop.PartA11yBus, err)
	case errors.Is(err, errSilent):
		// The time that was given, not the time that it took: two runs say the same.
		limit := b.timeout
		if after >= treeBudget {
			limit = treeBudget
		}
		return &desktop.HungError{Name: a.label(), After: limit}
	case peerGone(err):
		return &desktop.GoneError{What: fmt.Sprintf("app '%s'", a.label())}
	}
	return err
}
