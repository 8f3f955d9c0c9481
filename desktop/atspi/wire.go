package atspi

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"
)

// wire is a connection's socket. The library speaks through it, and so do
// batches, by messages of their own: what they are answered is taken out of
// what the library reads. A batch goes out in one write, so that the bus is
// woken up once.
type wire struct {
	net.Conn
	r *bufio.Reader

	// speaks says that the greeting is over and messages follow. It is set
	// before the last line of it is sent, which is before the first message.
	speaks  atomic.Bool
	message []byte // the last one that was read
	rest    []byte // what the library has not read of it yet
	// heard gets the signals of accessibility events; the library gets the others.
	heard atomic.Pointer[func(header)]

	writing sync.Mutex

	mu      sync.Mutex
	serial  uint32
	pending map[uint32]*called
	ended   bool
}

// called is a request that was sent.
type called struct {
	request *request
	round   *round
}

// ownSerials are those of batches: the library counts from 1.
const ownSerials = 1 << 31

// writeTimeout is how long a socket may take nothing: a bus that no longer
// reads must not block a caller for good.
const writeTimeout = 5 * time.Second

// keptMessage bounds the buffer that is kept for the next message.
const keptMessage = 1 << 20

func newWire(socket net.Conn) *wire {
	return &wire{Conn: socket, r: bufio.NewReaderSize(socket, 64<<10), pending: map[uint32]*called{}}
}

// wireKey finds a connection's wire in its context.
type wireKey struct{}

// wireOf is the wire of a connection that dial has made.
func wireOf(conn *dbus.Conn) *wire { return conn.Context().Value(wireKey{}).(*wire) }

// Write writes for the library, which fails for good after a timeout: half a
// message may have been sent.
func (w *wire) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("BEGIN")) && !w.speaks.Load() {
		w.speaks.Store(true)
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	if err := w.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	n, err := w.Conn.Write(p)
	if err != nil {
		_ = w.Conn.Close()
	}
	return n, err
}

// Read reads for the library, which does so from one goroutine.
func (w *wire) Read(p []byte) (int, error) {
	if !w.speaks.Load() {
		return w.r.Read(p)
	}
	for len(w.rest) == 0 {
		if err := w.next(); err != nil {
			w.end()
			return 0, err
		}
		if !w.takes() {
			w.rest = w.message
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

// next reads a whole message.
func (w *wire) next() error {
	if cap(w.message) > keptMessage {
		w.message = nil
	}
	w.message = append(w.message[:0], make([]byte, headLength)...)
	if _, err := io.ReadFull(w.r, w.message); err != nil {
		return err
	}
	length, err := messageLength(w.message)
	if err != nil {
		return err
	}
	if cap(w.message) < length {
		w.message = append(make([]byte, 0, length), w.message...)
	}
	w.message = w.message[:length]
	_, err = io.ReadFull(w.r, w.message[headLength:])
	return err
}

// takes reports whether the message is not the library's, and hands it on.
func (w *wire) takes() bool {
	h, ok := parseHeader(w.message)
	switch {
	case !ok:
		return false
	case h.kind == typeSignal:
		heard := w.heard.Load()
		if heard == nil || !bytes.HasPrefix(h.iface, []byte(eventPrefix)) {
			return false
		}
		(*heard)(h)
		return true
	case h.kind != typeReply && h.kind != typeError || h.replyTo < ownSerials:
		return false
	}
	body, err := answerOf(h, w.message)
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.pending[h.replyTo]; c != nil { // else nobody waits any more
		delete(w.pending, h.replyTo)
		c.request.body, c.request.err = body, err
		c.round.answered()
	}
	return true
}

// end tells every batch that no answer comes any more.
func (w *wire) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	for _, c := range w.pending {
		c.round.signal()
	}
}

// send makes the calls, for the round. A socket that takes nothing any more is
// closed: the reader tells.
func (w *wire) send(r *round, requests []*request) {
	var out []byte
	w.mu.Lock()
	for _, q := range requests {
		w.serial++
		serial := ownSerials | w.serial
		next, err := appendCall(out, serial, q)
		if err != nil {
			q.err = err
			continue
		}
		out = next
		w.pending[serial] = &called{q, r}
		r.left++
		r.serials = append(r.serials, serial)
	}
	w.mu.Unlock()
	if len(out) > 0 {
		_, _ = w.Write(out)
	}
}

// forget has what still comes for the round dropped.
func (w *wire) forget(r *round) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, serial := range r.serials {
		delete(w.pending, serial)
	}
}

// round is a batch under way. What it holds is guarded by its wire.
type round struct {
	serials []uint32
	left    int       // calls that were not answered yet
	last    time.Time // when the last answer came
	wake    chan struct{}
}

// answered wakes the batch up when it has something to do.
func (r *round) answered() {
	r.left--
	r.last = time.Now()
	if r.left == 0 || r.left == window/2 {
		r.signal()
	}
}

func (r *round) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// state is how many calls are under way, when the last answer came, and whether
// the connection has ended.
func (w *wire) state(r *round) (left int, last time.Time, ended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return r.left, r.last, w.ended
}

// batch sends the calls one after the other without waiting for the answers,
// and collects them. It fails with errSilent when no answer at all arrives
// for a whole timeout, with the context's cause, or with dbus.ErrClosed; what was
// answered until then stands in the requests, the others carry that error.
func batch(ctx context.Context, conn *dbus.Conn, timeout time.Duration, requests []*request) error {
	if len(requests) == 0 {
		return nil
	}
	w := wireOf(conn)
	for _, q := range requests {
		q.body, q.err = nil, errUnanswered
	}
	r := &round{wake: make(chan struct{}, 1), last: time.Now()}
	err := w.exchange(ctx, r, timeout, requests)
	w.forget(r)
	if err != nil {
		for _, q := range requests {
			if q.err == errUnanswered { //nolint:errorlint // the very value from above
				q.err = err
			}
		}
	}
	return err
}

// exchange sends what there is room for and waits, until all is answered.
func (w *wire) exchange(ctx context.Context, r *round, timeout time.Duration, requests []*request) error {
	silence := time.NewTimer(timeout)
	defer silence.Stop()
	for {
		left, last, ended := w.state(r)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case left == 0 && len(requests) == 0:
			return nil
		case ended:
			return dbus.ErrClosed
		case left <= window/2 && len(requests) > 0:
			n := min(window-left, len(requests))
			w.send(r, requests[:n])
			requests = requests[n:]
			continue
		}
		select {
		case <-r.wake:
		case <-silence.C:
			quiet := time.Since(last)
			if quiet >= timeout {
				return errSilent
			}
			silence.Reset(timeout - quiet)
		case <-ctx.Done():
		}
	}
}
