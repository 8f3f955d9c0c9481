package markdown

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opendesk/opendesk/results"
)

// code is a foreign text of at most limit bytes in one line, as a code span:
// nothing in it is Markdown, a link, or the name of somebody to be notified.
func code(text string, limit int) string {
	text = cut(oneLine(cut(text, 4*limit)), limit)
	if text == "" {
		return "(nothing)"
	}
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return fence + text + fence
}

// longestRun is the length of the longest run of the character.
func longestRun(text string, c byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// oneLine is a clean text in one line with trimmed ends.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// clean replaces what shows nothing, or what makes text show in another order:
// controls other than line feeds, and formatting characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u200d': // within emoji
			return r
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			return '\uFFFD'
		}
		return r
	}, text)
}

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

func escapeHTML(text string) string { return htmlEscapes.Replace(text) }

// cut is the text up to limit bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return results.Clip(text, limit) + "…"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func seconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }
