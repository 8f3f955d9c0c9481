package x11

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"
)

// Keysym names what a key means: a character or a function.
type Keysym = xproto.Keysym

// unicodeKeysym is added to a character that has no older keysym.
const unicodeKeysym Keysym = 0x01000000

//go:embed keysyms.txt
var keysymsFile string

type keysymTable struct {
	byName map[string]Keysym
	byRune map[rune]Keysym // beyond Latin-1
}

var keysyms = sync.OnceValue(func() keysymTable {
	t := keysymTable{map[string]Keysym{}, map[rune]Keysym{}}
	for line := range strings.Lines(keysymsFile) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		sym, err := strconv.ParseUint(fields[1], 16, 32)
		if err != nil {
			panic(err)
		}
		t.byName[fields[0]] = Keysym(sym)
		if len(fields) < 3 {
			continue
		}
		r, err := strconv.ParseUint(fields[2], 16, 32)
		if err != nil {
			panic(err)
		}
		if _, ok := t.byRune[rune(r)]; !ok {
			t.byRune[rune(r)] = Keysym(sym)
		}
	}
	return t
})

// KeysymOf is the keysym of a character, 0 for a control character, which no
// keysym stands for.
func KeysymOf(r rune) Keysym {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return 0
	case r < 0x100:
		return Keysym(r)
	}
	if sym, ok := keysyms().byRune[r]; ok {
		return sym
	}
	return unicodeKeysym + Keysym(r)
}

// KeysymByName is the keysym of an X keysym name (Return, eacute, XF86AudioPlay,
// U20AC) or of a single character.
func KeysymByName(name string) (Keysym, bool) {
	if r, n := utf8.DecodeRuneInString(name); n == len(name) && n > 0 && r != utf8.RuneError {
		sym := KeysymOf(r)
		return sym, sym != 0
	}
	if sym, ok := keysyms().byName[name]; ok {
		return sym, true
	}
	if hex, ok := strings.CutPrefix(name, "U"); ok && len(hex) >= 4 && len(hex) <= 6 {
		if r, err := strconv.ParseUint(hex, 16, 21); err == nil && r <= utf8.MaxRune {
			sym := KeysymOf(rune(r))
			return sym, sym != 0
		}
	}
	return 0, false
}
