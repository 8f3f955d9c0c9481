package x11

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// partSize is the size of the parts in which a long text is handed over, in
// bytes: well below what one request can carry.
const partSize = 64 << 10

// transfer names one hand-over that is under way.
type transfer struct {
	requestor xproto.Window
	property  xproto.Atom
}

// sending is what a hand-over in parts has left.
type sending struct {
	kind xproto.Atom
	rest []byte
	over bool // the empty part that ends it has been sent
}

// WriteClipboard makes text the clipboard's content and returns once it can be
// pasted. It stays owned until Close or until another application copies.
func (d *Display) WriteClipboard(ctx context.Context, text string) error {
	if !utf8.ValidString(text) {
		return errors.New("the text for the clipboard is not UTF-8")
	}
	c, err := d.clip(ctx)
	if err != nil {
		return err
	}
	c.reads.Lock()
	defer c.reads.Unlock()
	now, err := c.serverTime(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.text, c.since, c.owned = []byte(text), now, true
	c.mu.Unlock()
	owner, err := xconn.Do(ctx, c.conn, "writing the clipboard", func() (xproto.Window, error) {
		selection := c.conn.Known("CLIPBOARD")
		xproto.SetSelectionOwner(c.conn.X, c.window, selection, now)
		reply, err := xproto.GetSelectionOwner(c.conn.X, selection).Reply()
		if err != nil {
			return 0, err
		}
		return reply.Owner, nil
	})
	if err == nil && owner != c.window {
		err = errors.New("writing the clipboard: another application took it at once")
	}
	return err
}

// HoldClipboard serves what was written to the clipboard until somebody else
// copies, the X server has gone or ctx ends. Nothing else of the display can be
// used after it.
func (d *Display) HoldClipboard(ctx context.Context) error {
	c, err := d.clip(ctx)
	if err != nil {
		return err
	}
	d.conn.Close() // there is nothing more to watch
	c.hold(ctx)
	return nil
}

// serverTime is the X server's clock, told by a change of a property.
func (c *clipboard) serverTime(ctx context.Context) (xproto.Timestamp, error) {
	c.drain()
	_, err := xconn.Do(ctx, c.conn, "writing the clipboard", func() (struct{}, error) {
		return struct{}{}, xproto.ChangePropertyChecked(c.conn.X, xproto.PropModeReplace, c.window,
			c.conn.Known("TIMESTAMP"), xproto.AtomInteger, 32, 0, nil).Check()
	})
	for err == nil {
		event, e := c.next(ctx, xconn.AnswerTime, errServerSilent)
		if p, ok := event.(xproto.PropertyNotifyEvent); ok && p.Atom == c.conn.Known("TIMESTAMP") {
			return p.Time, nil
		}
		err = e
	}
	return 0, err
}

// serve answers an application that pastes.
func (c *clipboard) serve(conn *xconn.Conn, e xproto.SelectionRequestEvent) {
	property := e.Property
	if property == 0 {
		property = e.Target // clients from before 1989
	}
	if !c.hand(conn, e, property) {
		property = 0
	}
	notify := xproto.SelectionNotifyEvent{
		Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property,
	}
	xproto.SendEvent(conn.X, false, e.Requestor, xproto.EventMaskNoEvent, string(notify.Bytes()))
}

// hand writes the selection to the requestor's property, false to refuse.
func (c *clipboard) hand(conn *xconn.Conn, e xproto.SelectionRequestEvent, property xproto.Atom) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept := c.kept[e.Selection]; kept != nil {
		return c.handKept(conn, e, property, kept)
	}
	if !c.owned || e.Selection != conn.Known("CLIPBOARD") {
		return false
	}
	latin, isLatin := toLatin1(string(c.text))
	utf8String := conn.Known("UTF8_STRING")
	switch e.Target {
	case conn.Known("TARGETS"):
		targets := []xproto.Atom{
			conn.Known("TARGETS"), conn.Known("TIMESTAMP"), utf8String,
			conn.Known("text/plain;charset=utf-8"), conn.Known("TEXT"), conn.Known("text/plain"),
		}
		if isLatin {
			targets = append(targets, xproto.AtomString)
		}
		var value []byte
		for _, a := range targets {
			value = append(value, byte(a), byte(a>>8), byte(a>>16), byte(a>>24))
		}
		xproto.ChangeProperty(conn.X, xproto.PropModeReplace, e.Requestor, property, xproto.AtomAtom, 32, uint32(len(targets)), value)
	case conn.Known("TIMESTAMP"):
		t := c.since
		xproto.ChangeProperty(conn.X, xproto.PropModeReplace, e.Requestor, property, xproto.AtomInteger, 32, 1,
			[]byte{byte(t), byte(t >> 8), byte(t >> 16), byte(t >> 24)})
	case utf8String, conn.Known("TEXT"):
		c.give(conn, transfer{e.Requestor, property}, utf8String, c.text)
	case conn.Known("text/plain;charset=utf-8"), conn.Known("text/plain"):
		c.give(conn, transfer{e.Requestor, property}, e.Target, c.text)
	case xproto.AtomString:
		if !isLatin {
			return false
		}
		c.give(conn, transfer{e.Requestor, property}, xproto.AtomString, latin)
	default:
		return false
	}
	return true
}

// give writes the value at once, or announces that it comes in parts.
func (c *clipboard) give(conn *xconn.Conn, to transfer, kind xproto.Atom, value []byte) {
	if len(value) <= partSize {
		xproto.ChangeProperty(conn.X, xproto.PropModeReplace, to.requestor, to.property, kind, 8, uint32(len(value)), value)
		return
	}
	c.sends[to] = &sending{kind: kind, rest: value}
	mask := uint32(xproto.EventMaskPropertyChange)
	if to.requestor != c.window {
		mask |= xproto.EventMaskStructureNotify
	}
	xproto.ChangeWindowAttributes(conn.X, to.requestor, xproto.CwEventMask, []uint32{mask})
	n := len(value)
	xproto.ChangeProperty(conn.X, xproto.PropModeReplace, to.requestor, to.property, conn.Known("INCR"), 32, 1,
		[]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
}

// sendOn writes the next part after the requestor has taken the one before.
func (c *clipboard) sendOn(conn *xconn.Conn, e xproto.PropertyNotifyEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := transfer{e.Window, e.Atom}
	s := c.sends[to]
	switch {
	case s == nil:
		return
	case s.over:
		delete(c.sends, to)
		if to.requestor != c.window { // its changes are nothing to us any more
			xproto.ChangeWindowAttributes(conn.X, to.requestor, xproto.CwEventMask, []uint32{xproto.EventMaskNoEvent})
		}
		return
	}
	n := min(partSize, len(s.rest))
	xproto.ChangeProperty(conn.X, xproto.PropModeReplace, to.requestor, to.property, s.kind, 8, uint32(n), s.rest[:n])
	s.rest = s.rest[n:]
	s.over = n == 0
}

// forget drops the hand-overs to a window that has gone.
func (c *clipboard) forget(w xproto.Window) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for to := range c.sends {
		if to.requestor == w {
			delete(c.sends, to)
		}
	}
}

// toLatin1 is the text in ISO 8859-1, ok false where it has other characters.
func toLatin1(s string) (latin []byte, ok bool) {
	latin = make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return nil, false
		}
		latin = append(latin, byte(r))
	}
	return latin, true
}
