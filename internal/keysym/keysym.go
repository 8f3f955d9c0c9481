// Package keysym knows the names and characters of X keysyms, which say what
// a key means.
package keysym

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// unicode is added to a character that has no older keysym.
const unicode = 0x01000000

//go:embed keysyms.txt
var file string

type table struct {
	byName map[string]uint32
	byRune map[rune]uint32 // beyond Latin-1
}

var keysyms = sync.OnceValue(func() table {
	t := table{map[string]uint32{}, map[rune]uint32{}}
	for line := range strings.Lines(file) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		sym, err := strconv.ParseUint(fields[1], 16, 32)
		if err != nil {
			panic(err)
		}
		t.byName[fields[0]] = uint32(sym)
		if len(fields) < 3 {
			continue
		}
		r, err := strconv.ParseUint(fields[2], 16, 32)
		if err != nil {
			panic(err)
		}
		if _, ok := t.byRune[rune(r)]; !ok {
			t.byRune[rune(r)] = uint32(sym)
		}
	}
	return t
})

// Of is the keysym of a character, 0 for a control character, which no keysym
// stands for.
func Of(r rune) uint32 {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return 0
	case r < 0x100:
		return uint32(r)
	}
	if sym, ok := keysyms().byRune[r]; ok {
		return sym
	}
	return unicode + uint32(r)
}

// Canonical maps a character's newer keysym to the older one that Of gives.
func Canonical(sym uint32) uint32 {
	if sym > unicode && sym <= unicode+utf8.MaxRune {
		if older := Of(rune(sym - unicode)); older != 0 {
			return older
		}
	}
	return sym
}

// ByName is the keysym of an X keysym name (Return, eacute, XF86AudioPlay), of
// a character's number (U20AC, U+20AC) or of a single character.
func ByName(name string) (sym uint32, ok bool) {
	if r, n := utf8.DecodeRuneInString(name); n == len(name) && n > 0 && r != utf8.RuneError {
		sym := Of(r)
		return sym, sym != 0
	}
	if sym, ok := keysyms().byName[name]; ok {
		return sym, true
	}
	hex, ok := strings.CutPrefix(name, "U")
	hex = strings.TrimPrefix(hex, "+")
	if !ok || len(hex) < 4 || len(hex) > 6 {
		return 0, false
	}
	r, err := strconv.ParseUint(hex, 16, 21)
	if err != nil || !utf8.ValidRune(rune(r)) {
		return 0, false
	}
	sym = Of(rune(r))
	return sym, sym != 0
}

// Names lists the names of all keysyms, sorted.
func Names() []string { return slices.Sorted(maps.Keys(keysyms().byName)) }
