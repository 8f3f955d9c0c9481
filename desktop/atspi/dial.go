package atspi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// stream is a socket with buffered reading, which saves two system calls in
// three, and with a deadline on writing, so that a bus that no longer reads
// cannot block a caller for good. What is written while it is held back goes
// out at once afterwards: a bus that is woken up for every single call spends
// more time on waking up than on the calls.
type stream struct {
	net.Conn
	r *bufio.Reader

	mu   sync.Mutex
	held int    // how many hold it back
	kept []byte // what they have written
}

// writeTimeout is how long a socket may take nothing.
const writeTimeout = 5 * time.Second

func (s *stream) Read(p []byte) (int, error) { return s.r.Read(p) }

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held > 0 {
		s.kept = append(s.kept, p...)
		return len(p), nil
	}
	return s.write(p)
}

// write fails for good after a timeout: half a message may have been sent.
func (s *stream) write(p []byte) (int, error) {
	if err := s.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	n, err := s.Conn.Write(p)
	if err != nil {
		_ = s.Conn.Close()
	}
	return n, err
}

// hold keeps back what is written until let is called.
func (s *stream) hold() (let func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held--
		if len(s.kept) > 0 {
			_, _ = s.write(s.kept) // the reader of a closed socket says so to every caller
			s.kept = s.kept[:0]
		}
	}
}

// streamKey finds a connection's stream in its context.
type streamKey struct{}

// hold keeps back what is written to the connection until let is called.
func hold(conn *dbus.Conn) (let func()) {
	if s, ok := conn.Context().Value(streamKey{}).(*stream); ok {
		return s.hold()
	}
	return func() {}
}

// dial connects to the D-Bus server at exactly that address and authenticates,
// within timeout. hello says that it is a bus and not a single peer.
func dial(ctx context.Context, address string, timeout time.Duration, hello bool, options ...dbus.ConnOption) (*dbus.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %d ms", timeout.Milliseconds()))
	defer cancel()
	socket, err := dialSocket(ctx, address)
	if err != nil {
		return nil, err
	}
	s := &stream{Conn: socket, r: bufio.NewReaderSize(socket, 64<<10)}
	options = append(options, dbus.WithContext(context.WithValue(context.Background(), streamKey{}, s)))
	conn, err := dbus.NewConn(s, options...)
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
