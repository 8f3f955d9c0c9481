package x11

import (
	"hash/fnv"
	"slices"
	"strings"
	"sync"
)

// loans are the unused keys that are lent to characters outside the layout.
//
// An application may look a key up long after it was pressed, in the keymap
// that holds then. So a key keeps its character as long as it may still be
// looked up: a text's new characters get other keys, all before the first is
// pressed, and only when there are no more are old ones taken, after the
// application has taken all its keys.
type loans struct {
	spare []byte // keycodes that mean nothing, then those of multimedia keys
	was   map[byte]keySyms
	rest  uint64 // what says that all other keys are the same
	lent  map[byte]loan
	next  int           // the slot to lend next
	busy  map[slot]bool // may still be looked up

	claimed bool // the ledger says so
}

// loan is what a lent key means alone and with Shift.
type loan [2]Keysym

// commands are the functions that applications carry out by the key's place,
// whatever it means: Chromium does the upper ones with a key that was lent to a
// character. The lower ones would do harm on somebody's own display.
var commands = sync.OnceValue(func() map[Keysym]bool {
	syms := map[Keysym]bool{}
	for _, name := range strings.Fields(`
		XF86Copy XF86Cut XF86Paste XF86Favorites XF86Back XF86Forward XF86HomePage XF86Reload XF86Refresh XF86Search XF86Stop XF86Close
		XF86PowerOff XF86PowerDown XF86Sleep XF86Suspend XF86Hibernate XF86LogOff XF86Eject`) {
		syms[named(name)] = true
	}
	return syms
})

// slot is one of a spare key's two levels.
type slot struct {
	code  byte
	level int
}

func newLoans(l *layout) *loans {
	n := &loans{was: map[byte]keySyms{}, lent: map[byte]loan{}, busy: map[slot]bool{}}
	var multimedia []byte
	for _, code := range l.codes() {
		key := l.levels.key(code)
		switch {
		case l.used[code] != 0 || !l.levels.sound(key):
			continue
		case !slices.ContainsFunc(key.syms, func(s Keysym) bool { return s != 0 }):
			n.spare = append(n.spare, code)
		case slices.ContainsFunc(key.syms, func(s Keysym) bool { return commands()[s] }):
			continue
		case !slices.ContainsFunc(key.syms, func(s Keysym) bool { return s != 0 && s>>16 != 0x1008 }):
			multimedia = append(multimedia, code)
		default:
			continue
		}
		n.was[code] = key
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
		h.Write(l.levels.key(code).bytes())
	}
	return h.Sum64()
}

// hold reports whether the keys still mean what they were lent for. They do
// not after somebody has loaded another layout.
func (n *loans) hold(l *layout) bool {
	for code, lent := range n.lent {
		if !l.levels.key(code).equal(lentKey(lent)) {
			return false
		}
	}
	return true
}

// slots is how many characters can have a key at one time: one a key, or two
// with Shift.
func (n *loans) slots(shift bool) int {
	if shift {
		return 2 * len(n.spare)
	}
	return len(n.spare)
}

// slot is the i-th slot: first come all keys alone, then those with Shift.
func (n *loans) slot(i int) slot { return slot{n.spare[i%len(n.spare)], i / len(n.spare)} }

// of is the lent slot that makes the stroke, false where no lent key does.
func (n *loans) of(s Stroke) (slot, bool) {
	_, lent := n.lent[s.Code]
	return slot{s.Code, min(len(s.Modifiers), 1)}, lent
}

// free counts the slots that are neither busy nor to be kept.
func (n *loans) free(keep map[slot]bool, shift bool) int {
	count := 0
	for i := range n.slots(shift) {
		if s := n.slot(i); !n.busy[s] && !keep[s] {
			count++
		}
	}
	return count
}

// take lends sym the next free slot and returns its key, false if there is none.
func (n *loans) take(sym Keysym, keep map[slot]bool, shift bool) (code byte, ok bool) {
	count := n.slots(shift)
	for i := range count {
		at := (n.next + i) % count
		s := n.slot(at)
		if n.busy[s] || keep[s] {
			continue
		}
		n.next = at + 1
		lent := n.lent[s.code]
		single := lent[0] == lent[1]
		lent[s.level] = sym
		if s.level == 0 && single {
			lent[1] = sym // one alone would be taken for a lower-case letter and its capital
		}
		n.lent[s.code] = lent
		return s.code, true
	}
	return 0, false
}
