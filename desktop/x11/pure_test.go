package x11

import (
	"reflect"
	"slices"
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

// Types of keys as in a usual map.
const (
	oneLevel = iota
	twoLevel
	fourLevel
	keypad
)

func testLayout(locked byte) *layout {
	const shift, level3, numLock, mod5 = 50, 92, 77, 0x80
	l := &layout{lowest: 8, highest: 255,
		used: map[byte]byte{shift: 1, level3: mod5, numLock: 0x10}, locked: locked,
		levels: &levels{first: 8, keys: make([]keySyms, 255-8+1), types: []keyType{
			oneLevel:  {count: 1},
			twoLevel:  {mask: 1, count: 2, levels: map[byte]byte{1: 1}},
			fourLevel: {mask: 1 | mod5, count: 4, levels: map[byte]byte{1: 1, mod5: 2, 1 | mod5: 3}},
			keypad:    {mask: 1 | 0x10, count: 2, levels: map[byte]byte{1: 1, 0x10: 1}},
		}}}
	set := func(code int, kind [2]byte, width byte, syms ...Keysym) {
		groups := byte(len(syms) / int(width))
		l.levels.keys[code-8] = keySyms{types: [4]byte{kind[0], kind[1]}, groups: groups, width: width, syms: syms}
	}
	set(shift, [2]byte{}, 1, 0xffe1)
	set(level3, [2]byte{}, 1, 0xfe03)
	set(38, [2]byte{fourLevel, twoLevel}, 4, 'a', 'A', 'e', 'E', 0x6c6, 0x6e6, 0, 0)
	set(39, [2]byte{twoLevel}, 2, 's', 'S')
	set(80, [2]byte{keypad}, 2, 0xff97, 0xffb8)
	set(123, [2]byte{}, 1, 0x1008ff13)
	set(124, [2]byte{}, 1, named("XF86Back"))
	return l
}

func TestLayout(t *testing.T) {
	const shift, level3 = 50, 92
	for _, c := range []struct {
		group, locked byte
		sym           Keysym
		want          Stroke
	}{
		{0, 0, 'a', Stroke{38, nil}}, {0, 0, 'A', Stroke{38, []byte{shift}}}, {0, 0, 'e', Stroke{38, []byte{level3}}},
		{0, 0, 'E', Stroke{38, []byte{shift, level3}}}, {0, 0, 0xffe1, Stroke{shift, nil}}, {0, 0, 0x6c6, Stroke{}},
		{1, 0, 0x6c6, Stroke{38, nil}}, {1, 0, 0x10006c6, Stroke{}}, {1, 0, 'e', Stroke{}}, {1, 0, 's', Stroke{39, nil}},
		{0, 2, 'a', Stroke{38, nil}}, // Caps Lock
		{0, 0, 0xffb8, Stroke{80, []byte{shift}}}, {0, 0x10, 0xffb8, Stroke{80, nil}}, {0, 0x10, 0xff97, Stroke{80, []byte{shift}}},
	} {
		l := testLayout(c.locked)
		l.group = c.group
		l.build()
		got, ok := l.lookup(c.sym)
		if ok != (c.want.Code != 0) || got.Code != c.want.Code || string(got.Modifiers) != string(c.want.Modifiers) {
			t.Errorf("group %d, locked %x, %x: got %v %v, want %v", c.group, c.locked, c.sym, got, ok, c.want)
		}
	}
}

func TestLoans(t *testing.T) {
	l := testLayout(0)
	l.build()
	n := newLoans(l)
	count := len(n.spare)
	if count < 200 || n.spare[count-1] != 123 {
		t.Errorf("multimedia keys come last: %v", n.spare)
	}
	if slices.Contains(n.spare, 124) {
		t.Error("a key is lent by which browsers go back")
	}
	for sym := range commands() {
		if sym == 0 {
			t.Error("a command has no keysym")
		}
	}
	for i := range 2*count + 1 {
		code, ok := n.take(Keysym(0x1000000+i), nil, true)
		if ok && i < count && n.lent[code] != (loan{Keysym(0x1000000 + i), Keysym(0x1000000 + i)}) {
			t.Fatalf("key %d means %x", code, n.lent[code])
		}
		n.busy[slot{code, i / count}] = true
		if ok != (i < 2*count) {
			t.Fatalf("slot %d: %v", i, ok)
		}
	}
	if got := n.lent[n.spare[0]]; got != (loan{0x1000000, Keysym(0x1000000 + count)}) {
		t.Errorf("the two levels of one key: %x", got)
	}
	clear(n.busy)
	keep := map[slot]bool{n.slot(0): true}
	if free := n.free(keep, true); free != 2*count-1 {
		t.Errorf("%d are free", free)
	}
	code, _ := n.take('x', keep, false)
	if code != n.spare[1] || n.lent[code] != (loan{'x', Keysym(0x1000000 + count + 1)}) {
		t.Errorf("key %d means %x", code, n.lent[code])
	}
}

func TestRuns(t *testing.T) {
	l := testLayout(0)
	lent := lentKey(loan{'x', 'y'})
	l.levels.keys[110-8] = keySyms{groups: 1}
	changed := map[byte]keySyms{}
	for _, code := range []byte{100, 101, 103, 120, 255} {
		changed[code] = lent
	}
	runs := l.runs(changed)
	if len(runs) != 2 || runs[0].first != 100 || len(runs[0].keys) != 4 || runs[1].first != 120 || len(runs[1].keys) != 136 {
		t.Fatalf("%v", runs)
	}
	if !runs[0].keys[2].equal(keySyms{}) || !runs[0].keys[3].equal(lent) || !runs[1].keys[135].equal(lent) {
		t.Errorf("%v", runs)
	}
}

func TestLedger(t *testing.T) {
	want := &ledger{rest: 0x123456789abcdef0, was: map[byte]keySyms{
		8: {}, 255: {types: [4]byte{1, 2}, groups: 2, width: 1, syms: []Keysym{0x1008ff13, 0}}}}
	if got := parseLedger(want.bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := parseLedger(want.bytes()[:30]); len(got.was) > 0 {
		t.Errorf("torn: %+v", got)
	}
}

func FuzzLedger(f *testing.F) {
	f.Add(ledger{rest: 1, was: map[byte]keySyms{9: {groups: 1, width: 3, syms: []Keysym{1, 2, 3}}}}.bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		e := parseLedger(b)
		if again := parseLedger(e.bytes()); !reflect.DeepEqual(again, e) {
			t.Errorf("%+v is read as %+v", e, again)
		}
	})
}

func FuzzLevels(f *testing.F) {
	f.Add(make([]byte, 40), byte(1), byte(3))
	f.Add([]byte("0123456789abcd\x00\x010\x08\x00\x00\x010123456789abcdefghi\x01\x01\x00\x00\x02\x01\x01\x00\x01\x01\x01\x00\x00\x00\x00\x00abcd"), byte(1), byte(3))
	f.Fuzz(func(t *testing.T, b []byte, group, modifiers byte) {
		l, err := parseLevels(b)
		if err != nil {
			return
		}
		for code := range 256 {
			l.sym(byte(code), group, modifiers)
		}
	})
}

func FuzzSymsOf(f *testing.F) {
	f.Add("a\r\n\tж😀")
	f.Add("\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
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
