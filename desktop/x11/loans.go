package x11

import (
	"hash/fnv"
	"slices"
)

// loans are the unused keys that are lent to characters outside the layout.
//
// An application may look a key up long after it was pressed, in the keymap
// that holds then. So a key keeps its character: a text's new characters get
// fresh keys, all before the first is pressed, and only when there are no more
// are old ones taken back, after the application has taken all its keys.
type loans struct {
	spare []byte // keycodes that mean nothing, then those of multimedia keys
	was   map[byte][]Keysym
	rest  uint64 // what says that all other keys are the same
	lent  map[byte]loan
	place map[Keysym]slot
	next  int // the slots up to here are taken

	claimed bool // the ledger says so
}

// loan is what a lent key means alone and with Shift.
type loan [2]Keysym

// slot is one of a spare key's two levels.
type slot struct {
	code  byte
	level int
}

func newLoans(l *layout) *loans {
	n := &loans{was: map[byte][]Keysym{}, lent: map[byte]loan{}, place: map[Keysym]slot{}}
	var multimedia []byte
	for _, code := range l.codes() {
		syms := l.row(code)
		switch {
		case l.used[code]:
			continue
		case !slices.ContainsFunc(syms, func(s Keysym) bool { return s != 0 }):
			n.spare = append(n.spare, code)
		case !slices.ContainsFunc(syms, func(s Keysym) bool { return s != 0 && s>>16 != 0x1008 }):
			multimedia = append(multimedia, code)
		default:
			continue
		}
		n.was[code] = slices.Clone(syms)
	}
	n.spare = append(n.spare, multimedia...)
	n.rest = n.others(l)
	return n
}

// others sums up the keys that are never lent. It changes when somebody loads
// another layout.
func (n *loans) others(l *layout) uint64 {
	h := fnv.New64a()
	for _, code := range l.codes() {
		if _, spare := n.was[code]; spare {
			continue
		}
		h.Write([]byte{code})
		for _, sym := range l.row(code) {
			h.Write([]byte{byte(sym), byte(sym >> 8), byte(sym >> 16), byte(sym >> 24)})
		}
	}
	return h.Sum64()
}

// hold reports whether the keys still mean what they were lent for. They do
// not after somebody has loaded another layout.
func (n *loans) hold(l *layout) bool {
	for code, lent := range n.lent {
		if l.at(code, 0) != lent[0] || l.at(code, 1) != lent[1] {
			return false
		}
	}
	return true
}

func (n *loans) find(sym Keysym, shift byte) (Stroke, bool) {
	s, ok := n.place[sym]
	switch {
	case !ok:
		return Stroke{}, false
	case s.level == 0:
		return Stroke{Code: s.code}, true
	}
	return Stroke{Code: s.code, Modifiers: []byte{shift}}, true
}

// take gives sym a slot, false if there is none: first every key alone, then
// with Shift.
func (n *loans) take(sym Keysym, shift byte) (slot, bool) {
	if n.next >= n.slots(shift) {
		return slot{}, false
	}
	s := slot{n.spare[n.next%len(n.spare)], n.next / len(n.spare)}
	n.next++
	n.place[sym] = s
	lent := n.lent[s.code]
	if s.level == 0 {
		lent = loan{sym, sym} // one alone would be taken for a lower-case letter and its capital
	} else {
		lent[1] = sym
	}
	n.lent[s.code] = lent
	return s, true
}

// slots is how many characters can be lent a key at one time.
func (n *loans) slots(shift byte) int {
	if shift == 0 {
		return len(n.spare)
	}
	return 2 * len(n.spare)
}

// takeBack makes all slots free again. The keys keep their meaning until they
// are lent anew.
func (n *loans) takeBack() {
	n.next = 0
	clear(n.place)
}
