package x11

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// conversion is one request to a selection's owner. An owner that was silent
// may still answer it much later, in the middle of another one: the answer
// names property and time, and a property is not used again after a request
// that was given up.
type conversion struct {
	property xproto.Atom
	since    xproto.Timestamp
}

// answered reports whether the event answers this request. A refusal names no
// property, and some owners repeat no time.
func (r conversion) answered(e xproto.SelectionNotifyEvent) bool {
	if e.Property != 0 {
		return e.Property == r.property
	}
	return e.Time == r.since || e.Time == 0
}

// convert asks the selection's owner for it as target. kind is 0 where it
// refuses or there is no owner.
func (c *clipboard) convert(ctx context.Context, selection, target string) (value []byte, kind xproto.Atom, err error) {
	defer func() {
		if err != nil {
			c.broken++
		}
	}()
	r, err := c.request(ctx, selection, target)
	if err != nil {
		return nil, 0, err
	}
	for {
		event, err := c.next(ctx, ownerTime, errOwnerSilent)
		if err != nil {
			return nil, 0, err
		}
		if e, ok := event.(xproto.SelectionNotifyEvent); ok && e.Requestor == c.window && r.answered(e) {
			if e.Property == 0 {
				return nil, 0, nil
			}
			break
		}
	}
	value, kind, err = c.take(ctx, r.property)
	if err != nil || kind != c.conn.Known("INCR") {
		return value, kind, err
	}
	return c.takeParts(ctx, r.property)
}

// request sends the request of a conversion.
func (c *clipboard) request(ctx context.Context, selection, target string) (conversion, error) {
	now, err := c.serverTime(ctx)
	if err != nil {
		return conversion{}, err
	}
	c.drain()
	return xconn.Do(ctx, c.conn, "reading the clipboard", func() (conversion, error) {
		var atoms [3]xproto.Atom
		for i, name := range []string{target, selection, "_OPENDESK_CLIPBOARD_" + strconv.Itoa(c.broken)} {
			var err error
			if atoms[i], err = c.conn.Atom(name); err != nil {
				return conversion{}, err
			}
		}
		r := conversion{property: atoms[2], since: now}
		xproto.DeleteProperty(c.conn.X, c.window, r.property)
		return r, xproto.ConvertSelectionChecked(c.conn.X, c.window, atoms[1], atoms[0], r.property, now).Check()
	})
}

// takeParts reads a selection that comes in parts; an empty one ends it.
func (c *clipboard) takeParts(ctx context.Context, property xproto.Atom) (value []byte, kind xproto.Atom, err error) {
	for {
		event, err := c.next(ctx, ownerTime, errOwnerSilent)
		if err != nil {
			return nil, 0, err
		}
		e, ok := event.(xproto.PropertyNotifyEvent)
		if !ok || e.Window != c.window || e.Atom != property {
			continue
		}
		part, partKind, err := c.take(ctx, property)
		switch {
		case err != nil:
			return nil, 0, err
		case partKind == 0: // already taken with the part before
			continue
		case len(part) == 0:
			return value, partKind, nil
		}
		value = append(value, part...)
		if len(value) > maxClipboard {
			return nil, 0, fmt.Errorf("the clipboard holds more than %d MiB", maxClipboard>>20)
		}
	}
}

// take reads and deletes the property that the owner wrote to.
func (c *clipboard) take(ctx context.Context, property xproto.Atom) ([]byte, xproto.Atom, error) {
	reply, err := xconn.Do(ctx, c.conn, "reading the clipboard", func() (*xproto.GetPropertyReply, error) {
		return xproto.GetProperty(c.conn.X, true, c.window, property,
			xproto.GetPropertyTypeAny, 0, maxClipboard/4).Reply()
	})
	if err != nil {
		return nil, 0, err
	}
	c.format = reply.Format
	return reply.Value, reply.Type, nil
}
