package atspi

import (
	"context"
	"errors"
	"time"

	"github.com/godbus/dbus/v5"
)

// Method names that are used in several places.
const (
	accessible  = "org.a11y.atspi.Accessible"
	getProperty = "org.freedesktop.DBus.Properties.Get"
	setProperty = "org.freedesktop.DBus.Properties.Set"
)

// window is how many calls may be under way at once in one batch.
const window = 256

// errSilent says that the peer sent nothing for a whole call timeout.
var errSilent = errors.New("no answer in time")

// request is one method call and, after batch, its answer.
type request struct {
	dest   string
	path   dbus.ObjectPath
	method string
	args   []any
	// activate lets the bus start the service that is called.
	activate bool

	body []any
	err  error // of this call alone
}

// batch sends the calls one after the other without waiting for the answers,
// and collects them. It fails with errSilent when no answer at all arrives
// for a whole timeout, with the context's cause, or with the connection's
// error; what was answered until then stands in the requests, the others
// carry that error.
func batch(ctx context.Context, conn *dbus.Conn, timeout time.Duration, requests []*request) error {
	if len(requests) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan *dbus.Call, len(requests))
	pending := make(map[*dbus.Call]*request, window)
	silence := time.NewTimer(timeout)
	defer silence.Stop()

	fail := func(from int, err error) error {
		for _, r := range pending {
			r.err = err
		}
		for _, r := range requests[from:] {
			r.err = err
		}
		return err
	}
	sent := 0
	for sent < len(requests) || len(pending) > 0 {
		let := hold(conn)
		for sent < len(requests) && len(pending) < window {
			r := requests[sent]
			flags := dbus.FlagNoAutoStart
			if r.activate {
				flags = 0
			}
			call := conn.Object(r.dest, r.path).GoWithContext(ctx, r.method, flags, done, r.args...)
			pending[call] = r
			sent++
		}
		let()
		select {
		case call := <-done:
			r := pending[call]
			delete(pending, call)
			r.body, r.err = call.Body, call.Err
			if err := context.Cause(ctx); err != nil {
				r.err = err
				return fail(sent, err)
			}
			if !conn.Connected() {
				return fail(sent, dbus.ErrClosed)
			}
			silence.Reset(timeout)
		case <-silence.C:
			return fail(sent, errSilent)
		case <-ctx.Done():
			return fail(sent, context.Cause(ctx))
		}
	}
	return nil
}

// callOne makes a single call.
func callOne(ctx context.Context, conn *dbus.Conn, timeout time.Duration, r request) ([]any, error) {
	if err := batch(ctx, conn, timeout, []*request{&r}); err != nil {
		return nil, err
	}
	return r.body, r.err
}

// The functions below read an answer's first value leniently: an answer of
// another type than the interface promises reads as the zero value.

func first(body []any) any {
	if len(body) == 0 {
		return nil
	}
	return body[0]
}

func variantOf(body []any) any {
	v, _ := first(body).(dbus.Variant)
	return v.Value()
}

func stringOf(body []any) string {
	s, _ := first(body).(string)
	return s
}
