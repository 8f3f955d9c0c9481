package input

import (
	"unicode"
	"unicode/utf8"
)

// chordKey is the key's name in a chord with modifiers, where a capital letter
// means the letter's key, as in menus: Ctrl+S is not Ctrl+Shift+S.
func chordKey(key string, modifiers []string) string {
	r, n := utf8.DecodeRuneInString(key)
	if n > 0 && n == len(key) && len(modifiers) > 0 {
		return string(unicode.ToLower(r))
	}
	return key
}
