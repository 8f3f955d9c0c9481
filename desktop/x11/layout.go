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
	group  int
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
	state, err := xproto.QueryPointer(c.X, c.Root).Reply()
	if err != nil {
		return nil, err
	}
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
		group: int(state.Mask >> 13 & 3), // XKB keeps it in two bits of the modifiers

		used: map[byte]bool{},
	}
	for _, code := range modifiers.Keycodes {
		if code != 0 {
			l.used[byte(code)] = true
		}
	}
	return l, nil
}

// columns are the places of the group's four levels among a key's keysyms,
// as the server lays XKB's levels out in the core protocol.
func (l *layout) columns() [4]int {
	if l.group == 1 {
		return [4]int{2, 3, 6, 7}
	}
	return [4]int{0, 1, 4, 5}
}

func (l *layout) at(code byte, column int) Keysym {
	i := int(code-l.first)*l.width + column
	if column >= l.width || i >= len(l.syms) {
		return 0
	}
	return l.syms[i]
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
	columns := l.columns()
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
			if _, isLent := lent[code]; sym != 0 && !known && !isLent {
				l.index[sym] = Stroke{Code: code, Modifiers: modifiers}
			}
		}
	}
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
