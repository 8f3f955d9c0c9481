package console

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"Żółć 中文 🙂":           "Żółć 中文 🙂",
		"\x1b[2J":             `\x1b[2J`,
		"a\nb\tc\rd":          `a\nb\tc\rd`,
		"\u009b31m":           `\x9b31m`,
		"\u202eexe.png":       `\u202eexe.png`,
		"zero\u200bwidth":     `zero\u200bwidth`,
		"line\u2028separator": `line\u2028separator`,
		"\xff\xfe":            `\xff\xfe`,
		"tag\U000e0041":       `tag\U000e0041`,
		"\ufffe":              `\ufffe`,
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := clean(strings.Repeat("x", maxText+7)); !strings.HasSuffix(got, "x [7 more bytes]") {
		t.Errorf("a long text ends in %q", got[len(got)-20:])
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly10!", 10, "exactly10!"},
		{"longer than that", 10, "longer ..."},
		{"中文中文中文", 8, "中文..."},
		{"abc", 2, ".."},
		{"abc", 0, ""},
		{"abc", -1, ""},
	} {
		if got := fit(tt.in, tt.limit); got != tt.want || columns(got) > max(tt.limit, 0) {
			t.Errorf("fit(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for ms, want := range map[int64]string{
		-5: "0.0s", 0: "0.0s", 380: "0.4s", 59_949: "59.9s", 59_950: "1m00s", 185_400: "3m05s",
	} {
		if got := seconds(ms); got != want {
			t.Errorf("seconds(%d) = %s, want %s", ms, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]0;x\x07\u202e\xff\U000e0001", 7)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		out := fit(clean(s), limit)
		if !utf8.ValidString(out) || columns(out) > max(limit, 0) {
			t.Fatalf("%q does not fit %d columns", out, limit)
		}
		for _, r := range out {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q is left in %q", r, out)
			}
		}
	})
}
