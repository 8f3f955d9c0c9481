package x11

import (
	"slices"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
	"github.com/opendesk/opendesk/internal/keysym"
)

// layout is the keyboard at one moment: its layouts, which of them is in
// effect, and what is locked.
type layout struct {
	lowest, highest byte // keycodes
	levels          *levels

	used   map[byte]byte // keycodes that are modifiers, and which
	group  byte
	locked byte // modifiers

	shift byte // keycode, 0 for none
	index map[Keysym]Stroke
}

func readLayout(c *xconn.Conn, k xkb) (*layout, error) {
	modifying := xproto.GetModifierMapping(c.X)
	levels, err := k.levels(c.X)
	if err != nil {
		return nil, err
	}
	state, err := k.state(c.X)
	if err != nil {
		return nil, err
	}
	modifiers, err := modifying.Reply()
	if err != nil {
		return nil, err
	}
	l := &layout{
		lowest: byte(c.Setup.MinKeycode), highest: byte(c.Setup.MaxKeycode), levels: levels,
		used: map[byte]byte{}, group: state.group, locked: state.locked,
	}
	for i, code := range modifiers.Keycodes {
		if code != 0 {
			l.used[byte(code)] |= 1 << (i / int(modifiers.KeycodesPerModifier))
		}
	}
	l.build()
	return l, nil
}

// codes are all keycodes that the server has.
func (l *layout) codes() []byte {
	codes := make([]byte, int(l.highest)-int(l.lowest)+1)
	for i := range codes {
		codes[i] = l.lowest + byte(i)
	}
	return codes
}

// build indexes the keysyms that can be had now: fewer modifiers win, then the
// lower keycode.
func (l *layout) build() {
	l.index = map[Keysym]Stroke{}
	var holds []byte // the keycodes that choose levels
	for _, name := range []string{"Shift_L", "ISO_Level3_Shift", "ISO_Level5_Shift"} {
		code := l.modifier(named(name))
		if name == "Shift_L" {
			if code == 0 {
				code = l.modifier(named("Shift_R"))
			}
			l.shift = code
		}
		if code != 0 {
			holds = append(holds, code)
		}
	}
	// Caps Lock is not looked at: chords mean the key, and texts are typed
	// without it.
	const capsLock = xproto.ModMaskLock
	for subset := range 1 << len(holds) {
		state := l.locked &^ capsLock
		var down []byte
		for i, code := range holds {
			if subset&(1<<i) != 0 {
				down = append(down, code)
				state |= l.used[code]
			}
		}
		for _, code := range l.codes() {
			sym := canonical(l.levels.sym(code, l.group, state))
			if _, known := l.index[sym]; sym != 0 && !known {
				l.index[sym] = Stroke{Code: code, Modifiers: down}
			}
		}
	}
}

// named is the keysym of that name.
func named(name string) Keysym {
	sym, _ := keysym.ByName(name)
	return Keysym(sym)
}

// modifier is the keycode of the modifier key with that keysym, 0 for none.
func (l *layout) modifier(sym Keysym) byte {
	for _, code := range l.codes() {
		if l.used[code] != 0 && l.levels.sym(code, l.group, 0) == sym {
			return code
		}
	}
	return 0
}

// canonical is the one keysym for each character.
func canonical(sym Keysym) Keysym { return Keysym(keysym.Canonical(uint32(sym))) }

func (l *layout) lookup(sym Keysym) (Stroke, bool) {
	s, ok := l.index[canonical(sym)]
	return s, ok
}

// shallow reports whether the stroke needs no modifier but Shift, and not that
// either where it must be bare.
func (l *layout) shallow(s Stroke, bare bool) bool {
	return !slices.ContainsFunc(s.Modifiers, func(code byte) bool { return bare || code != l.shift })
}
