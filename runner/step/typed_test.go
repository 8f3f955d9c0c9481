package step

import (
	"fmt"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	long := strings.Repeat("Zażółć gęślą jaźń 😀 漢字. ", 80)
	for _, row := range []struct {
		before, after, typed string
		want                 arrival
		faults               string
	}{
		// It is there.
		{"", "héllo 😀", "héllo 😀", cameBack, ""},
		{"abc", "abXYc", "XY", cameBack, ""},
		{"abc", "XYabc", "XY", cameBack, ""},
		{"aaa", "aaaaa", "aa", cameBack, ""},
		{"hello", "help", "help", cameBack, ""},   // in place of what was selected
		{"same", "same", "same", cameBack, ""},    // likewise
		{"abc", "aXc", "X", cameBack, ""},         // overwriting
		{"x", "xe\u0301", "é", cameBack, ""},      // composed or not
		{"", "a\u2029b", "a\r\nb", cameBack, ""},  // line ends
		{"", "1\u202f000", "1 000", cameBack, ""}, // no-break spaces
		{long, long + long, long, cameBack, ""},   // repeats itself
		{"old text", "old ab text", "ab ", cameBack, ""},

		// It is on its way, or the field takes no more, or nothing.
		{"", "", "abc", partly, ""},
		{"abc", "abc", "xyz", partly, ""},
		{"", "hel", "hello", partly, ""},
		{"12", "123", "345", partly, ""},
		{"", "1.5", "1.50", partly, ""},
		{"", "•••••", "hello", partly, ""},
		{"", "*****", "hello", partly, ""},
		{"", long[:len(long)/2], long, partly, ""},

		// The application makes something of it.
		{"", "HELLO", "hello", reshaped, ""},
		{"", "Hello World", "hello world", reshaped, ""},
		{"", "hello", "HeLLo", reshaped, ""},
		{"", "f(x)", "f(x", reshaped, ""},
		{"", "foo {\n    bar\n    }", "foo {\nbar\n}", reshaped, ""},
		{"", "hello.txt", "hel", reshaped, ""},
		{"", "ab", "a\tb", reshaped, ""},
		{"", "search", "search\n", reshaped, ""},
		{"", "“it’s” –", "\"it's\" -", reshaped, ""},
		{"", "1,234.50", "1234.5", reshaped, ""},
		{"", "1.500", "1.50", reshaped, ""},
		{"", "0.50", "00.50", reshaped, ""},
		{"", "2024-01-02", "1/2/24", reshaped, ""},
		{"", "12", "a1b2c", reshaped, ""},
		{"", "0301234", "(030) 12-34", reshaped, ""},
		{"", "report2024.txt", "report/2024.txt", reshaped, ""},

		// Characters were lost, altered, or changed places.
		{"", "Zażłć gęślą", "Zażółć gęślą", mistyped, "character 4, 'ó' (U+00F3), is missing"},
		{"", "caf noir", "café noir", mistyped, "character 4, 'é' (U+00E9), is missing"},
		{"", "helo world", "hello world", mistyped, "character 3, 'l' (U+006C), is missing"},
		{"", "hello 漢", "hello 😀漢", mistyped, "character 7, '😀' (U+1F600), is missing"},
		{"", "hello 漢漢", "hello 漢字", mistyped, "character 8, '字' (U+5B57), is '漢' (U+6F22)"},
		{"", "qwertz", "qwerty", mistyped, "character 6, 'y' (U+0079), is 'z' (U+007A)"},
		{"", "hEllo", "hello", mistyped, "character 2, 'e' (U+0065), is 'E' (U+0045)"},
		{"", "a.b,c", "a.b.c", mistyped, "character 4, '.' (U+002E), is ',' (U+002C)"},
		{"", "abdc", "abcd", mistyped, "character 3, 'c' (U+0063), is missing"},
		{"before after", "before teX after", "text ", mistyped, "character 3, 'x' (U+0078), is 'X' (U+0058)"},
		{"old", "od txt", "new text", mistyped, ""},
	} {
		got, faults := judge(row.before, row.after, row.typed)
		said := ""
		if len(faults) > 0 {
			said = faults[0].String()
		}
		if got != row.want || row.faults != "" && said != row.faults {
			t.Errorf("%.20q to %.30q by %.20q: %d %.60s, want %d %s", row.before, row.after, row.typed, got, said, row.want, row.faults)
		}
	}
}

// One lost or altered character in a long text is found wherever it is, but
// not at the end, where it may be on its way.
func TestJudgeFindsEachLoss(t *testing.T) {
	text := []rune(strings.Repeat("Zażółć gęślą jaźń 漢字 abc. ", 8))
	for i := range len(text) - 1 {
		if strings.ContainsRune(" .", text[i]) || text[i] == text[i+1] {
			continue
		}
		lost := string(text[:i]) + string(text[i+1:])
		if got, faults := judge("", lost, string(text)); got != mistyped || len(faults) != 1 {
			t.Fatalf("character %d lost: %d %v", i+1, got, faults)
		}
		altered := string(text[:i]) + "ŵ" + string(text[i+1:])
		if got, faults := judge("in the middle", "in the "+altered+"middle", string(text)); got != mistyped || faults[0].at != i {
			t.Fatalf("character %d altered: %d %v", i+1, got, faults)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("before", "be", "typed", 3, 1)
	f.Add("", "", "é\r\n\t😀", 0, 0)
	f.Fuzz(func(t *testing.T, before, other, typed string, at, selected int) {
		runes := plainRunes(before)
		if len(runes) > 500 || len(typed) > 500 || len(other) > 500 {
			return
		}
		at = min(max(at, 0), len(runes))
		end := min(at+max(selected, 0), len(runes))
		after := string(runes[:at]) + typed + string(runes[end:])
		if len(plainRunes(after)) == at+len(plainRunes(typed))+len(runes)-end {
			if got, _ := judge(string(runes), after, typed); got != cameBack {
				t.Errorf("%q to %q by %q: %d", before, after, typed, got)
			}
		}
		got, faults := judge(before, other, typed)
		if (got == mistyped) != (len(faults) > 0) {
			t.Errorf("%q to %q by %q: %d with %v", before, other, typed, got, faults)
		}
		for _, f := range faults {
			_ = fmt.Sprint(f)
			if f.at < 0 || f.at >= len(plainRunes(typed)) {
				t.Errorf("%q to %q by %q: %v", before, other, typed, f)
			}
		}
	})
}
