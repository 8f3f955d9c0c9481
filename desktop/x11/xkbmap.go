package x11

import (
	"errors"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Keysym says what a key means: a character or a function.
type Keysym = xproto.Keysym

// levels is what XKB says of the keyboard: which modifiers bring which of a
// key's keysyms. The core protocol's list of keysyms does not tell the levels
// of one layout from the next layout's.
type levels struct {
	first byte // keycode of keys[0]
	types []keyType
	keys  []keySyms
}

// keyType says which level modifiers choose.
type keyType struct {
	mask   byte // the modifiers that matter
	count  byte // of levels
	levels map[byte]byte
}

// keySyms are one key's keysyms, width for each of its groups.
type keySyms struct {
	types  [4]byte // by group
	groups byte    // how many, and what a group beyond them means
	width  byte
	syms   []Keysym
}

// keyTypeTwoLevel is the number of the type whose second level comes with
// Shift, and with nothing else. Every map begins with the same four types.
const keyTypeTwoLevel = 1

// lentKey means one keysym alone and another with Shift, in all layouts.
func lentKey(l loan) keySyms {
	return keySyms{types: [4]byte{keyTypeTwoLevel}, groups: 1, width: 2, syms: []Keysym{l[0], l[1]}}
}

func (key keySyms) equal(other keySyms) bool {
	return key.types == other.types && key.groups == other.groups && key.width == other.width && slices.Equal(key.syms, other.syms)
}

const (
	xkbGetMap = 8
	xkbSetMap = 9

	mapKeyTypes = 1
	mapKeySyms  = 2
)

// levels asks for the whole map.
func (k xkb) levels(x *xgb.Conn) (*levels, error) {
	request := make([]byte, 24)
	xgb.Put16(request, coreKeyboard)
	xgb.Put16(request[2:], mapKeyTypes|mapKeySyms)
	b, err := k.ask(x, xkbGetMap, request...)
	if err != nil {
		return nil, err
	}
	return parseLevels(b)
}

// setKeys gives keys, from the code first on, other keysyms. Applications hear
// of that once.
func (k xkb) setKeys(x *xgb.Conn, first, lowest, highest byte, keys []keySyms) error {
	request := make([]byte, 32)
	xgb.Put16(request, coreKeyboard)
	xgb.Put16(request[2:], mapKeySyms)
	request[6], request[7] = lowest, highest
	request[10], request[11] = first, byte(len(keys))
	total := 0
	for _, key := range keys {
		total += len(key.syms)
		request = append(request, key.bytes()...)
	}
	xgb.Put16(request[12:], uint16(total))
	return k.tell(x, xkbSetMap, request...)
}

func (key keySyms) bytes() []byte {
	b := make([]byte, 8+4*len(key.syms))
	copy(b, key.types[:])
	b[4], b[5] = key.groups, key.width
	xgb.Put16(b[6:], uint16(len(key.syms)))
	for i, s := range key.syms {
		xgb.Put32(b[8+4*i:], uint32(s))
	}
	return b
}

// parseKey reads a key and returns what follows it, nil where b is too short.
func parseKey(b []byte) (key keySyms, rest []byte) {
	if len(b) < 8 {
		return key, nil
	}
	key = keySyms{types: [4]byte(b), groups: b[4], width: b[5]}
	count := int(xgb.Get16(b[6:]))
	b = b[8:]
	if len(b) < 4*count {
		return key, nil
	}
	for range count {
		key.syms = append(key.syms, Keysym(xgb.Get32(b)))
		b = b[4:]
	}
	return key, b
}

var errShortMap = errors.New("the X server's keyboard map is too short")

func parseLevels(b []byte) (*levels, error) {
	if len(b) < 40 {
		return nil, errShortMap
	}
	l := &levels{first: b[17]}
	typeCount, keyCount := int(b[15]), int(b[20])
	b = b[40:]
	for range typeCount {
		if len(b) < 8 {
			return nil, errShortMap
		}
		t := keyType{mask: b[0], count: b[4], levels: map[byte]byte{}}
		entries, preserve := int(b[5]), b[6] != 0
		b = b[8:]
		if len(b) < 8*entries {
			return nil, errShortMap
		}
		for range entries {
			active, mods, level := b[0] != 0, b[1], b[2]
			if _, set := t.levels[mods]; active && !set {
				t.levels[mods] = level
			}
			b = b[8:]
		}
		if preserve {
			if len(b) < 4*entries {
				return nil, errShortMap
			}
			b = b[4*entries:]
		}
		l.types = append(l.types, t)
	}
	for range keyCount {
		var key keySyms
		if key, b = parseKey(b); b == nil {
			return nil, errShortMap
		}
		l.keys = append(l.keys, key)
	}
	return l, nil
}

// key is the key with that code, one without keysyms where there is none.
func (l *levels) key(code byte) keySyms {
	if i := int(code) - int(l.first); i >= 0 && i < len(l.keys) {
		return l.keys[i]
	}
	return keySyms{}
}

// sound reports whether the key has a keysym for each level of its types: the
// server takes no others, though some layouts bring them about.
func (l *levels) sound(key keySyms) bool {
	groups, width := min(int(key.groups&0x0f), len(key.types)), 0
	for _, t := range key.types[:groups] {
		if int(t) >= len(l.types) {
			return false
		}
		width = max(width, int(l.types[t].count))
	}
	return groups == 0 && len(key.syms) == 0 || int(key.width) == width && len(key.syms) == groups*width
}

// sym is the keysym of the key with that code in the group under the
// modifiers, 0 for none.
func (l *levels) sym(code, group, modifiers byte) Keysym {
	key := l.key(code)
	group, ok := key.group(group)
	if !ok || int(key.types[group]) >= len(l.types) {
		return 0
	}
	t := l.types[key.types[group]]
	level := t.levels[modifiers&t.mask]
	at := int(group)*int(key.width) + int(level)
	if level >= key.width || at >= len(key.syms) {
		return 0
	}
	return key.syms[at]
}

// group is the key's group for the keyboard's; false where it has none.
func (key keySyms) group(group byte) (byte, bool) {
	const clamp, redirect = 0x40, 0x80
	count := min(key.groups&0x0f, 4)
	switch {
	case count == 0:
		return 0, false
	case group < count:
		return group, true
	case key.groups&0xc0 == clamp:
		return count - 1, true
	case key.groups&0xc0 == redirect:
		to := key.groups >> 4 & 3
		if to >= count {
			to = 0
		}
		return to, true
	}
	return group % count, true
}
