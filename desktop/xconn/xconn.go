// Package xconn is a connection to an X server whose calls have deadlines.
//
// jezek/xgb speaks the protocol in pure Go, so a server that dies costs an
// error; Xlib would end the process. What xgb lacks is added here: its calls
// wait for ever on a server that does not answer, its events must be taken
// off or the connection jams, and it prints to the process's stderr.
package xconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
)

// AnswerTime is how long an X server may take for one answer. A healthy one
// takes less than a millisecond, a starved one some hundred.
const AnswerTime = 5 * time.Second

func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// Conn is one connection. Its methods are safe for concurrent use.
type Conn struct {
	// X is for requests, made inside Do.
	X      *xgb.Conn
	Setup  *xproto.SetupInfo
	Screen *xproto.ScreenInfo
	Root   xproto.Window

	display string
	done    chan struct{}

	mu    sync.Mutex
	atoms map[string]xproto.Atom
	names map[xproto.Atom]string
}

// Dial connects to the named display, which must not be "". onEvent, which
// may be nil, is called from one goroutine for every event; it must not block.
// *desktop.EnvironmentError where the server does not answer in time.
func Dial(ctx context.Context, display string, onEvent func(*Conn, xgb.Event)) (*Conn, error) {
	if display == "" {
		return nil, fault(errors.New("no display named (DISPLAY is empty)"))
	}
	type dialled struct {
		x   *xgb.Conn
		err error
	}
	answer := make(chan dialled)
	given := make(chan struct{})
	go func() {
		x, err := xgb.NewConnDisplay(display)
		select {
		case answer <- dialled{x, err}:
		case <-given: // too late
			if x != nil {
				x.Close()
			}
		}
	}()
	defer close(given)
	timer := time.NewTimer(AnswerTime)
	defer timer.Stop()
	select {
	case a := <-answer:
		if a.err != nil {
			return nil, fault(fmt.Errorf("connecting to %s: %w", display, a.err))
		}
		return start(a.x, display, onEvent)
	case <-ctx.Done():
		return nil, fault(fmt.Errorf("connecting to %s: %w", display, context.Cause(ctx)))
	case <-timer.C:
		return nil, fault(fmt.Errorf("connecting to %s: no answer within %v", display, AnswerTime))
	}
}

func start(x *xgb.Conn, display string, onEvent func(*Conn, xgb.Event)) (*Conn, error) {
	setup := xproto.Setup(x)
	if setup == nil || x.DefaultScreen >= len(setup.Roots) {
		x.Close()
		return nil, fault(fmt.Errorf("%s has no screen %d", display, x.DefaultScreen))
	}
	screen := setup.DefaultScreen(x)
	c := &Conn{
		X: x, Setup: setup, Screen: screen, Root: screen.Root,
		display: display, done: make(chan struct{}),
		atoms: map[string]xproto.Atom{}, names: map[xproto.Atom]string{},
	}
	go func() {
		defer close(c.done)
		for {
			event, err := x.WaitForEvent()
			if event == nil && err == nil {
				return
			}
			if event != nil && onEvent != nil {
				onEvent(c, event)
			}
		}
	}()
	return c, nil
}

// Display is the name that was dialled.
func (c *Conn) Display() string { return c.display }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the connection. It does not wait for the server.
func (c *Conn) Close() { c.X.Close() }

// Do makes requests and waits for their answers, but no longer than ctx and
// AnswerTime. What fn still does after that is not looked at.
// *desktop.EnvironmentError where the server has gone or is silent; an X error
// (a window that has gone) is returned as it is.
func Do[T any](ctx context.Context, c *Conn, what string, fn func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := fn()
		done <- result{v, err}
	}()
	timer := time.NewTimer(AnswerTime)
	defer timer.Stop()
	var none T
	select {
	case r := <-done:
		if r.err != nil {
			return none, c.explain(what, r.err)
		}
		return r.value, nil
	case <-ctx.Done():
		return none, fmt.Errorf("%s: %w", what, context.Cause(ctx))
	case <-timer.C:
		return none, fault(fmt.Errorf("%s: X server %s did not answer within %v", what, c.display, AnswerTime))
	}
}

// Sync waits until the server has done everything asked for so far.
func (c *Conn) Sync(ctx context.Context) error {
	_, err := Do(ctx, c, "waiting for the X server", func() (*xproto.GetInputFocusReply, error) {
		return xproto.GetInputFocus(c.X).Reply()
	})
	return err
}

// Atom is the atom of that name, which is made where it does not exist.
// It must be called inside Do.
func (c *Conn) Atom(name string) (xproto.Atom, error) {
	c.mu.Lock()
	a, ok := c.atoms[name]
	c.mu.Unlock()
	if ok {
		return a, nil
	}
	reply, err := xproto.InternAtom(c.X, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.atoms[name] = reply.Atom
	c.names[reply.Atom] = name
	return reply.Atom, nil
}

// Intern looks all names up in one round trip, so that Atom has them.
func (c *Conn) Intern(ctx context.Context, names ...string) error {
	_, err := Do(ctx, c, "interning atoms", func() (struct{}, error) {
		cookies := make([]xproto.InternAtomCookie, len(names))
		for i, n := range names {
			cookies[i] = xproto.InternAtom(c.X, false, uint16(len(n)), n)
		}
		for i, n := range names {
			reply, err := cookies[i].Reply()
			if err != nil {
				return struct{}{}, err
			}
			c.mu.Lock()
			c.atoms[n] = reply.Atom
			c.names[reply.Atom] = n
			c.mu.Unlock()
		}
		return struct{}{}, nil
	})
	return err
}

// Known is the atom of a name that Intern has looked up, 0 otherwise.
func (c *Conn) Known(name string) xproto.Atom {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.atoms[name]
}

// NameOf is the name of an atom that was looked up here, "" otherwise.
func (c *Conn) NameOf(a xproto.Atom) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names[a]
}

func (c *Conn) explain(what string, err error) error {
	var fromServer xgb.Error
	if errors.As(err, &fromServer) {
		return fmt.Errorf("%s: %w", what, err)
	}
	if errors.Is(err, io.EOF) {
		return fault(fmt.Errorf("%s: X server %s has gone", what, c.display))
	}
	return fmt.Errorf("%s: %w", what, err)
}

func fault(err error) error {
	return &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: err}
}
