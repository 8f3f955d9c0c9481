package x11

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// ownerTime is how long the clipboard's owner may be silent.
const ownerTime = 2 * time.Second

// maxClipboard bounds what is read from the clipboard, in bytes.
const maxClipboard = 64 << 20

// clipboard is the connection that reads selections and owns them, the CLIPBOARD
// above all.
// It serves other applications from the goroutine of its events.
type clipboard struct {
	conn   *xconn.Conn
	window xproto.Window
	events chan xgb.Event // for the reader; those that nobody waits for are dropped
	reads  sync.Mutex     // one read or write at a time
	format byte           // of what was taken last, in bits
	broken int            // how many reads were given up

	mu    sync.Mutex
	text  []byte
	since xproto.Timestamp // when it became ours
	owned bool
	sends map[transfer]*sending
	kept  map[xproto.Atom]*keptSelection // put back for others, by selection
	lost  chan struct{}                  // something that was ours is somebody else's now
}

var clipboardAtoms = []string{
	"CLIPBOARD", "TARGETS", "TIMESTAMP", "UTF8_STRING", "TEXT", "INCR",
	"text/plain;charset=utf-8", "text/plain",
}

// clip is the display's clipboard connection, made at its first use.
func (d *Display) clip(ctx context.Context) (*clipboard, error) {
	d.clipping.Lock()
	defer d.clipping.Unlock()
	if d.clipboard != nil {
		return d.clipboard, nil
	}
	c := &clipboard{
		events: make(chan xgb.Event, 64), sends: map[transfer]*sending{},
		kept: map[xproto.Atom]*keptSelection{}, lost: make(chan struct{}, 1),
	}
	conn, err := xconn.Dial(ctx, d.conn.Display(), c.handle)
	if err != nil {
		return nil, err
	}
	c.conn = conn
	if err = conn.Intern(ctx, clipboardAtoms...); err == nil {
		c.window, err = xconn.Do(ctx, conn, "setting up the clipboard", func() (xproto.Window, error) {
			w, err := xproto.NewWindowId(conn.X)
			if err != nil {
				return 0, err
			}
			return w, xproto.CreateWindowChecked(conn.X, 0, w, conn.Root, -100, -100, 1, 1, 0,
				xproto.WindowClassInputOnly, 0, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
		})
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	d.clipboard = c
	return c, nil
}

// handle runs for every event of the connection.
func (c *clipboard) handle(conn *xconn.Conn, event xgb.Event) {
	switch e := event.(type) {
	case xproto.SelectionRequestEvent:
		c.serve(conn, e)
		return
	case xproto.SelectionClearEvent:
		c.mu.Lock()
		if c.kept[e.Selection] != nil {
			delete(c.kept, e.Selection)
		} else {
			c.owned = false
		}
		c.mu.Unlock()
		select {
		case c.lost <- struct{}{}:
		default:
		}
		return
	case xproto.DestroyNotifyEvent:
		c.forget(e.Window)
		return
	case xproto.PropertyNotifyEvent:
		if e.State == xproto.PropertyDelete {
			c.sendOn(conn, e)
			return
		}
	case xproto.SelectionNotifyEvent:
	default:
		return
	}
	select {
	case c.events <- event:
	default: // nobody reads
	}
}

// ReadClipboard is the clipboard's text, "" where it holds none.
// *desktop.ClipboardOwnerError where its owner does not answer.
func (d *Display) ReadClipboard(ctx context.Context) (string, error) {
	c, err := d.clip(ctx)
	if err != nil {
		return "", err
	}
	c.reads.Lock()
	defer c.reads.Unlock()
	for _, target := range []string{"UTF8_STRING", "STRING"} {
		value, kind, err := c.convert(ctx, "CLIPBOARD", target)
		if err != nil {
			return "", err
		}
		switch {
		case kind == 0: // refused, or no owner
		case kind == xproto.AtomString:
			return latin1(value), nil
		default:
			return string(value), nil
		}
	}
	return "", nil
}

// ClipboardOwner is the process of whoever owns the clipboard, 0 where nobody
// does or that cannot be told.
func (d *Display) ClipboardOwner(ctx context.Context) (pid int, err error) {
	return xconn.Do(ctx, d.conn, "asking for the clipboard's owner", func() (int, error) {
		selection, err := d.conn.Atom("CLIPBOARD")
		if err != nil {
			return 0, err
		}
		reply, err := xproto.GetSelectionOwner(d.conn.X, selection).Reply()
		if err != nil || reply.Owner == 0 || !d.hasRes {
			return 0, err
		}
		spec := res.ClientIdSpec{Client: uint32(reply.Owner), Mask: res.ClientIdMaskLocalClientPID}
		return clientPID(res.QueryClientIds(d.conn.X, 1, []res.ClientIdSpec{spec}).Reply()), nil
	})
}

// The errors for events that do not come: whoever owns the clipboard has to
// send the one sort, the X server itself the other.
var (
	errOwnerSilent  = &desktop.ClipboardOwnerError{After: ownerTime}
	errServerSilent = &desktop.EnvironmentError{Part: desktop.PartDisplay,
		Err: fmt.Errorf("asking for the X server's time: no event within %v", xconn.AnswerTime)}
)

// next waits for the reader's next event, and gives silent where none comes
// within the limit.
func (c *clipboard) next(ctx context.Context, limit time.Duration, silent error) (xgb.Event, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case e := <-c.events:
		return e, nil
	case <-c.conn.Done():
		return nil, &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: errors.New("reading the clipboard: the X server has gone")}
	case <-ctx.Done():
		return nil, fmt.Errorf("reading the clipboard: %w", context.Cause(ctx))
	case <-timer.C:
		return nil, silent
	}
}

func (c *clipboard) drain() {
	for {
		select {
		case <-c.events:
		default:
			return
		}
	}
}
