package x11

import (
	"context"
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/opendesk/opendesk/desktop/xconn"
	"github.com/opendesk/opendesk/internal/keysym"
)

// Stroke is one key and the keys that must be down for it, as keycodes. It is
// an alias of an unnamed type, as is its like in package input, so that a
// Keymap fits there although neither package knows the other.
type Stroke = struct {
	Code      byte
	Modifiers []byte
}

// Keymap finds the keys of the layout that is in effect, and lends unused keys
// to characters that it has not. It is safe for concurrent use.
type Keymap struct {
	d   *Display
	xkb xkb

	mu     sync.Mutex
	layout *layout
	loans  *loans
}

// Keymap is the display's keymap. It follows changes of the layout.
func (d *Display) Keymap(ctx context.Context) (*Keymap, error) {
	d.mu.Lock()
	if d.keymap == nil {
		d.keymap = &Keymap{d: d}
	}
	k := d.keymap
	d.mu.Unlock()
	return k, k.start(ctx)
}

// Lookup finds the key for a keysym in the layout as it was last read.
func (k *Keymap) Lookup(sym Keysym) (Stroke, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.layout.lookup(sym)
}

// Strokes gives one stroke a character, for all of the text if it can: more
// says from which byte on to ask again once these strokes are made, and is
// len(text) for all. Characters that the layout has not are lent unused keys,
// which stay theirs until Close unless those run out. A line feed is the
// Return key (after a carriage return, nothing more), a tab the Tab key; other
// control characters are an error.
func (k *Keymap) Strokes(ctx context.Context, text string) (strokes []Stroke, more int, err error) {
	syms, err := symsOf(text)
	if err != nil {
		return nil, 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(ctx); err != nil {
		return nil, 0, err
	}
	if err := k.lend(ctx, syms, false); err != nil {
		return nil, 0, err
	}
	for _, s := range syms {
		stroke, ok := k.layout.lookup(s.sym)
		if !ok {
			return strokes, s.at, nil
		}
		k.press(stroke)
		strokes = append(strokes, stroke)
	}
	return strokes, len(text), nil
}

// Key is the stroke of the key with that X keysym name or character; ok is
// false where there is no such name.
func (k *Keymap) Key(ctx context.Context, name string) (stroke Stroke, ok bool, err error) {
	number, ok := keysym.ByName(name)
	if !ok {
		return Stroke{}, false, nil
	}
	sym := Keysym(number)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(ctx); err != nil {
		return Stroke{}, false, err
	}
	if err := k.lend(ctx, []typed{{sym: sym, bare: smallLetter(name)}}, true); err != nil {
		return Stroke{}, false, err
	}
	stroke, ok = k.layout.lookup(sym)
	k.press(stroke)
	return stroke, ok, nil
}

// Taken waits until the focused application has taken all keys so far. One
// that gives no sign of life for long is left alone: that is no error here.
func (k *Keymap) Taken(ctx context.Context) error {
	err := k.d.Taken(ctx)
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.loans != nil {
			clear(k.loans.busy)
		}
	}
	return err
}

// press notes that the stroke is about to be made.
func (k *Keymap) press(s Stroke) {
	if at, lent := k.loans.of(s); lent {
		k.loans.busy[at] = true
	}
}

// start prepares the keymap for use: XKB, and what a process that was killed
// has left lent.
func (k *Keymap) start(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.xkb == 0 {
		x, err := xconn.Do(ctx, k.d.conn, "setting up XKEYBOARD", func() (xkb, error) { return startXKB(k.d.conn.X) })
		if err != nil {
			return err
		}
		k.xkb = x
		if err := k.collect(ctx); err != nil {
			return err
		}
	}
	return k.refresh(ctx)
}

// typed is one character of a text.
type typed struct {
	sym  Keysym
	at   int  // its first byte
	bare bool // must not need Shift
}

// smallLetter reports whether the key is a letter that is no capital.
func smallLetter(name string) bool {
	r, n := utf8.DecodeRuneInString(name)
	return n == len(name) && unicode.IsLetter(r) && !unicode.IsUpper(r)
}

// symsOf is the text as keysyms.
func symsOf(text string) ([]typed, error) {
	var syms []typed
	var before rune
	for at, r := range text {
		switch {
		case r == '\n' && before == '\r': // typed already
		case r == '\n' || r == '\r':
			syms = append(syms, typed{sym: named("Return"), at: at})
		case r == '\t':
			syms = append(syms, typed{sym: named("Tab"), at: at})
		default:
			sym := Keysym(keysym.Of(r))
			if sym == 0 || r == 0xfffd && text[at] != 0xef {
				return nil, fmt.Errorf("character %d of the text (%U) cannot be typed", at, r)
			}
			syms = append(syms, typed{sym: sym, at: at})
		}
		before = r
	}
	return syms, nil
}

// refresh reads the layout. It does so each time, which takes half a
// millisecond: a notification of its change may still be on its way through
// this process when the change is long done.
func (k *Keymap) refresh(ctx context.Context) error {
	l, err := k.read(ctx)
	if err != nil {
		return err
	}
	if k.loans != nil && !k.loans.hold(l) {
		err := k.putBack(ctx, k.loans, l)
		k.loans = nil
		if err != nil {
			return err
		}
		if l, err = k.read(ctx); err != nil {
			return err
		}
	}
	if k.loans == nil {
		k.loans = newLoans(l)
	}
	k.layout = l
	return nil
}

func (k *Keymap) read(ctx context.Context) (*layout, error) {
	return xconn.Do(ctx, k.d.conn, "reading the keyboard's layout", func() (*layout, error) {
		return readLayout(k.d.conn, k.xkb)
	})
}
