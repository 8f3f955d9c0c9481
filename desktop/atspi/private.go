package atspi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// privateUse says for what a private connection was opened.
type privateUse struct {
	dest     string
	opened   time.Time
	answered bool
}

// maxPrivate is how many private connections to one application stay open
// whose action was answered, before those are closed that can be.
const maxPrivate = 16

// actionConn opens a connection for one action: a private one to the
// application where it offers that (GTK 2 and 3), or else the bus's.
//
// GTK serves nothing on a connection over which an action came while the
// action's handler runs, be that for as long as a modal dialog is up. Nothing
// else may depend on that connection, not even the next action, which may be
// the one that closes the dialog. Opening one takes about a millisecond.
//
// GTK answers before it calls the handler, so that an answer does not say
// that the handler is done. Until it is, nothing at all may arrive on that
// connection, its end included: the next key that is pressed would have GTK
// wait for itself for ever. So the connection stays open (see tidyPrivate).
func (b *Bus) actionConn(ctx context.Context, dest string) (conn *dbus.Conn, private bool) {
	address, err := b.privateAddress(ctx, dest)
	if err != nil || address == "" {
		return b.conn, false
	}
	b.tidyPrivate(ctx, dest)
	conn, err = dial(ctx, address, b.timeout, false)
	if err != nil {
		return b.conn, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		_ = conn.Close()
		return b.conn, false
	}
	b.private[conn] = &privateUse{dest: dest, opened: time.Now()}
	return conn, true
}

// privateAddress is where the application listens for private connections,
// "" where it does not.
func (b *Bus) privateAddress(ctx context.Context, dest string) (string, error) {
	b.mu.Lock()
	address, known := b.addresses[dest]
	b.mu.Unlock()
	if known {
		return address, nil
	}
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: dest, path: rootPath,
		method: "org.a11y.atspi.Application.GetApplicationBusAddress"})
	if err != nil && !refused(err) {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addresses[dest] = stringOf(body)
	return b.addresses[dest], nil
}

// answered notes that the action on a private connection was answered.
func (b *Bus) answered(conn *dbus.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if use := b.private[conn]; use != nil {
		use.answered = true
	}
}

// tidyPrivate closes, once there are many, the private connections to the
// application whose actions are over: those that were answered, while no
// dialog is up that one of them may have opened. The latest stays, since its
// dialog may be about to come.
func (b *Bus) tidyPrivate(ctx context.Context, dest string) {
	b.mu.Lock()
	var over []*dbus.Conn
	for conn, use := range b.private {
		switch {
		case !conn.Connected():
			delete(b.private, conn) // the application has gone
		case use.dest == dest && use.answered:
			over = append(over, conn)
		}
	}
	slices.SortFunc(over, func(a, c *dbus.Conn) int {
		return cmp.Compare(b.private[a].opened.UnixNano(), b.private[c].opened.UnixNano())
	})
	b.mu.Unlock()
	if len(over) < maxPrivate || b.showsModal(ctx, dest) {
		return
	}
	for _, conn := range over[:len(over)-1] {
		b.mu.Lock()
		delete(b.private, conn)
		b.mu.Unlock()
		_ = conn.Close()
	}
}

// showsModal reports whether one of the application's windows is modal, true
// where that cannot be told.
func (b *Bus) showsModal(ctx context.Context, dest string) bool {
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: dest, path: rootPath, method: accessible + ".GetChildren"})
	if err != nil {
		return true
	}
	windows := parseRefs(first(body))
	requests := make([]*request, len(windows))
	for i, w := range windows {
		requests[i] = &request{dest: w.dest, path: w.path, method: accessible + ".GetState"}
	}
	if batch(ctx, b.conn, b.timeout, requests) != nil {
		return true
	}
	return slices.ContainsFunc(requests, func(q *request) bool {
		return q.err == nil && parseStates(first(q.body)).desktop().Has(desktop.Modal|desktop.Showing)
	})
}
