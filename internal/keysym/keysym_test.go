package keysym

import "testing"

func TestByName(t *testing.T) {
	for name, want := range map[string]uint32{
		"Return": 0xff0d, "Prior": 0xff55, "eacute": 0xe9, "é": 0xe9, "€": 0x20ac, "EuroSign": 0x20ac,
		"U20AC": 0x20ac, "U+20AC": 0x20ac, "ж": 0x6d6, "Cyrillic_zhe": 0x6d6, "漢": 0x1006f22, "😀": 0x101f600,
		"XF86AudioPlay": 0x1008ff14, "ISO_Level3_Shift": 0xfe03, "F12": 0xffc9, "a": 'a', "A": 'A', "<": '<',
		"ź": 0x1bc, "ẞ": 0x1001e9e, "U1F600": 0x101f600,
	} {
		got, ok := ByName(name)
		if !ok || got != want {
			t.Errorf("%s: got %x %v, want %x", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "nonsense", "U12", "UZZZZ", "U+", "U0007", "UD800", "U110000", "\x07", "\xff", "ab"} {
		if sym, ok := ByName(name); ok {
			t.Errorf("%q: got %x", name, sym)
		}
	}
}

func TestCanonical(t *testing.T) {
	for r := rune(0x20); r < 0x20000; r++ {
		sym := Of(r)
		if sym == 0 {
			continue
		}
		if Canonical(sym) != sym || Canonical(unicode+uint32(r)) != sym {
			t.Fatalf("%U: %x is not canonical", r, sym)
		}
	}
	if Canonical(0xff0d) != 0xff0d || Canonical(unicode) != unicode {
		t.Error("other keysyms stay as they are")
	}
}

func FuzzByName(f *testing.F) {
	for _, name := range []string{"Return", "U20AC", "\x00", "\xff", "U+1F600"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if sym, ok := ByName(name); ok && (sym == 0 || Canonical(sym) != sym && len(name) > 1 && name[0] == 'U') {
			t.Errorf("%q: %x", name, sym)
		}
	})
}
