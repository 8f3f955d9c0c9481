package console

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// maxText is how many characters of one text are shown.
const maxText = 2000

// clean makes a text safe to print in one line: control characters, escape
// sequences, marks that turn or hide text, and what is no character are
// shown as escapes (\x1b, \u202e), so that no text can drive the terminal or
// look like another.
func clean(s string) string {
	var b strings.Builder
	for n := 0; len(s) > 0; n++ {
		if n == maxText {
			fmt.Fprintf(&b, " [%d more bytes]", len(s))
			break
		}
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), r&0xfffe == 0xfffe:
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// cleanLines splits a text into lines that are safe to print.
func cleanLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = clean(strings.TrimRight(line, "\r"))
	}
	return lines
}

// columns is how many columns of a terminal a clean text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1F300 && r <= 0x1FAFF:
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// fit cuts a clean text to so many columns.
func fit(s string, limit int) string {
	if columns(s) <= limit {
		return s
	}
	n := 0
	for i, r := range s {
		if n += runeColumns(r); n > limit-3 {
			return s[:i] + "..."[:min(3, max(limit, 0))]
		}
	}
	return s
}

// pad fills a clean text up to so many columns.
func pad(s string, to int) string {
	return s + strings.Repeat(" ", max(to-columns(s), 0))
}

// seconds writes milliseconds as people read them: 0.4s, 12.6s, 3m05s.
func seconds(ms int64) string {
	ms = max(ms, 0)
	if ms < 59_950 {
		return fmt.Sprintf("%.1fs", float64(ms)/1000)
	}
	s := (ms + 500) / 1000
	return fmt.Sprintf("%dm%02ds", s/60, s%60)
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// noCommand is the line so that it is no command to the runner of GitHub or
// Azure: one that begins with two colons or ##[, whoever wrote it.
func noCommand(line string) string {
	text := strings.TrimLeft(line, " ")
	if strings.HasPrefix(text, "::") || strings.HasPrefix(text, "##[") {
		return line[:len(line)-len(text)] + "| " + text
	}
	return line
}
