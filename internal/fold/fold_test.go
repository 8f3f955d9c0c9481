package fold_test

import (
	"testing"

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
	} {
		if got := fold.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
		if again := fold.Text(fold.Text(in)); again != fold.Text(in) {
			t.Errorf("Text is not idempotent on %q: %q", in, again)
		}
	}
}

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"_File":       "file",
		"Save _As":    "save as",
		"snake_case":  "snake_case",
		"a__b":        "a_b",
		"_Retry":      "retry",
		"_a _b":       "_a _b",
		"trailing_":   "trailing_",
		"Export To":   "export to",
		"my_var_name": "my_var_name",
	} {
		if got := fold.Title(in); got != want {
			t.Errorf("Title(%q) = %q, want %q", in, got, want)
		}
	}
}
