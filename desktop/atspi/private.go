package atspi

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// actionConn opens a connection for one action: a private one to the
// application where it offers that (GTK 3), or else the bus's.
//
// GTK 3 serves nothing on a connection over which an action came while the
// action's handler runs, be that for as long as a modal dialog is up. Nothing
// else may depend on that connection, not even the next action, which may be
// the one that closes the dialog. Opening one takes about a millisecond.
func (b *Bus) actionConn(ctx context.Context, dest string) (conn *dbus.Conn, private bool) {
	address, err := b.privateAddress(ctx, dest)
	if err != nil || address == "" {
		return b.conn, false
	}
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
	b.private[conn] = true
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

// closePrivate closes a connection that actionConn opened.
func (b *Bus) closePrivate(conn *dbus.Conn) {
	b.mu.Lock()
	delete(b.private, conn)
	b.mu.Unlock()
	_ = conn.Close()
}
