package x11

import (
	"slices"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// layout is the keyboard's layout at one moment.
type layout struct {
	first  byte // keycode of syms[0]
	width  int  // keysyms a keycode
	syms   []Keysym
	shift  byte // keycodes, 0 for none
	level3 byte
	used   map[byte]bool // keycodes that are modifiers
	index  map[Keysym]Stroke
}

func readLayout(c *xconn.Conn) (*layout, error) {
	first := byte(c.Setup.MinKeycode)
	count := byte(c.Setup.MaxKeycode) - first + 1
	mapping := xproto.GetKeyboardMapping(c.X, xproto.Keycode(first), count)
	modifying := xproto.GetModifierMapping(c.X)
	modifiers, err := modifying.Reply()
	if err != nil {
		return nil, err
	}
	keys, err := mapping.Reply()
	if err != nil {
		return nil, err
	}
	l := &layout{
		first: first, width: int(keys.KeysymsPerKeycode), syms: keys.Keysyms,
		used: map[byte]bool{},
	}
	for _, code := range modifiers.Keycodes {
		if code != 0 {
			l.used[byte(code)] = true
		}
	}
	return l, nil
}

// columns are the places of the first group's four levels among a key's
// keysyms, as the server lays XKB's levels out in the core protocol: after two
// of each of the first two groups come the others of the first. Where those
// of the second begin depends on the widest key, hence Keymap.Neutral.
var columns = [4]int{0, 1, 4, 5}

func (l *layout) at(code byte, column int) Keysym {
	i := int(code-l.first)*l.width + column
	if column >= l.width || i >= len(l.syms) {
		return 0
	}
	return l.syms[i]
}

// row is all of a key's keysyms.
func (l *layout) row(code byte) []Keysym {
	return l.syms[int(code-l.first)*l.width:][:l.width]
}

func (l *layout) codes() []byte {
	codes := make([]byte, len(l.syms)/max(l.width, 1))
	for i := range codes {
		codes[i] = l.first + byte(i)
	}
	return codes
}

// build indexes the keysyms but those of lent keys; the lower level wins, then
// the lower keycode.
func (l *layout) build(lent map[byte]loan) {
	l.index = map[Keysym]Stroke{}
	names := keysyms().byName
	bare := func(sym Keysym) byte {
		for _, code := range l.codes() {
			if l.used[code] && l.at(code, columns[0]) == sym {
				return code
			}
		}
		return 0
	}
	l.shift = bare(names["Shift_L"])
	if l.shift == 0 {
		l.shift = bare(names["Shift_R"])
	}
	l.level3 = bare(names["ISO_Level3_Shift"])
	for level, column := range columns {
		var modifiers []byte
		if level&1 != 0 {
			modifiers = append(modifiers, l.shift)
		}
		if level&2 != 0 {
			modifiers = append(modifiers, l.level3)
		}
		if slices.Contains(modifiers, 0) {
			continue // no key reaches this level
		}
		for _, code := range l.codes() {
			sym := canonical(l.at(code, column))
			_, known := l.index[sym]
			_, isLent := lent[code]
			if sym == 0 || known || isLent || !l.ordinary(code, sym, level) {
				continue
			}
			l.index[sym] = Stroke{Code: code, Modifiers: modifiers}
		}
	}
}

// ordinary reports whether Shift and AltGr alone choose the level of the key
// that has sym on it. They do for characters, but not on the number pad, whose
// levels hang on Num Lock, and not for functions: Print is SysRq with Alt.
func (l *layout) ordinary(code byte, sym Keysym, level int) bool {
	const keypad, keypadEnd = 0xff80, 0xffbd
	if first := l.at(code, 0); first >= keypad && first <= keypadEnd {
		return first == sym && (l.at(code, 1) == first || l.at(code, 1) == 0)
	}
	return level == 0 || sym < 0xfd00 || sym > 0xffff && sym>>16 != 0x1008
}

// canonical maps a character's newer keysym to the older one that KeysymOf gives.
func canonical(sym Keysym) Keysym {
	if sym > unicodeKeysym && sym <= unicodeKeysym+0x10ffff {
		return KeysymOf(rune(sym - unicodeKeysym))
	}
	return sym
}

func (l *layout) lookup(sym Keysym) (Stroke, bool) {
	s, ok := l.index[canonical(sym)]
	return s, ok
}
