package program

import (
	"fmt"
	"strings"
	"unicode"
)

// shellQuote makes one word of a text for a POSIX shell. A text of characters
// that show stands in single quotes; any other is printed by printf, so that
// the line can be looked at and pasted. It must not hold a NUL character, which
// no command takes.
func shellQuote(s string) string {
	plain, shows := s != "", true
	for _, r := range s {
		plain = plain && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_-./=:,+@%", r))
		shows = shows && unicode.IsPrint(r) && r != unicode.ReplacementChar
	}
	switch {
	case plain:
		return s
	case shows:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	// The shell drops line breaks at the end of what a command prints.
	printed := strings.TrimRight(s, "\n")
	ends := s[len(printed):]
	var b strings.Builder
	for i := range len(printed) {
		c := printed[i]
		if c >= ' ' && c < 0x7F && c != '\'' && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\0%03o`, c)
		}
	}
	word := `"$(printf %b '` + b.String() + `')"`
	if ends != "" {
		word += "'" + ends + "'"
	}
	return word
}
