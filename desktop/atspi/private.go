package atspi

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// actionConn is the connection that actions of that application travel over:
// its private one where it has one (GTK 3), or the bus.
func (b *Bus) actionConn(ctx context.Context, dest string) (conn *dbus.Conn, private bool) {
	b.mu.Lock()
	conn, asked := b.private[dest]
	b.mu.Unlock()
	if asked && conn == nil {
		return b.conn, false
	}
	if asked && conn.Connected() {
		return conn, true
	}

	body, err := callOne(ctx, b.conn, b.timeout, request{dest: dest, path: rootPath,
		method: "org.a11y.atspi.Application.GetApplicationBusAddress"})
	address := stringOf(body)
	if err != nil && !objectGone(err) {
		return b.conn, false
	}
	if err != nil || address == "" {
		b.keep(dest, nil)
		return b.conn, false
	}
	conn, err = dial(ctx, address, b.timeout, false)
	if err != nil {
		return b.conn, false
	}
	if !b.keep(dest, conn) {
		_ = conn.Close()
		return b.conn, false
	}
	return conn, true
}

// keep remembers the application's private connection, nil for none. It
// reports false when the bus was closed meanwhile.
func (b *Bus) keep(dest string, conn *dbus.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.private[dest] = conn
	return true
}

// retire takes a private connection whose call is not answered out of use:
// GTK 3 serves nothing else on it until then. It is closed when the answer
// comes, or with the bus.
func (b *Bus) retire(dest string, conn *dbus.Conn, done <-chan *dbus.Call) {
	b.mu.Lock()
	if b.private[dest] == conn {
		delete(b.private, dest)
	}
	closed := b.closed
	if !closed {
		b.retired[conn] = true
	}
	b.mu.Unlock()
	if closed {
		_ = conn.Close()
		return
	}
	go func() {
		<-done
		b.mu.Lock()
		delete(b.retired, conn)
		b.mu.Unlock()
		_ = conn.Close()
	}()
}
