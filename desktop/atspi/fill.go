package atspi

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// Fill completes the elements, in bulk and each application by itself, with
// what need names. An element that has gone is marked and is no error. The
// errors of several applications are joined; they are those of Tree.
func (b *Bus) Fill(ctx context.Context, elements []*desktop.Element, need desktop.Need) error {
	groups := map[string][]*desktop.Element{}
	for _, e := range elements {
		if h, ok := handleOf(e); ok {
			groups[h.dest] = append(groups[h.dest], e)
		}
	}
	var mu sync.Mutex
	var failures []error
	var wg sync.WaitGroup
	for _, group := range groups {
		wg.Go(func() {
			if err := b.fillApp(ctx, group, need); err != nil {
				mu.Lock()
				failures = append(failures, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(failures) == 1 {
		return failures[0]
	}
	return errors.Join(failures...)
}

func (b *Bus) fillApp(ctx context.Context, group []*desktop.Element, need desktop.Need) error {
	start := time.Now()
	app := b.AppOf(group[0])
	f := &filler{bus: b, group: group}
	err := f.run(ctx, app, need)
	if peerGone(err) {
		for _, e := range group {
			markGone(e)
		}
		return nil
	}
	return b.fault(ctx, app, err, time.Since(start))
}

// filler fills elements that live on one connection.
type filler struct {
	bus   *Bus
	group []*desktop.Element

	requests []*request
	readers  []func(*request) // one for each request
	owners   []*desktop.Element
	suspects map[*desktop.Element]bool
}

func (f *filler) run(ctx context.Context, app App, need desktop.Need) error {
	f.suspects = map[*desktop.Element]bool{}
	if need&(desktop.NeedBounds|desktop.NeedActions|desktop.NeedText) != 0 {
		for _, e := range f.group {
			h := e.Handle.(*handle)
			if h.ifaces&ifacesKnown == 0 {
				f.ask(e, accessible+".GetInterfaces", func(q *request) { h.ifaces = parseIfaces(first(q.body)) })
			}
		}
		if err := f.send(ctx); err != nil {
			return err
		}
	}
	for _, e := range f.group {
		f.identifier(e, app, need)
		f.plain(e, need)
		f.text(e, need)
	}
	// Reading a text takes two rounds: its length, then as much of it.
	for len(f.requests) > 0 {
		if err := f.send(ctx); err != nil {
			return err
		}
	}
	return f.verify(ctx)
}

// ask adds a call whose answer read gets if there is one.
func (f *filler) ask(e *desktop.Element, method string, read func(*request), args ...any) {
	h := e.Handle.(*handle)
	f.requests = append(f.requests, &request{dest: h.dest, path: h.path, method: method, args: args})
	f.readers = append(f.readers, read)
	f.owners = append(f.owners, e)
}

// send makes the calls that were added. Readers may add further ones.
func (f *filler) send(ctx context.Context) error {
	requests, readers, owners := f.requests, f.readers, f.owners
	f.requests, f.readers, f.owners = nil, nil, nil
	if err := batch(ctx, f.bus.conn, f.bus.timeout, requests); err != nil {
		return err
	}
	for i, q := range requests {
		switch {
		case peerGone(q.err):
			return q.err
		case q.err == nil:
			readers[i](q)
		case mayBeGone(q.err):
			f.suspects[owners[i]] = true
		}
	}
	return nil
}

// mayBeGone tells whether the error is one that toolkits give for objects
// that do not exist. They give it for more than that.
func mayBeGone(err error) bool {
	var e dbus.Error
	if !errors.As(err, &e) {
		return false
	}
	return strings.HasPrefix(e.Name, "org.freedesktop.DBus.Error.Unknown") && e.Name != "org.freedesktop.DBus.Error.UnknownProperty"
}

// verify asks the suspects for what every object has.
func (f *filler) verify(ctx context.Context) error {
	suspects := make([]*desktop.Element, 0, len(f.suspects))
	var requests []*request
	for e := range f.suspects {
		h := e.Handle.(*handle)
		suspects = append(suspects, e)
		requests = append(requests, &request{dest: h.dest, path: h.path, method: accessible + ".GetRole"})
	}
	if err := batch(ctx, f.bus.conn, f.bus.timeout, requests); err != nil {
		return err
	}
	for i, q := range requests {
		switch {
		case peerGone(q.err):
			return q.err
		case q.err != nil:
			markGone(suspects[i])
		}
	}
	return nil
}

func markGone(e *desktop.Element) {
	e.Gone = true
	e.Identifier, e.Description, e.Text, e.Value = "", "", "", ""
	e.Actions, e.Bounds, e.BoundsKnown = nil, desktop.Rect{}, false
}

// identifier asks for the accessible id. Toolkits other than GTK and Qt put
// it among the attributes; so do web views, which are processes of their own.
func (f *filler) identifier(e *desktop.Element, app App, need desktop.Need) {
	if need&desktop.NeedIdentifier == 0 {
		return
	}
	e.Identifier = ""
	f.ask(e, getProperty, func(q *request) {
		if id, _ := variantOf(q.body).(string); id != "" {
			e.Identifier = id
		}
	}, accessible, "AccessibleId")
	h := e.Handle.(*handle)
	toolkit := strings.ToLower(app.Toolkit)
	if h.dest == app.BusName && (toolkit == "gtk" || toolkit == "qt") {
		return
	}
	f.ask(e, accessible+".GetAttributes", func(q *request) {
		if attributes, _ := first(q.body).(map[string]string); e.Identifier == "" {
			e.Identifier = attributes["id"]
		}
	})
}

// plain asks for what takes one call.
func (f *filler) plain(e *desktop.Element, need desktop.Need) {
	h := e.Handle.(*handle)
	if need&desktop.NeedDescription != 0 {
		if h.described {
			e.Description = h.description
		} else {
			f.ask(e, getProperty, func(q *request) { e.Description, _ = variantOf(q.body).(string) }, accessible, "Description")
		}
	}
	if need&desktop.NeedBounds != 0 {
		e.Bounds, e.BoundsKnown = desktop.Rect{}, false
		if h.ifaces&hasComponent != 0 {
			f.ask(e, getExtents, func(q *request) { e.Bounds, e.BoundsKnown = parseExtents(first(q.body)) }, coordScreen)
		}
	}
	if need&desktop.NeedActions != 0 {
		e.Actions = nil
		if h.ifaces&hasAction != 0 {
			f.actions(e)
		}
	}
}

// actions asks how many actions there are, then for each one's name.
func (f *filler) actions(e *desktop.Element) {
	f.ask(e, getProperty, func(q *request) {
		e.Actions = make([]string, actionCount(q.body))
		for i := range e.Actions {
			f.ask(e, actionName, func(q *request) { e.Actions[i] = stringOf(q.body) }, int32(i))
		}
	}, actionInterface, "NActions")
}

// text asks for value and text, never for that of a password field.
func (f *filler) text(e *desktop.Element, need desktop.Need) {
	if need&desktop.NeedText == 0 {
		return
	}
	e.Text, e.Value = "", ""
	if e.States.Has(desktop.Password) {
		return
	}
	h := e.Handle.(*handle)
	// What a cell shows is its text. LibreOffice gives every cell a number
	// too: 0 for an empty one and for a text, 0.42 for what shows as 42%.
	shown := h.role == roleTableCell && h.ifaces&hasText != 0
	if h.ifaces&hasValue != 0 && !shown {
		f.ask(e, getProperty, func(q *request) {
			if v, ok := variantOf(q.body).(float64); ok {
				e.Value = formatValue(v)
			}
		}, "org.a11y.atspi.Value", "CurrentValue")
	}
	if h.ifaces&hasText == 0 {
		return
	}
	f.ask(e, getProperty, func(q *request) {
		count, _ := variantOf(q.body).(int32)
		if count <= 0 {
			return
		}
		f.ask(e, "org.a11y.atspi.Text.GetText", func(q *request) { e.Text = cutText(stringOf(q.body)) },
			int32(0), min(count, desktop.MaxText))
	}, "org.a11y.atspi.Text", "CharacterCount")
}

// formatValue writes 3 as "3" and 3.5 as "3.5"; what is no number as "".
func formatValue(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// cutText bounds a text to desktop.MaxText bytes, between characters.
func cutText(s string) string {
	if len(s) <= desktop.MaxText {
		return s
	}
	end := desktop.MaxText
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
