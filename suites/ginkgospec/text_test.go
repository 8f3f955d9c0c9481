package ginkgospec

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/onsi/ginkgo/v2/formatter"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		`C:\temp "Ünïcode" 日本 'x'`:     `C:\temp "Ünïcode" 日本 'x'`,
		"a\nb\tc":                      `a\nb\tc`,
		"\x1b[31mred\x00\u202e\xff":    `\x1b[31mred\x00\u202e\xff`,
		"{{red}} {{{bold}}} {x} {{}}{": "{ {red}} { { {bold}}} {x} { {}}{",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) is %q, not %q", text, got, want)
		}
	}
}

// FuzzPlain: Ginkgo's formatter leaves a plain text as it is.
func FuzzPlain(f *testing.F) {
	f.Add("{{red}}x{{{/}}}\x1b[0m")
	none := formatter.New(formatter.ColorModeNone)
	f.Fuzz(func(t *testing.T, text string) {
		p := plain(text)
		if got := none.F("%s", p); got != p {
			t.Errorf("%q is shown as %q", p, got)
		}
	})
}

// FuzzEscapeGlob: the glob of a path matches that path.
func FuzzEscapeGlob(f *testing.F) {
	f.Add(`.opendesk/learned/a[b]{c,d}*?\.program.json`)
	f.Fuzz(func(t *testing.T, path string) {
		glob := escapeGlob(path)
		if !doublestar.ValidatePattern(glob) || !doublestar.MatchUnvalidated(glob, path) {
			t.Errorf("%q does not match %q", glob, path)
		}
	})
}
