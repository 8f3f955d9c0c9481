package script

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// output keeps the head and the tail of what a script prints, and drains the
// rest: however much it is, no more is held than that.
type output struct {
	// max is how many characters are kept of head and tail together.
	max        int
	head, tail []rune
	next       int // the place in tail that is overwritten next, once it is full
	characters int64
	rest       []byte // the beginning of a character

	whole []byte // the beginning, up to keep bytes
	keep  int
	lost  int64
}

// drain reads to the end. It adds to the count of bytes, and calls tooMuch when
// that is over the limit, as often as it is.
func (o *output) drain(r io.Reader, count *atomic.Int64, limit int64, tooMuch func()) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		o.write(buf[:n])
		if count.Add(int64(n)) > limit {
			tooMuch()
		}
		if err != nil {
			return
		}
	}
}

// write takes the next part.
func (o *output) write(p []byte) {
	room := min(max(o.keep-len(o.whole), 0), len(p))
	o.whole = append(o.whole, p[:room]...)
	o.lost += int64(len(p) - room)
	p = append(o.rest, p...)
	for len(p) > 0 && (utf8.FullRune(p) || len(p) >= utf8.UTFMax) {
		r, size := utf8.DecodeRune(p)
		o.add(r)
		p = p[size:]
	}
	o.rest = append(o.rest[:0:0], p...)
}

func (o *output) add(r rune) {
	o.characters++
	half := o.max / 2
	switch {
	case len(o.head) < half:
		o.head = append(o.head, r)
	case len(o.tail) < o.max-half:
		o.tail = append(o.tail, r)
	default:
		o.tail[o.next] = r
		o.next = (o.next + 1) % len(o.tail)
	}
}

// text is what is kept, with a line that counts what was cut, and that count.
func (o *output) text() (string, int64) {
	for range o.rest {
		o.add(utf8.RuneError)
	}
	o.rest = nil
	tail := string(o.tail[o.next:]) + string(o.tail[:o.next])
	cut := o.characters - int64(len(o.head)+len(o.tail))
	var b strings.Builder
	b.WriteString(string(o.head))
	if cut > 0 {
		fmt.Fprintf(&b, "\n[… %d characters cut …]\n", cut)
	}
	b.WriteString(tail)
	return b.String(), cut
}
