package x11

import (
	"context"
	"errors"
	"slices"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// lend gives keys to the characters that have none, in order, as many as there
// are keys. Functions of the keyboard need a key that means them without Shift
// (alone).
func (k *Keymap) lend(ctx context.Context, syms []typed, alone bool) error {
	shift := k.layout.shift != 0 && !alone
	keep, missing := k.needed(syms, shift)
	if len(missing) == 0 {
		return nil
	}
	if err := k.claim(ctx); err != nil {
		return err
	}
	if k.loans.free(keep, shift) < len(missing) {
		if err := k.d.settle(ctx); err != nil {
			return err
		}
		clear(k.loans.busy)
	}
	changed := map[byte]bool{}
	for _, sym := range missing {
		if code, ok := k.loans.take(sym, keep, shift); ok {
			changed[code] = true
		}
	}
	if len(changed) == 0 {
		return errors.New("the keyboard has no unused key to lend to a character outside its layout")
	}
	err := k.change(ctx, changed, func(code byte) []Keysym {
		lent := k.loans.lent[code]
		return lent[:]
	})
	if err != nil {
		return err
	}
	return k.refresh(ctx) // what the server made of it
}

// needed looks at the first characters that the layout has not, as many
// different ones as can be lent keys: those of keys that are lent to them
// already, and the characters without one.
func (k *Keymap) needed(syms []typed, shift bool) (keep map[slot]bool, missing []Keysym) {
	keep = map[slot]bool{}
	seen := map[Keysym]bool{}
	for _, s := range syms {
		if seen[s.sym] {
			continue
		}
		seen[s.sym] = true
		stroke, has := k.layout.lookup(s.sym)
		at, lent := k.loans.of(stroke)
		switch {
		case has && !lent:
			continue
		case len(keep)+len(missing) == k.loans.slots(shift):
			return keep, missing
		case has && (shift || at.level == 0):
			keep[at] = true
		default:
			missing = append(missing, s.sym)
		}
	}
	return keep, missing
}

// change gives the keys new keysyms and returns when the server has them.
// Applications hear of it before they get any key that is pressed later, and
// each time for one run of neighbouring keys, since most of them read the
// whole keymap again for each.
func (k *Keymap) change(ctx context.Context, codes map[byte]bool, syms func(byte) []Keysym) error {
	_, err := xconn.Do(ctx, k.d.conn, "changing the keyboard's layout", func() (struct{}, error) {
		for _, run := range runs(codes) {
			var row []Keysym
			width := 0
			for _, code := range run {
				s := syms(code)
				width = len(s)
				row = append(row, s...)
			}
			xproto.ChangeKeyboardMapping(k.d.conn.X, byte(len(run)), xproto.Keycode(run[0]), byte(width), row)
		}
		return struct{}{}, k.d.roundTrip()
	})
	return err
}

// runs are the codes in order, cut where one is missing.
func runs(codes map[byte]bool) [][]byte {
	var all [][]byte
	for code := range 256 {
		c := byte(code)
		switch {
		case !codes[c]:
		case len(all) > 0 && all[len(all)-1][len(all[len(all)-1])-1]+1 == c:
			all[len(all)-1] = append(all[len(all)-1], c)
		default:
			all = append(all, []byte{c})
		}
	}
	return all
}

// restore puts the lent keys back, after the focused application has taken
// the keys that it was sent.
func (k *Keymap) restore(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.loans == nil || len(k.loans.lent) == 0 {
		return nil
	}
	settling, cancel := context.WithTimeout(ctx, closeTime)
	_ = k.d.settle(settling) // an application that hangs must not keep the keys
	cancel()
	l, err := k.read(ctx)
	if err != nil {
		return err
	}
	err = k.putBack(ctx, k.loans, l)
	k.loans = nil
	return err
}

// putBack gives the spare keys their old meaning, where the layout is still
// the one that they were taken from, and forgets about the loans.
func (k *Keymap) putBack(ctx context.Context, n *loans, l *layout) error {
	changed := map[byte]bool{}
	if n.rest == n.others(l) {
		for code, syms := range n.was {
			if !slices.Equal(l.row(code), syms) {
				changed[code] = true
			}
		}
	}
	if err := k.change(ctx, changed, func(code byte) []Keysym { return n.was[code] }); err != nil {
		return err
	}
	return k.release(ctx)
}
