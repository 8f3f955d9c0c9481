package step

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// arrival says what has become of a text that was typed into a field.
type arrival int

const (
	// cameBack: the field holds the text, exactly.
	cameBack arrival = iota
	// reshaped: the application made something else of it, as many do, and the
	// rules below say that no typing error looks like that.
	reshaped
	// partly: nothing of it is there, or a beginning of it. It may be on its
	// way, or the field takes no more, or not such a text.
	partly
	// mistyped: characters in the midst were lost, altered or changed places.
	mistyped
)

// judge compares a field's text before and after something was typed into it,
// wherever in it and in place of whatever was selected. It is the one place
// that decides what proves that something was mistyped. The text is found in
// the field in the way that leaves the fewest characters lost; mistyped is
// then what lost or altered any, but for
//
//   - a tail that is missing: the field may have a greatest length, and the
//     text may still be arriving;
//   - line ends and tabs, with which fields do other things;
//   - texts of digits and signs, which fields write as numbers and dates, and
//     what is no digit in a field that then holds only such;
//   - punctuation that is missing throughout: the field does not take it;
//   - the case of letters where all are capitals, all are small, or words begin
//     with a capital now;
//   - typographic variants: quotes, dashes, ellipses, full-width letters;
//   - dots or stars in place of every character.
//
// Characters that were added (completions, closing brackets, indentation,
// separators) are no error anywhere.
func judge(before, after, typed string) (arrival, []fault) {
	b, a, t := plainRunes(before), plainRunes(after), plainRunes(typed)
	if holds(b, a, t) {
		return cameBack, nil
	}
	if short := withoutBreaks(t); len(short) < len(t) && len(short) > 0 && holds(b, a, short) {
		return reshaped, nil
	}
	in := insertion(b, a, len(t))
	inserted := in.runes[in.begin:in.end]
	if len(inserted) == 0 || masked(inserted, t) || len(t)*len(in.runes) > maxCells {
		return partly, nil
	}
	faults := align(t, in)
	serious := hard(faults)
	switch {
	case len(serious) == 0 && consistentCase(t, faults):
		return reshaped, nil
	case len(serious) > 0 && tail(len(t), serious):
		return partly, nil
	case figures(t), figures(inserted) && !slices.ContainsFunc(serious, func(f fault) bool { return unicode.IsDigit(f.typed) }):
		return reshaped, nil
	}
	fits := consistentCase(t, faults)
	left := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool {
		return f.soft && fits || f.got == 0 && refusedThroughout(f.typed, t, faults)
	})
	if len(left) == 0 {
		return reshaped, nil
	}
	return mistyped, left
}

// maxCells bounds the comparison, in pairs of characters.
const maxCells = 16 << 20

// fault is a typed character that the field does not hold as it was typed.
type fault struct {
	at    int  // its place in the text, from 0
	typed rune // the character
	got   rune // what is in its place, 0 for nothing
	soft  bool // got is the same letter in the other case
}

func (f fault) String() string {
	s := fmt.Sprintf("character %d, %s, ", f.at+1, show(f.typed))
	if f.got == 0 {
		return s + "is missing"
	}
	return s + "is " + show(f.got)
}

func show(r rune) string {
	if unicode.IsPrint(r) && !unicode.IsMark(r) {
		return fmt.Sprintf("'%c' (%U)", r, r)
	}
	return fmt.Sprintf("%U", r)
}

func hard(faults []fault) []fault {
	return slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return f.soft })
}

// plainRunes are the characters of a text, in the one form that trees and
// programs are compared in: composed, line ends as line feeds, no no-break
// spaces, no places of embedded objects.
func plainRunes(s string) []rune {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u00a0", " ", "\u202f", " ", "\ufffc", "").Replace(s)
	return []rune(norm.NFC.String(s))
}

func withoutBreaks(t []rune) []rune {
	return slices.DeleteFunc(slices.Clone(t), func(r rune) bool { return r == '\n' || r == '\t' })
}

// holds reports whether after is before with a part of it, which may be empty,
// replaced by typed.
func holds(before, after, typed []rune) bool {
	p, s := commonPrefix(before, after), commonSuffix(before, after)
	// The text may begin anywhere up to p, and end at or after len(after)-s.
	first := max(0, len(after)-s-len(typed))
	for i := first; i <= min(p, len(after)-len(typed)); i++ {
		end := i + len(typed)
		if i+len(after)-end <= len(before) && slices.Equal(after[i:end], typed) {
			return true
		}
	}
	return false
}

// margin is how far around what changed the text is looked for, in characters:
// what was replaced may begin or end as the text does.
const margin = 32

// insertion is what is new in after, and what is around it.
func insertion(before, after []rune, typed int) surroundings {
	p := commonPrefix(before, after)
	s := min(commonSuffix(before, after), len(before)-p, len(after)-p)
	around := min(margin, typed)
	from, to := max(0, p-around), min(len(after), len(after)-s+around)
	return surroundings{after[from:to], p - from, len(after) - s - from}
}

func commonPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// masked reports whether a field hides what it holds.
func masked(inserted, typed []rune) bool {
	first := inserted[0]
	return strings.ContainsRune("•●∙·⬤*∗", first) && !slices.Contains(typed, first) &&
		!slices.ContainsFunc(inserted, func(r rune) bool { return r != first })
}

// tail reports whether all faults are characters missing at the end.
func tail(length int, faults []fault) bool {
	for i, f := range faults {
		if f.got != 0 || f.at != length-len(faults)+i {
			return false
		}
	}
	return true
}

// figures reports whether the text is a number, an amount, a date or a time.
func figures(t []rune) bool {
	digits := false
	for _, r := range t {
		digits = digits || unicode.IsDigit(r)
		if !unicode.IsDigit(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Sc, r) && !strings.ContainsRune(".,:;/-+−%()eE'_", r) {
			return false
		}
	}
	return digits
}

// refusedThroughout reports whether the field took the character nowhere, and
// it is one that fields refuse.
func refusedThroughout(r rune, typed []rune, faults []fault) bool {
	if r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) {
		return false
	}
	lost := 0
	for _, f := range faults {
		if f.typed == r && f.got == 0 {
			lost++
		}
	}
	for _, c := range typed {
		if c == r {
			lost--
		}
	}
	return lost == 0
}

// consistentCase reports whether letters changed their case only as a field
// does it: all to one case, or the first ones of words to capitals.
func consistentCase(typed []rune, faults []fault) bool {
	upper, lower, titled := true, true, true
	changed := map[int]rune{}
	for _, f := range faults {
		if f.soft {
			changed[f.at] = f.got
		}
	}
	if len(changed) == 0 {
		return true
	}
	for i, r := range typed {
		got, ok := changed[i]
		if !ok {
			got = r
		}
		upper = upper && got == unicode.ToUpper(got)
		lower = lower && got == unicode.ToLower(got)
		if ok && (got != unicode.ToUpper(got) && got != unicode.ToTitle(got) || i > 0 && unicode.IsLetter(typed[i-1])) {
			titled = false
		}
	}
	return upper || lower || titled
}
