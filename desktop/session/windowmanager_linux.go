package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// IdentityProperty is the property of the root window that holds the
// session's id (type STRING). Who is about to type into a display looks at it
// first.
const IdentityProperty = "_OPENDESK_SESSION"

// startWindowManager marks the display and starts openbox on it. It returns
// when openbox manages the display and has answered: it announces itself
// before it looks at its events, and a window that is mapped in between (in one
// start of five, where that was provoked) stays unmanaged and invisible until
// some other event comes for the window manager.
func (h *host) startWindowManager(ctx context.Context) error {
	x, err := openDisplay(ctx, h.info.Display)
	if err != nil {
		return h.unanswered(ctx, h.parts.xvfb, "connect", err)
	}
	defer x.Close()
	if err := h.markDisplay(ctx, x); err != nil {
		return h.unanswered(ctx, h.parts.xvfb, "mark the display", err)
	}
	managed, err := x.watchManager()
	if err != nil {
		return h.unanswered(ctx, h.parts.xvfb, "watch the root window", err)
	}
	h.parts.windowManager, err = h.startPart(PartWindowManager, []string{"openbox"}, []string{
		"--sm-disable", "--config-file", openboxOf(h.info.Dir),
	})
	if err != nil {
		return err
	}
	return h.await(ctx, h.parts.windowManager, managed)
}

func (h *host) markDisplay(ctx context.Context, x *xConn) error {
	if h.options.SetIdentity != nil {
		return h.options.SetIdentity(ctx, h.info.Display, h.info.ID)
	}
	return x.setRoot(IdentityProperty, h.info.ID)
}

// announceA11yBus writes the accessibility bus's address to the root window.
// The bus's launcher does so too, but only if the X server answers when it
// happens to ask, and Qt 5 as Debian patches it is without a tree for good
// where its first look does not find the address.
func (h *host) announceA11yBus(ctx context.Context) error {
	x, err := openDisplay(ctx, h.info.Display)
	if err != nil {
		return err
	}
	defer x.Close()
	return x.setRoot("AT_SPI_BUS", h.info.A11yBus)
}

// setRoot sets a property of the root window, of type STRING.
func (x *xConn) setRoot(name, value string) error {
	property, err := x.atom(name)
	if err != nil {
		return err
	}
	return xproto.ChangePropertyChecked(x.Conn, xproto.PropModeReplace, x.root, property, xproto.AtomString, 8,
		uint32(len(value)), []byte(value)).Check()
}

// xConn is a connection to an X server.
type xConn struct {
	*xgb.Conn
	root xproto.Window
	// keep lets the connection outlive its context.
	keep func() bool
}

// Close ends the connection in good order.
func (x *xConn) Close() {
	x.keep()
	x.Conn.Close()
}

// openDisplay connects to a display of this session. The connection ends with
// the context, and calls that wait for the server with it.
func openDisplay(ctx context.Context, display string) (*xConn, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(display, ":"))
	if err != nil {
		return nil, fmt.Errorf("display %q: %w", display, err)
	}
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, "unix", socketFile(number))
	if err != nil {
		return nil, err
	}
	keep := context.AfterFunc(ctx, func() { _ = socket.Close() })
	conn, err := xgb.NewConnNet(socket)
	if err != nil {
		keep()
		return nil, errors.Join(err, socket.Close())
	}
	return &xConn{conn, xproto.Setup(conn).DefaultScreen(conn).Root, keep}, nil
}

func (x *xConn) atom(name string) (xproto.Atom, error) {
	reply, err := xproto.InternAtom(x.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, fmt.Errorf("atom %s: %w", name, err)
	}
	return reply.Atom, nil
}

// askAgain is how often a window manager is asked: a question can be lost like
// the windows.
const askAgain = 15 * time.Millisecond

// watchManager gives a channel that gets nil when a window manager has put
// _NET_SUPPORTING_WM_CHECK on the root window and on the window it names, and
// has answered a question after that.
func (x *xConn) watchManager() (<-chan error, error) {
	check, err := x.atom("_NET_SUPPORTING_WM_CHECK")
	if err != nil {
		return nil, err
	}
	q, err := x.newQuestion()
	if err != nil {
		return nil, err
	}
	if err := x.watchProperties(x.root); err != nil {
		return nil, err
	}
	managed := make(chan error, 1)
	go func() {
		answered := make(chan struct{})
		defer close(answered)
		asking := false
		for {
			event, xerr := x.WaitForEvent()
			if event == nil && xerr == nil {
				managed <- errors.New("the X server hung up")
				return
			}
			e, ok := event.(xproto.PropertyNotifyEvent)
			switch {
			case !ok:
			case e.Window == q.window && e.Atom == q.answer:
				managed <- nil
				return
			case e.Atom == check && !asking && x.manages(check):
				asking = true
				go q.repeat(answered)
			}
		}
	}()
	return managed, nil
}

// question is what a window manager answers only once it works: how wide a
// frame it would draw around a window (_NET_REQUEST_FRAME_EXTENTS of the EWMH).
type question struct {
	x       *xConn
	window  xproto.Window
	request xproto.Atom
	answer  xproto.Atom
}

func (x *xConn) newQuestion() (*question, error) {
	q := &question{x: x}
	var err error
	if q.request, err = x.atom("_NET_REQUEST_FRAME_EXTENTS"); err != nil {
		return nil, err
	}
	if q.answer, err = x.atom("_NET_FRAME_EXTENTS"); err != nil {
		return nil, err
	}
	if q.window, err = xproto.NewWindowId(x.Conn); err != nil {
		return nil, err
	}
	return q, xproto.CreateWindowChecked(x.Conn, 0, q.window, x.root, -100, -100, 1, 1, 0, xproto.WindowClassInputOutput, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
}

// repeat asks until answered is closed.
func (q *question) repeat(answered <-chan struct{}) {
	ticker := time.NewTicker(askAgain)
	defer ticker.Stop()
	for {
		message := xproto.ClientMessageEvent{
			Format: 32, Window: q.window, Type: q.request, Data: xproto.ClientMessageDataUnionData32New(make([]uint32, 5)),
		}
		xproto.SendEvent(q.x.Conn, false, q.x.root,
			xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(message.Bytes()))
		select {
		case <-ticker.C:
		case <-answered:
			return
		}
	}
}

// manages says whether the root window and the window that it names agree.
// The latter is watched from then on: it may get its property a moment later.
func (x *xConn) manages(check xproto.Atom) bool {
	window, ok := x.windowProperty(x.root, check)
	if !ok || x.watchProperties(window) != nil {
		return false
	}
	same, ok := x.windowProperty(window, check)
	return ok && same == window
}

// watchProperties asks for an event when a property of the window changes.
func (x *xConn) watchProperties(window xproto.Window) error {
	return xproto.ChangeWindowAttributesChecked(x.Conn, window, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
}

func (x *xConn) windowProperty(of xproto.Window, property xproto.Atom) (xproto.Window, bool) {
	reply, err := xproto.GetProperty(x.Conn, false, of, property, xproto.AtomWindow, 0, 1).Reply()
	if err != nil || reply.Format != 32 || len(reply.Value) < 4 {
		return 0, false
	}
	return xproto.Window(xgb.Get32(reply.Value)), true
}
