package x11

import (
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// upperHalves are the character sets that a compound text can bring into the
// upper half of its codes, by the final byte of their escape sequence.
var upperHalves = map[byte]*charmap.Charmap{
	'A': charmap.ISO8859_1, 'B': charmap.ISO8859_2, 'C': charmap.ISO8859_3, 'D': charmap.ISO8859_4,
	'F': charmap.ISO8859_7, 'G': charmap.ISO8859_6, 'H': charmap.ISO8859_8, 'L': charmap.ISO8859_5,
	'M': charmap.ISO8859_9, 'V': charmap.ISO8859_10, '_': charmap.ISO8859_14, 'b': charmap.ISO8859_15,
}

// compoundText decodes a property of type COMPOUND_TEXT, in which older
// programs keep their titles: single-byte sets and UTF-8. Characters of other
// sets (East Asian ones) come out as U+FFFD.
func compoundText(b []byte) string {
	var out strings.Builder
	upper := charmap.ISO8859_1
	const escape = 0x1b
	for len(b) > 0 {
		c := b[0]
		switch {
		case c == escape && len(b) >= 3 && b[1] == '%' && b[2] == 'G': // UTF-8 until ESC % @
			part, rest, _ := strings.Cut(string(b[3:]), "\x1b%@")
			out.WriteString(strings.ToValidUTF8(part, "\ufffd"))
			b = []byte(rest)
			continue
		case c == escape:
			n := 1
			for n < len(b) && b[n] >= 0x20 && b[n] < 0x30 { // intermediate bytes
				n++
			}
			if n < len(b) {
				if n == 2 && b[1] == '-' {
					upper = upperHalves[b[n]]
				} else if n > 1 && b[1] == '$' {
					upper = nil
				}
				n++
			}
			b = b[n:]
			continue
		case c < 0x80:
			out.WriteByte(c)
		case upper == nil:
			out.WriteRune('\ufffd')
		default:
			out.WriteRune(upper.DecodeByte(c))
		}
		b = b[1:]
	}
	return out.String()
}
