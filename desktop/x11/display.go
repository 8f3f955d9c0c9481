// Package x11 asks an X display about its windows, focus, clipboard and
// keyboard layout, and whether the server and the window manager answer.
//
// It speaks through jezek/xgb, in pure Go, so that it works in every build
// and a dying server costs an error and not the process. xgbutil is not used:
// it is built on another fork of xgb, whose connections do not fit, and its
// ewmh calls make one round trip a property, where a list of windows here
// costs three in all.
package x11

import (
	"context"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// Display is one X display. Its methods are safe for concurrent use.
type Display struct {
	conn    *xconn.Conn
	changes chan struct{}
	hasRes  bool
	helper  xproto.Window // unmapped, for probes
	rescan  chan struct{}

	clipping  sync.Mutex // held while clipboard is made
	clipboard *clipboard

	mu        sync.Mutex
	listeners map[chan struct{}]bool
	watched   map[xproto.Window]bool
	keymap    *Keymap
	pings     uint32 // sent
	pong      uint32 // the last one answered
}

// Open connects to the display of that name, which must not be "".
// *desktop.EnvironmentError where it does not answer in time.
func Open(ctx context.Context, display string) (*Display, error) {
	d := &Display{
		changes:   make(chan struct{}, 1),
		rescan:    make(chan struct{}, 1),
		listeners: map[chan struct{}]bool{},
		watched:   map[xproto.Window]bool{},
	}
	conn, err := xconn.Dial(ctx, display, d.handle)
	if err != nil {
		return nil, err
	}
	d.conn = conn
	if err := d.setUp(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	go d.watch()
	d.wake(d.rescan)
	return d, nil
}

func (d *Display) setUp(ctx context.Context) error {
	if err := d.conn.Intern(ctx, atomNames...); err != nil {
		return err
	}
	helper, err := xconn.Do(ctx, d.conn, "setting up the display", func() (xproto.Window, error) {
		x := d.conn.X
		d.hasRes = res.Init(x) == nil
		if d.hasRes {
			_, err := res.QueryVersion(x, 1, 2).Reply()
			d.hasRes = err == nil
		}
		w, err := xproto.NewWindowId(x)
		if err != nil {
			return 0, err
		}
		xproto.CreateWindow(x, 0, w, d.conn.Root, -100, -100, 1, 1, 0, xproto.WindowClassInputOutput, 0,
			xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
		return w, xproto.ChangeWindowAttributesChecked(x, d.conn.Root, xproto.CwEventMask,
			[]uint32{xproto.EventMaskSubstructureNotify | xproto.EventMaskPropertyChange |
				xproto.EventMaskFocusChange | xproto.EventMaskStructureNotify}).Check()
	})
	d.helper = helper
	return err
}

// Close puts the temporary keymap entries back, gives the clipboard up and
// ends the connection.
func (d *Display) Close() error {
	d.clipping.Lock()
	clip := d.clipboard
	d.clipboard = nil
	d.clipping.Unlock()
	d.mu.Lock()
	keys := d.keymap
	d.keymap = nil
	d.mu.Unlock()
	var err error
	if keys != nil {
		err = keys.restore(context.Background())
	}
	if clip != nil {
		clip.conn.Close()
	}
	d.conn.Close()
	return err
}

// Name is the display's name, such as ":99".
func (d *Display) Name() string { return d.conn.Display() }

// Size is the screen's size.
func (d *Display) Size(ctx context.Context) (desktop.Rect, error) {
	return xconn.Do(ctx, d.conn, "asking for the screen's size", func() (desktop.Rect, error) {
		g, err := xproto.GetGeometry(d.conn.X, xproto.Drawable(d.conn.Root)).Reply()
		if err != nil {
			return desktop.Rect{}, err
		}
		return desktop.Rect{Width: int(g.Width), Height: int(g.Height)}, nil
	})
}

// SetIdentity marks the server as belonging to the session id, so that no
// input is ever sent to another one. An empty id takes the mark off.
func (d *Display) SetIdentity(ctx context.Context, id string) error {
	_, err := xconn.Do(ctx, d.conn, "marking the X server", func() (struct{}, error) {
		prop, x := d.conn.Known(atomIdentity), d.conn.X
		if id == "" {
			return struct{}{}, xproto.DeletePropertyChecked(x, d.conn.Root, prop).Check()
		}
		return struct{}{}, xproto.ChangePropertyChecked(x, xproto.PropModeReplace, d.conn.Root, prop,
			d.conn.Known("UTF8_STRING"), 8, uint32(len(id)), []byte(id)).Check()
	})
	return err
}

// Identity is the mark that SetIdentity set, "" for none.
func (d *Display) Identity(ctx context.Context) (string, error) {
	return xconn.Do(ctx, d.conn, "reading the X server's mark", func() (string, error) {
		reply, err := d.property(d.conn.Root, atomIdentity).Reply()
		if err != nil {
			return "", err
		}
		return string(reply.Value), nil
	})
}

// Changes returns a channel that gets a value (capacity 1) whenever windows,
// their titles, places or the focus changed.
func (d *Display) Changes() <-chan struct{} { return d.changes }

// listen adds a listener for changes; the function takes it away again.
func (d *Display) listen() (changes <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	d.mu.Lock()
	d.listeners[ch] = true
	d.mu.Unlock()
	return ch, func() {
		d.mu.Lock()
		delete(d.listeners, ch)
		d.mu.Unlock()
	}
}

func (d *Display) wake(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// handle runs for every event of the connection.
func (d *Display) handle(c *xconn.Conn, event xgb.Event) {
	switch e := event.(type) {
	case xproto.ClientMessageEvent:
		if e.Type == c.Known(atomNudge) {
			return // no change of the display
		}
		if e.Format == 32 && e.Data.Data32[0] == uint32(c.Known("_NET_WM_PING")) {
			d.mu.Lock()
			d.pong = e.Data.Data32[1]
			d.mu.Unlock()
		}
	case xproto.CreateNotifyEvent, xproto.MapNotifyEvent, xproto.ReparentNotifyEvent:
		d.wake(d.rescan)
	case xproto.PropertyNotifyEvent:
		if e.Window == c.Root && e.Atom == c.Known("_NET_CLIENT_LIST") {
			d.wake(d.rescan)
		}
	case xproto.DestroyNotifyEvent:
		d.mu.Lock()
		delete(d.watched, e.Window)
		d.mu.Unlock()
	}
	d.wake(d.changes)
	d.mu.Lock()
	defer d.mu.Unlock()
	for ch := range d.listeners {
		d.wake(ch)
	}
}

// nudgeEvery is how often the window manager gets an event, one that means
// nothing to it. Openbox can take events off its connection without acting on
// them until the next one comes; a window that was mapped stays invisible until
// then.
const nudgeEvery = 200 * time.Millisecond

// watch selects the events of every new top-level window, and keeps the window
// manager awake.
func (d *Display) watch() {
	nudge := time.NewTicker(nudgeEvery)
	defer nudge.Stop()
	for {
		select {
		case <-d.conn.Done():
			return
		case <-nudge.C:
			d.tellWM(d.helper, atomNudge)
			continue
		case <-d.rescan:
		}
		clients, err := xconn.Do(context.Background(), d.conn, "watching windows", d.topLevels)
		if err != nil {
			continue
		}
		d.mu.Lock()
		for _, c := range clients {
			if d.watched[c] {
				continue
			}
			d.watched[c] = true
			xproto.ChangeWindowAttributes(d.conn.X, c, xproto.CwEventMask,
				[]uint32{xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify | xproto.EventMaskFocusChange})
		}
		d.mu.Unlock()
		d.wake(d.changes) // what changed before it was watched
	}
}
