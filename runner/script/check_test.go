package script

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, source string
		line, column int
		message      string // "" for no problem
	}{
		{"right", "def f(x):\n    return x + 1\n", 0, 0, ""},
		{"empty", "", 0, 0, ""},
		{"nothing is executed", "raise SystemExit(3)\n", 0, 0, ""},
		{"nothing is written out", "print('x')\n", 0, 0, ""},
		{"syntax", "x = 1\ny = = 2\n", 2, 5, "invalid syntax"},
		{"indentation", "def f():\nreturn 1\n", 2, 1, "expected an indented block"},
		{"no UTF-8", "s = '\xff'\n", 0, 0, "utf-8"},
		{"zero byte", "x = 1\x00\n", 0, 0, "null byte"},
		{"declared encoding", "# -*- coding: latin-1 -*-\ns = '\xe9'\n", 0, 0, ""},
		{"a return outside", "return 1\n", 1, 1, "outside function"},
		{"deep", strings.Repeat("(", 5000), 1, 0, "too many nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems, err := Check(t.Context(), "main.py", []byte(c.source))
			if err != nil {
				t.Fatal(err)
			}
			if c.message == "" {
				if len(problems) > 0 {
					t.Fatalf("got %+v", problems)
				}
				return
			}
			if len(problems) != 1 {
				t.Fatalf("got %+v", problems)
			}
			p := problems[0]
			if !strings.Contains(p.Message, c.message) || c.line > 0 && p.Line != c.line || c.column > 0 && p.Column != c.column {
				t.Errorf("got %+v", p)
			}
		})
	}
}
