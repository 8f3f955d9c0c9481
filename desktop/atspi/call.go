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

// window is how many calls may be under way at once in one batch: no more than a
// bus without limits of its own lets a connection have (128).
const window = 120

var (
	// errSilent says that the peer sent nothing for a whole call timeout.
	errSilent = errors.New("no answer in time")
	// errUnanswered is the error of calls that batch has not got an answer to yet.
	errUnanswered = errors.New("not answered")
)

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
	switch v := first(body).(type) {
	case inside:
		return v.value
	case dbus.Variant:
		return v.Value()
	}
	return nil
}

func stringOf(body []any) string {
	s, _ := first(body).(string)
	return s
}
