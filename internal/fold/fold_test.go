package fold_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/opendesk/opendesk/internal/fold"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"  Save\u00a0As… ":         "save as...",
		"New      ":                "new",
		"STRASSE":                  "strasse",
		"Straße":                   "strasse",
		"e\u0301":                  "é",
		"a\u200bb\u202a":           "ab",
		"tab\tand\nline":           "tab and line",
		"x\x1b[0m":                 "x[0m",
		"\ufb01le":                 "file",
		"1 + 2\u2009=\u2009\u221a": "1 + 2 = √",
		"İstanbul":                 "i\u0307stanbul",
		"Ｓａｖｅ":                     "save",
		"ΣΊΣΥΦΟΣ":                  "σίσυφοσ",
		// What means something else stays apart.
		"x²":       "x²",
		"H₂O":      "h₂o",
		"½":        "½",
		"①":        "①",
		"10ˣ":      "10ˣ",
		"Nº 5":     "nº 5",
		"E\u0301²": "é²",
		"_File":    "_file",
		"3−5":      "3−5",
		"Don’t":    "don’t",
	} {
		if got := fold.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"_File":           "file",
		"&File":           "file",
		"Save _As":        "save as",
		"Save &As…":       "save as...",
		"(_A) File":       "(a) file",
		"_Öffnen":         "öffnen",
		"snake_case":      "snake_case",
		"R&D":             "r&d",
		"Salt & Pepper":   "salt & pepper",
		"Find && Replace": "find & replace",
		"a__b":            "a_b",
		"_Retry":          "retry",
		"_a _b":           "_a _b",
		"trailing_":       "trailing_",
		"_":               "_",
		"&":               "&",
		"Export To":       "export to",
		"my_var_name":     "my_var_name",

		"Save\tCtrl+S":             "save",
		"New      Ctrl+N":          "new",
		"New      ":                "new",
		"Clear…\tF8":               "clear...",
		"Redo\tCtrl+Shift+Z":       "redo",
		"_Save As…   Shift+Ctrl+S": "save as...",
		"Speichern\tStrg+S":        "speichern",
		"Quit  <Primary>q":         "quit",
		"Close\t⌘W":                "close",
		"Zoom In\tCtrl++":          "zoom in",
		"Delete  Del":              "delete",
		"Next  Ctrl+Page Down":     "next",
		// No columns, or none with a shortcut.
		"Press Ctrl+S":    "press ctrl+s",
		"Total  250":      "total 250",
		"A  B+C":          "a b+c",
		"Name\tSize":      "name size",
		"\tCtrl+S":        "ctrl+s",
		"a  Sum of x + y": "a sum of x + y",
	} {
		if got := fold.Title(in); got != want {
			t.Errorf("Title(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSigns(t *testing.T) {
	for in, want := range map[string]string{
		"":              "",
		"plain":         "plain",
		"3−5":           "3-5",
		"no\u2011break": "no-break",
		"don’t":         "don't",
		"“a”":           `"a"`,
		"∗":             "*",
		"1∕2":           "1/2",
		// Not the same signs.
		"×": "×",
		"÷": "÷",
		"–": "–",
		"—": "—",
		"·": "·",
	} {
		if got := fold.Signs(in); got != want {
			t.Errorf("Signs(%q) = %q, want %q", in, got, want)
		}
	}
}

// What is folded stays as it is, and a letter is the same in either case.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := fold.Text(string(r))
		if again := fold.Text(text); again != text {
			t.Errorf("U+%04X: %q, then %q", r, text, again)
		}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if got := fold.Text(string(other)); got != text {
				t.Errorf("U+%04X is %q, U+%04X is %q", r, text, other, got)
			}
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Save\u00a0As…", "_File", "x²", "İ", "New   Ctrl+N", "&&", "\xff_a", "ﷺ", "²\u0301", "ǰ\u0323²", "K", "ˆ\u0345", "A\x03\u0307", "Ꮲ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := fold.Text(s)
		if again := fold.Text(text); utf8.ValidString(s) && again != text {
			t.Errorf("Text is not idempotent on %q: %q, then %q", s, text, again)
		}
		if title := fold.Title(s); fold.Text(title) != title && utf8.ValidString(s) {
			t.Errorf("Title(%q) = %q is not folded", s, title)
		}
		if signs := fold.Signs(text); fold.Signs(signs) != signs {
			t.Errorf("Signs is not idempotent on %q", text)
		}
	})
}
