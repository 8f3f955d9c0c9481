// Package fold holds the one way in which opendesk compares texts that people
// see: Unicode-normalised, without case, white space folded. It is a leaf that
// every package may import.
package fold

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Text brings s into the form in which texts are compared: normalised, case
// folded, runs of white space as one space, ends trimmed, characters that show
// nothing dropped. Variants of one character are the same (a no-break space is
// a space, "…" is "...", "ﬁ" is "fi", full-width letters are letters), but not
// where a variant means something else: "x²" is not "x2".
func Text(s string) string {
	s = Space(s) // what shows nothing must not keep an accent from its letter
	s = compatible(s)
	s = strings.Map(cherokee, cases.Fold().String(s))
	// Folding can denormalise again (U+0130 and its like).
	s = compatible(s)
	return Space(s)
}

// cherokee gives the capital of a Cherokee letter, which is what Unicode folds
// it to: cases.Fold makes small letters of the capital ones and capitals of the
// small ones.
func cherokee(r rune) rune {
	switch {
	case r >= 0xab70 && r <= 0xabbf:
		return r - 0xab70 + 0x13a0
	case r >= 0x13f8 && r <= 0x13fd:
		return r - 8
	}
	return r
}

// compatible is NFKC without superscripts, subscripts, fractions and numbers
// in circles, which become NFC only.
func compatible(s string) string {
	if !strings.ContainsFunc(s, keeps) {
		return norm.NFKC.String(s)
	}
	var b strings.Builder
	from := 0
	for i, r := range s {
		if keeps(r) {
			b.WriteString(norm.NFKC.String(s[from:i]))
			b.WriteRune(r)
			from = i + len(string(r))
		}
	}
	b.WriteString(norm.NFKC.String(s[from:]))
	return norm.NFC.String(b.String())
}

// keeps reports whether the character has another meaning than the plain ones
// that NFKC makes of it.
func keeps(r rune) bool {
	return r > unicode.MaxASCII && (unicode.Is(unicode.No, r) || unicode.Is(unicode.Lm, r) || r == 'ª' || r == 'º')
}

// object is what accessibility trees put into a text where another element is.
const object = '\ufffc'

// Space folds runs of white space into one space, trims the ends and drops
// control characters and characters that show nothing (zero-width spaces,
// direction marks, soft hyphens). The place of an embedded element is white
// space. Everything else is kept as it is.
func Space(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	pending := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r), r == object:
			pending = b.Len() > 0
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
		default:
			if pending {
				b.WriteByte(' ')
				pending = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
