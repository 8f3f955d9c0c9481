package results

import "testing"

func TestProblemTexts(t *testing.T) {
	warning := Problem{Severity: "warning", File: "a.program.json", Line: 2, Column: 7, JSONPath: "steps[1]", Message: "is odd"}
	broken := Problem{Severity: "error", File: "a.program.json", Message: "cannot be read"}
	for _, c := range []struct{ got, want string }{
		{warning.Place(), "a.program.json:2:7"}, {warning.Text(), "steps[1] is odd"},
		{broken.Place(), "a.program.json"}, {broken.Text(), "cannot be read"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	p := Program{Problems: []Problem{warning, broken, broken}}
	if p.FirstError() != &p.Problems[1] {
		t.Error(p.FirstError())
	}
	p.Problems = p.Problems[:1]
	if p.FirstError() != nil {
		t.Error(p.FirstError())
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"abc", -1, ""},
		{"aé", 2, "a"}, {"aé", 3, "aé"}, {"é", 1, ""}, {"\U0001F600x", 4, "\U0001F600"}, {"\x80\x80\x80", 2, ""},
	} {
		if got := Clip(c.text, c.limit); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}
