package x11

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCompoundText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                 "plain",
		"caf\xe9":                               "café",
		"eins \x1b-B\xbf\x1b-A\xf3\x1b-B\xb3":   "eins żół",
		"\x1b-F\xe1\x1b-L\xd0":                  "αа",
		"a\x1b%G漢字\x1b%@\xe9":                   "a漢字é",
		"\x1b$)A\xb0\xa1x":                      "\ufffd\ufffdx",
		"\x1b":                                  "",
		"\x1b%G\xff":                            "\ufffd",
		"\x1b%/1\x80\x89utf-8\x02\x1b(Bletters": "\u0080\u0089utf-8\x02letters",
	} {
		if got := compoundText([]byte(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzCompoundText(f *testing.F) {
	f.Add([]byte("eins \x1b-B\xbf"))
	f.Add([]byte("a\x1b%G\xe6\x1b%@"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := compoundText(b); !utf8.ValidString(got) {
			t.Errorf("%q: not UTF-8: %q", b, got)
		}
	})
}

func TestKeysyms(t *testing.T) {
	for name, want := range map[string]Keysym{
		"Return": 0xff0d, "Prior": 0xff55, "eacute": 0xe9, "é": 0xe9, "€": 0x20ac, "EuroSign": 0x20ac,
		"U20AC": 0x20ac, "ж": 0x6d6, "Cyrillic_zhe": 0x6d6, "漢": 0x1006f22, "😀": 0x101f600,
		"XF86AudioPlay": 0x1008ff14, "ISO_Level3_Shift": 0xfe03, "F12": 0xffc9, "a": 'a', "A": 'A', "<": '<',
		"ź": 0x1bc, "ẞ": 0x1001e9e, "U1F600": 0x101f600,
	} {
		got, ok := KeysymByName(name)
		if !ok || got != want {
			t.Errorf("%s: got %x %v, want %x", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "nonsense", "U12", "UZZZZ", "U0007", "\x07", "\xff", "ab"} {
		if sym, ok := KeysymByName(name); ok {
			t.Errorf("%q: got %x", name, sym)
		}
	}
	for r := rune(0x20); r < 0x20000; r++ {
		if sym := KeysymOf(r); sym != 0 && canonical(sym) != sym {
			t.Fatalf("%U: %x is not canonical", r, sym)
		}
	}
}

func TestSymsOf(t *testing.T) {
	ret, tab := Keysym(0xff0d), Keysym(0xff09)
	syms, err := symsOf("a\r\nb\tc\n\n\r")
	var got []Keysym
	for _, s := range syms {
		got = append(got, s.sym)
	}
	want := []Keysym{'a', ret, 'b', tab, 'c', ret, ret, ret}
	if err != nil || !equal(got, want) {
		t.Errorf("got %x %v, want %x", got, err, want)
	}
	for _, bad := range []string{"a\x1bb", "\x00", "\x7f", "\u0085", "a\xff"} {
		if _, err := symsOf(bad); err == nil || !strings.Contains(err.Error(), "cannot be typed") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := symsOf("\ufffd"); err != nil {
		t.Errorf("U+FFFD itself is a character: %v", err)
	}
}

func equal(a, b []Keysym) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestLayout(t *testing.T) {
	const shift, level3 = 50, 92
	l := &layout{first: 8, width: 6, syms: make([]Keysym, (255-8+1)*6), used: map[byte]bool{shift: true, level3: true}}
	set := func(code int, syms ...Keysym) { copy(l.syms[(code-8)*6:], syms) }
	set(shift, 0xffe1, 0, 0xffe1)
	set(level3, 0xfe03, 0, 0xfe03)
	set(38, 'a', 'A', 0x6c6, 0x6e6, 'e', 'E') // a second group of Cyrillic letters
	set(39, 's', 'S', 0x10000df, 0x6d9)
	set(123, 0x1008ff13, 0, 0x1008ff13)
	l.build(nil)
	for sym, want := range map[Keysym]Stroke{
		'a': {38, nil}, 'A': {38, []byte{shift}}, 'e': {38, []byte{level3}}, 'E': {38, []byte{shift, level3}},
		0xffe1: {shift, nil},
	} {
		got, ok := l.lookup(sym)
		if !ok || got.Code != want.Code || string(got.Modifiers) != string(want.Modifiers) {
			t.Errorf("%x: got %v %v, want %v", sym, got, ok, want)
		}
	}
	if _, ok := l.lookup(0x6c6); ok {
		t.Error("found a key of the other group")
	}
	if got, ok := l.lookup(0x10000c6); ok {
		t.Errorf("found %v", got)
	}

	n := newLoans(l)
	if len(n.spare) < 200 || n.spare[len(n.spare)-1] != 123 {
		t.Errorf("multimedia keys come last: %v", n.spare)
	}
	for i := range 2*len(n.spare) + 1 {
		if _, ok := n.take(Keysym(0x1000000+i), shift); ok != (i < 2*len(n.spare)) {
			t.Fatalf("slot %d: %v", i, ok)
		}
	}
	first, _ := n.find(0x1000000, shift)
	second, _ := n.find(Keysym(0x1000000+len(n.spare)), shift)
	if first.Code != second.Code || len(first.Modifiers) != 0 || string(second.Modifiers) != string([]byte{shift}) {
		t.Errorf("the two levels of one key: %v %v", first, second)
	}
}

func FuzzKeysyms(f *testing.F) {
	f.Add("Return", "a\r\n\tж😀")
	f.Add("U20AC", "\x00\xff")
	f.Fuzz(func(t *testing.T, name, text string) {
		if sym, ok := KeysymByName(name); ok && sym == 0 {
			t.Errorf("%q: no keysym", name)
		}
		syms, err := symsOf(text)
		if err == nil && len(syms) > utf8.RuneCountInString(text) {
			t.Errorf("%q: %d strokes", text, len(syms))
		}
		for _, s := range syms {
			if s.sym == 0 || s.at >= len(text) {
				t.Errorf("%q: %v", text, s)
			}
		}
	})
}
