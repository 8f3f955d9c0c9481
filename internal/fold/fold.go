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

// Text brings s into the form in which texts are compared: NFKC (so a no-break
// space is a space and "…" is "..."), case folded, runs of white space as one
// space, ends trimmed, characters that show nothing dropped.
func Text(s string) string {
	s = norm.NFKC.String(s)
	s = cases.Fold().String(s)
	// Folding can denormalise again (U+0130 and its like).
	s = norm.NFKC.String(s)
	return Space(s)
}

// Space folds runs of white space into one space, trims the ends and drops
// control characters and characters that show nothing (zero-width spaces,
// direction marks, soft hyphens). Everything else is kept as it is.
func Space(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	pending := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
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

// Title is Text for the titles of elements: mnemonic underscores ("_File")
// are dropped where they mark a letter.
func Title(s string) string {
	return Text(mnemonic(s))
}

// mnemonic drops single underscores before a letter or digit, at most one, at
// the start of a word; "__" stands for "_".
func mnemonic(s string) string {
	i := strings.IndexByte(s, '_')
	if i < 0 {
		return s
	}
	if strings.HasPrefix(s[i:], "__") {
		return strings.ReplaceAll(s, "__", "_")
	}
	startsWord := i == 0 || s[i-1] == ' '
	if startsWord && i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '_' && strings.Count(s, "_") == 1 {
		return s[:i] + s[i+1:]
	}
	return s
}
