package atspi

import (
	"encoding/binary"
	"math"

	"github.com/godbus/dbus/v5"
)

// The signatures of the answers to org.a11y.atspi.Cache.GetItems (see parseItems).
const (
	itemsSignature    = "a((so)(so)(so)iiassusau)"
	oldItemsSignature = "a((so)(so)(so)a(so)assusau)"
)

// cursor reads values of bytes that are aligned by their beginning. Past the
// end, and where they make no sense, everything is zero and bad is set.
type cursor struct {
	b    []byte
	big  bool // the order of bytes
	at   int
	bad  bool
	last string // of the names of connections, which repeat
}

func orderOf(big bool) binary.ByteOrder {
	if big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// take gives the next bytes, nil past the end.
func (c *cursor) take(n int) []byte {
	if c.bad || n < 0 || n > len(c.b)-c.at {
		c.bad = true
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) align(to int) { c.take((to - c.at%to) % to) }

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	c.align(4)
	if b := c.take(4); b != nil {
		return orderOf(c.big).Uint32(b)
	}
	return 0
}

// text gives as many bytes and the zero that follows them, without it.
func (c *cursor) text(n int) []byte {
	b := c.take(n)
	if c.byte() != 0 {
		c.bad = true
	}
	return b
}

// bytes are those of a string.
func (c *cursor) bytes() []byte { return c.text(int(c.uint32())) }

func (c *cursor) string() string { return string(c.bytes()) }

func (c *cursor) signature() []byte { return c.text(int(c.byte())) }

// basic is a value of a type without parts, nil for other types.
func (c *cursor) basic(kind byte) any {
	switch kind {
	case 's':
		return c.string()
	case 'o':
		return dbus.ObjectPath(c.string())
	case 'i':
		return int32(c.uint32())
	case 'u':
		return c.uint32()
	case 'b':
		return c.uint32() != 0
	case 'd':
		c.align(8)
		if b := c.take(8); b != nil {
			return math.Float64frombits(orderOf(c.big).Uint64(b))
		}
		return 0.0
	}
	return nil
}

// array calls each until the array's end. Its elements are aligned like that.
func (c *cursor) array(alignment int, each func()) {
	n := int(c.uint32())
	c.align(alignment)
	if n > len(c.b)-c.at {
		c.bad = true
	}
	for end := c.at + n; !c.bad && c.at < end; {
		each()
		if c.at > end {
			c.bad = true
		}
	}
}

func (c *cursor) uint32s() (list []uint32) {
	c.array(4, func() { list = append(list, c.uint32()) })
	return list
}

func (c *cursor) strings() (list []string) {
	c.array(4, func() { list = append(list, c.string()) })
	return list
}

// ref is a "(so)", from where it is aligned.
func (c *cursor) ref() ref {
	dest := c.bytes()
	if string(dest) != c.last {
		c.last = string(dest)
	}
	return ref{c.last, dbus.ObjectPath(c.string())}
}

// refs are an "a(so)" without objects that are none.
func (c *cursor) refs() []ref {
	list := []ref{}
	c.array(8, func() {
		c.align(8)
		if r := c.ref(); !r.null() {
			list = append(list, r)
		}
	})
	return list
}

// item is one of the cache's.
type item struct {
	object, parent ref
	facts          facts
}

// items are those of the cache, the old ones with lists of their children
// instead of numbers.
func (c *cursor) items(old bool) []item {
	list := []item{}
	c.array(8, func() {
		c.align(8)
		var i item
		i.object = c.ref()
		c.align(8)
		c.bytes() // the application
		c.bytes()
		c.align(8)
		i.parent = c.ref()
		f := &i.facts
		if old {
			// Left out are the children of objects that manage their own.
			if f.childCount = len(c.refs()); f.childCount == 0 {
				f.childCount = -1
			}
		} else {
			c.uint32() // its place
			f.childCount = int(int32(c.uint32()))
		}
		f.ifaces = ifacesKnown
		c.array(4, func() { f.ifaces |= ifaceBits[string(c.bytes())] })
		f.name = c.string()
		f.role = c.uint32()
		f.description, f.described = c.string(), true
		word := 0
		c.array(4, func() {
			if v := c.uint32(); word < 2 {
				f.states |= states(v) << (32 * word)
			}
			word++
		})
		list = append(list, i)
	})
	return list
}
