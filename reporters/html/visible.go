package html

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opendesk/opendesk/results"
)

// maxText is how much of a text is shown, in bytes: a report is for reading.
const maxText = 16 << 10

// clean makes visible what would hide or reorder text, and cuts what nobody
// reads to its end. Line feeds and tabs stay.
func clean(s string) string {
	if !harmless(s) {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == '\n' || r == '\t':
				return r
			case r < 0x20:
				return '␀' + r // the character's own picture
			case r == 0x7f:
				return '␡'
			case hides(r) || r >= 0x80 && r < 0xa0 || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef:
				return utf8.RuneError
			}
			return r
		}, strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\ufffd"))
	}
	if len(s) <= maxText {
		return s
	}
	kept := results.Clip(s, maxText)
	return fmt.Sprintf("%s… (%d more bytes stand in results.json)", kept, len(s)-len(kept))
}

// harmless says quickly that a text has nothing to be made visible.
func harmless(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// hides says whether the character changes the order of others, or shows
// nothing at all. Joiners stay: scripts and emoji need them.
func hides(r rune) bool {
	const joiner, nonJoiner, softHyphen = '\u200d', '\u200c', '\u00ad'
	return r != joiner && r != nonJoiner && r != softHyphen && unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) || r == '\u2028' || r == '\u2029'
}

// visible is a copy whose texts are all clean.
func visible[T results.Run | results.Program](of *T) *T {
	return cleaned(reflect.ValueOf(of)).Interface().(*T)
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// cleaned is a deep copy of v with clean texts.
func cleaned(v reflect.Value) reflect.Value {
	fresh := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		fresh.SetString(clean(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			fresh.Set(reflect.New(v.Type().Elem()))
			fresh.Elem().Set(cleaned(v.Elem()))
		}
	case reflect.Slice:
		if v.Type() == rawJSON || v.IsNil() {
			return v // what is JSON is laid out, then cleaned, where it is shown
		}
		fresh.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			fresh.Index(i).Set(cleaned(v.Index(i)))
		}
	case reflect.Struct:
		fresh.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fresh.Field(i).Set(cleaned(v.Field(i)))
			}
		}
	default:
		return v
	}
	return fresh
}
