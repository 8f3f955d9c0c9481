package x11

import (
	"context"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// Meanings says what the keys of a keyboard mean, in the layouts of one moment.
type Meanings struct {
	levels *levels
	// latin is the group of the first layout whose letters are Latin ones.
	latin byte
}

// ReadMeanings reads them, and changes nothing. It takes half a millisecond.
// The errors are those of xconn.Do.
func ReadMeanings(ctx context.Context, c *xconn.Conn) (*Meanings, error) {
	return xconn.Do(ctx, c, "reading the keyboard's layout", func() (*Meanings, error) {
		k, err := startXKB(c.X)
		if err != nil {
			return nil, err
		}
		levels, err := k.levels(c.X)
		if err != nil {
			return nil, err
		}
		return newMeanings(levels), nil
	})
}

func newMeanings(l *levels) *Meanings {
	m := &Meanings{levels: l}
	for group := byte(0); group < 4; group++ {
		for code := range l.keys {
			if sym := l.sym(l.first+byte(code), group, 0); sym == 'a' {
				m.latin = group
				return m
			}
		}
	}
	return m
}

// Group is the layout that the state of an event says is in effect.
func Group(state uint16) byte { return byte(state >> 13 & 3) }

// Keysym is what the key with that code means under an event's state, 0 for
// nothing. Caps Lock makes capitals where the key's type leaves that open.
func (m *Meanings) Keysym(code byte, state uint16) (sym Keysym, capitals bool) {
	sym = m.levels.sym(code, Group(state), byte(state))
	if state&xproto.ModMaskLock == 0 {
		return sym, false
	}
	key := m.levels.key(code)
	group, ok := key.group(Group(state))
	if !ok || int(key.types[group]) >= len(m.levels.types) {
		return sym, false
	}
	return sym, m.levels.types[key.types[group]].mask&xproto.ModMaskLock == 0
}

// Bare is what the key means without any modifier but Num Lock: what is printed
// on it. Where that is a letter of another script, it is what the key means in
// the first Latin layout, as applications take it for chords.
func (m *Meanings) Bare(code byte, state uint16) Keysym {
	const numLock = xproto.ModMask2
	sym := m.levels.sym(code, Group(state), byte(state&numLock))
	if sym < 0x80 || sym >= 0xff00 && sym < 0x10000 {
		return sym
	}
	if latin := m.levels.sym(code, m.latin, byte(state&numLock)); latin != 0 && latin < 0x80 {
		return latin
	}
	return sym
}
