package x11

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// lend gives keys to the characters that have none, in order, as many as there
// are keys. What is pressed in a chord needs a key that means it without Shift
// (alone), or one of the layout's own on which it lies shallow: what comes with
// AltGr, or a small letter with Shift, is no Ctrl+A to an application.
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
	changed := map[byte]keySyms{}
	for _, sym := range missing {
		if code, ok := k.loans.take(sym, keep, shift); ok {
			changed[code] = lentKey(k.loans.lent[code])
		}
	}
	if len(changed) == 0 {
		return errors.New("the keyboard has no unused key to lend to a character outside its layout")
	}
	if err := k.change(ctx, k.layout, changed); err != nil {
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
		case has && !lent && (shift || k.layout.shallow(stroke, s.bare)):
			continue
		case len(keep)+len(missing) == k.loans.slots(shift):
			return keep, missing
		case has && lent && (shift || at.level == 0):
			keep[at] = true
		default:
			missing = append(missing, s.sym)
		}
	}
	return keep, missing
}

// change gives keys other keysyms and returns when the server has them.
// Applications hear of it before they get any key that is pressed later, and
// once: the keys in between are set to what they are. A window manager that
// grabs its keys anew each time is silent for seconds otherwise.
func (k *Keymap) change(ctx context.Context, l *layout, changed map[byte]keySyms) error {
	if len(changed) == 0 {
		return nil
	}
	_, err := xconn.Do(ctx, k.d.conn, "changing the keyboard's layout", func() (struct{}, error) {
		for _, r := range l.runs(changed) {
			if err := k.xkb.setKeys(k.d.conn.X, r.first, l.lowest, l.highest, r.keys); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	return err
}

// run are neighbouring keys.
type run struct {
	first byte
	keys  []keySyms
}

// runs are the changed keys with those between them as they are, in one run.
// Only where the server has a key between them that it would not take back
// another run begins.
func (l *layout) runs(changed map[byte]keySyms) []run {
	codes := slices.Sorted(maps.Keys(changed))
	var runs []run
	for i, code := range codes {
		var between []keySyms
		joined := i > 0
		if joined {
			for c := codes[i-1] + 1; c < code; c++ {
				key := l.levels.key(c)
				joined = joined && l.levels.sound(key)
				between = append(between, key)
			}
		}
		if !joined {
			runs = append(runs, run{first: code, keys: []keySyms{changed[code]}})
			continue
		}
		r := &runs[len(runs)-1]
		r.keys = append(append(r.keys, between...), changed[code])
	}
	return runs
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
	changed := map[byte]keySyms{}
	if n.rest == n.others(l) {
		for code, key := range n.was {
			if !l.levels.key(code).equal(key) {
				changed[code] = key
			}
		}
	}
	if err := k.change(ctx, l, changed); err != nil {
		return err
	}
	return k.release(ctx)
}
