package atspi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// dial connects to the D-Bus server at exactly that address and authenticates,
// within timeout. hello says that it is a bus and not a single peer.
func dial(ctx context.Context, address string, timeout time.Duration, hello bool, options ...dbus.ConnOption) (*dbus.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %d ms", timeout.Milliseconds()))
	defer cancel()
	socket, err := dialSocket(ctx, address)
	if err != nil {
		return nil, err
	}
	w := newWire(socket)
	options = append(options, dbus.WithContext(context.WithValue(context.Background(), wireKey{}, w)))
	conn, err := dbus.NewConn(w, options...)
	if err != nil {
		_ = socket.Close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err = conn.Auth(nil)
	if err == nil && hello {
		err = conn.Hello()
	}
	if !stop() || err != nil {
		_ = conn.Close()
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	return conn, nil
}

// dialSocket tries the alternatives of a D-Bus address in turn.
func dialSocket(ctx context.Context, address string) (net.Conn, error) {
	if address == "" {
		return nil, errors.New("no address")
	}
	var last error
	for alternative := range strings.SplitSeq(address, ";") {
		network, where, err := parseAddress(alternative)
		if err != nil {
			last = err
			continue
		}
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, where)
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

// parseAddress gives network and address for net.Dial of one alternative of a
// D-Bus address.
func parseAddress(address string) (network, where string, err error) {
	transport, rest, ok := strings.Cut(address, ":")
	if !ok {
		return "", "", fmt.Errorf("%q is no D-Bus address", address)
	}
	keys := map[string]string{}
	for pair := range strings.SplitSeq(rest, ",") {
		k, v, _ := strings.Cut(pair, "=")
		value, err := dbus.UnescapeBusAddressValue(v)
		if err != nil {
			return "", "", fmt.Errorf("D-Bus address %q: %w", address, err)
		}
		keys[k] = value
	}
	switch {
	case transport == "unix" && keys["path"] != "":
		return "unix", keys["path"], nil
	case transport == "unix" && keys["abstract"] != "":
		return "unix", "@" + keys["abstract"], nil
	case transport == "tcp" && keys["port"] != "":
		return "tcp", net.JoinHostPort(keys["host"], keys["port"]), nil
	}
	return "", "", fmt.Errorf("D-Bus address %q: transport not supported", address)
}
