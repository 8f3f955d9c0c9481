package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// loans are the unused keys that are lent to characters outside the layout.
//
// An application may look a key up long after it was pressed, in the keymap
// that holds then. So a key keeps its character: a text's new characters get
// fresh keys, all before the first is pressed, and only when there are no more
// are old ones taken back, after the application has had its turn.
type loans struct {
	spare []byte // keycodes that mean nothing, then those of multimedia keys
	was   map[byte][]Keysym
	lent  map[byte]loan
	place map[Keysym]slot
	next  int // the slots up to here are taken
}

// loan is what a lent key means alone and with Shift.
type loan [2]Keysym

// slot is one of a spare key's two levels.
type slot struct {
	code  byte
	level int
}

func newLoans(l *layout) *loans {
	n := &loans{was: map[byte][]Keysym{}, lent: map[byte]loan{}, place: map[Keysym]slot{}}
	var multimedia []byte
	for _, code := range l.codes() {
		syms := l.syms[int(code-l.first)*l.width:][:l.width]
		switch {
		case l.used[code]:
			continue
		case !slices.ContainsFunc(syms, func(s Keysym) bool { return s != 0 }):
			n.spare = append(n.spare, code)
		case !slices.ContainsFunc(syms, func(s Keysym) bool { return s != 0 && s>>16 != 0x1008 }):
			multimedia = append(multimedia, code)
		default:
			continue
		}
		n.was[code] = slices.Clone(syms)
	}
	n.spare = append(n.spare, multimedia...)
	return n
}

// hold reports whether the keys still mean what they were lent for. They do
// not after somebody has loaded another layout.
func (n *loans) hold(l *layout) bool {
	for code, lent := range n.lent {
		if l.at(code, 0) != lent[0] || l.at(code, 1) != lent[1] {
			return false
		}
	}
	return true
}

func (n *loans) find(sym Keysym, shift byte) (Stroke, bool) {
	s, ok := n.place[sym]
	switch {
	case !ok:
		return Stroke{}, false
	case s.level == 0:
		return Stroke{Code: s.code}, true
	}
	return Stroke{Code: s.code, Modifiers: []byte{shift}}, true
}

// take gives sym a slot, false if there is none: first every key alone, then
// with Shift.
func (n *loans) take(sym Keysym, shift byte) (slot, bool) {
	if n.next >= len(n.spare)*2 || n.next >= len(n.spare) && shift == 0 {
		return slot{}, false
	}
	s := slot{n.spare[n.next%len(n.spare)], n.next / len(n.spare)}
	n.next++
	n.place[sym] = s
	lent := n.lent[s.code]
	if s.level == 0 {
		lent = loan{sym, sym} // one alone would be taken for a lower-case letter and its capital
	} else {
		lent[1] = sym
	}
	n.lent[s.code] = lent
	return s, true
}

// lend gives keys to the characters that have none, in order, until there are
// no more.
func (k *Keymap) lend(ctx context.Context, syms []typed) error {
	missing := k.missing(syms)
	if len(missing) == 0 {
		return nil
	}
	free := len(k.loans.spare)*2 - k.loans.next
	if len(missing) > free && k.loans.next > 0 {
		if err := k.d.settle(ctx); err != nil {
			return err
		}
		k.loans.next = 0
		clear(k.loans.place)
		missing = k.missing(syms)
	}
	changed := map[byte]bool{}
	for _, sym := range missing {
		s, ok := k.loans.take(sym, k.layout.shift)
		if !ok {
			break
		}
		changed[s.code] = true
	}
	if len(changed) == 0 {
		return errors.New("the keyboard has no unused key to lend to a character outside its layout")
	}
	return k.change(ctx, changed, func(code byte) []Keysym {
		lent := k.loans.lent[code]
		return lent[:]
	})
}

func (k *Keymap) missing(syms []typed) []Keysym {
	var missing []Keysym
	seen := map[Keysym]bool{}
	for _, s := range syms {
		if _, ok := k.find(s.sym); !ok && !seen[s.sym] {
			seen[s.sym] = true
			missing = append(missing, s.sym)
		}
	}
	return missing
}

// change gives the keys new keysyms and returns when the server has them. Its
// notifications reach every application before the next key does.
func (k *Keymap) change(ctx context.Context, codes map[byte]bool, syms func(byte) []Keysym) error {
	_, err := xconn.Do(ctx, k.d.conn, "changing the keyboard's layout", func() (struct{}, error) {
		for _, code := range k.loans.spare {
			if codes[code] {
				s := syms(code)
				xproto.ChangeKeyboardMapping(k.d.conn.X, 1, xproto.Keycode(code), byte(len(s)), s)
			}
		}
		return struct{}{}, k.d.roundTrip()
	})
	return err
}

// restore puts the lent keys back.
func (k *Keymap) restore(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.loans == nil || len(k.loans.lent) == 0 {
		return nil
	}
	if err := k.refresh(ctx); err != nil {
		return err
	}
	changed := map[byte]bool{}
	for code := range k.loans.lent {
		changed[code] = true
	}
	err := k.change(ctx, changed, func(code byte) []Keysym { return k.loans.was[code] })
	k.loans = nil
	return err
}

// settleTime is how long an application that cannot be asked gets to take
// the keys that it was sent.
const settleTime = 300 * time.Millisecond

// settle waits until the focused application has taken all input so far: it
// answers a ping only after that.
func (d *Display) settle(ctx context.Context) error {
	changes, stop := d.listen()
	defer stop()
	nonce, err := xconn.Do(ctx, d.conn, "asking the focused window", d.ping)
	if err != nil {
		return err
	}
	limit := settleTime
	if nonce != 0 {
		limit = probeTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errNoPong)
	defer cancel()
	for {
		d.mu.Lock()
		answered := nonce != 0 && d.pong == nonce
		d.mu.Unlock()
		if answered {
			return nil
		}
		select {
		case <-changes:
		case <-d.conn.Done():
			return d.conn.Sync(ctx)
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errNoPong) {
				return nil
			}
			return fmt.Errorf("waiting for the focused window: %w", context.Cause(ctx))
		}
	}
}

var errNoPong = errors.New("no answer")

// ping asks the focused window's application for a sign of life, which says
// the returned number; 0 where it cannot be asked.
func (d *Display) ping() (uint32, error) {
	w, err := d.active()
	if err != nil || w == 0 {
		return 0, err
	}
	protocols := cardinals(xproto.GetProperty(d.conn.X, false, w, d.conn.Known("WM_PROTOCOLS"),
		xproto.AtomAtom, 0, maxProperty).Reply())
	if !slices.Contains(protocols, uint32(d.conn.Known("_NET_WM_PING"))) {
		return 0, nil
	}
	d.mu.Lock()
	d.pings++
	nonce := d.pings
	d.mu.Unlock()
	d.send(w, w, "WM_PROTOCOLS", xproto.EventMaskNoEvent, uint32(d.conn.Known("_NET_WM_PING")), nonce, uint32(w))
	return nonce, d.roundTrip()
}
