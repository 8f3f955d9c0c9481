package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

// changed is what is said of a program's file that was before and is after.
func changed(t testing.TB, before, after []byte) *compare.Differences {
	t.Helper()
	good := newRun(1, func(r *results.Run) { r.Programs[0].SHA256 = compare.SHA256(before) }, results.Passed)
	now := newRun(2, func(r *results.Run) { r.Programs[0].SHA256 = compare.SHA256(after) }, results.Failed)
	c, err := compare.Compare(compare.Of(now), compare.OfRuns([]*compare.Run{compare.Of(good)}, before, after), compare.LastGood)
	if err != nil {
		t.Fatal(err)
	}
	return c.NewlyFailing[0].Changed
}

// TestSteps: a program's file is compared step by step.
func TestSteps(t *testing.T) {
	steps := func(list ...string) []byte {
		return []byte(`{"name":"x","steps":[` + strings.Join(list, ",") + `]}`)
	}
	one, two, three := `{"id":"s1","tool":"wait"}`, `{"id":"s2","target":{"title":"A"}}`, `{"id":"s3"}`
	for _, row := range []struct {
		name          string
		before, after []byte
		want          string
	}{
		{"layout", steps(one), []byte("{\n \"name\": \"x\", \"steps\": [ " + one + " ]\n}"), ""},
		{"added", steps(one, three), steps(one, two, three), "added s2 -1 1"},
		{"removed", steps(one, two, three), steps(one, three), "removed s2 1 -1"},
		{"changed", steps(one, two), steps(one, `{"id":"s2","target":{"title":"B","role":"R"}}`), "changed s2 1 1 target.role:→'R' target.title:'A'→'B'"},
		{"moved", steps(one, two, three), steps(three, one, two), "moved s3 2 0"},
		{"moved and changed", steps(one, two, three), steps(`{"id":"s3","ms":1}`, one, two), "changed s3 2 0 ms:→1"},
		{"replaced", steps(one, two), steps(one, three), "added s3 -1 1; removed s2 1 -1"},
		{"a field beside them", steps(one), []byte(`{"name":"y","steps":[` + one + `]}`), "name:'x'→'y'"},
		{"doubled ids", steps(one), steps(one, one), "added s1 (2) -1 1"},
	} {
		d := changed(t, row.before, row.after).Program
		var got []string
		for _, s := range d.Steps {
			text := fmt.Sprintf("%s %s %d %d", s.How, s.ID, s.Before, s.After)
			for _, f := range s.Fields {
				text += fmt.Sprintf(" %s:%s→%s", f.Name, f.Before, f.After)
			}
			got = append(got, text)
		}
		for _, f := range d.Fields {
			got = append(got, fmt.Sprintf("%s:%s→%s", f.Name, f.Before, f.After))
		}
		if text := strings.Join(got, "; "); text != row.want {
			t.Errorf("%s: %q, want %q", row.name, text, row.want)
		}
	}
}

// TestLines: where a content cannot be read step by step, the lines that differ
// are told, the ends of lines left out.
func TestLines(t *testing.T) {
	const good = "{\n\"name\": \"x\",\n\"version\": 1,\n\"steps\": [\n1,\n2,\n3,\n4,\n5,\n6,\n7,\n8,\n9\n]\n}\n"
	many := strings.Repeat("x\n", 30)
	for _, row := range []struct{ name, before, after, want string }{
		{"a comma that is missing", good, strings.Replace(good, "3,", "3", 1), "removed 7 3,; added 7 3"},
		{"two places", good, strings.NewReplacer("1,\n2", "1\n2", "9\n]\n}\n", "]").Replace(good), "removed 5 1,; added 5 1; removed 13 9; removed 15 }"},
		{"an empty file", "{\n", "", "removed 1 {"},
		{"from an empty file", "", "{", "added 1 {"},
		{"no line end", "a\nb", "a\nb\n", ""},
		{"other line ends", "a\r\nb\r\n", "a\nb", ""},
		{"no text", "a\n", "\xff\x00\n", "removed 1 a; added 1 \uFFFD\x00"},
		{"long", "a", strings.Repeat("é", 400), "removed 1 a; added 1 " + strings.Repeat("é", 250) + "…"},
		{"more", "a", many, "removed 1 a; " + strings.TrimSuffix(strings.Join(numbered("added %d x; ", 1, 19), ""), "; ") + " +11"},
	} {
		d := changed(t, []byte(row.before), []byte(row.after)).Program
		var got []string
		for _, l := range d.Lines {
			got = append(got, fmt.Sprintf("%s %d %s", l.How, l.Line, l.Text))
		}
		text := strings.Join(got, "; ")
		if d.MoreLines > 0 {
			text += fmt.Sprintf(" +%d", d.MoreLines)
		}
		if text != row.want || d.ContentUnknown || d.Steps != nil {
			t.Errorf("%s: %q, want %q (%+v)", row.name, text, row.want, d)
		}
	}
}

// TestTooLarge: what would take long is not compared line by line.
func TestTooLarge(t *testing.T) {
	large := []byte(strings.Repeat("\n", 512<<10+1))
	for _, contents := range [][2][]byte{{large, []byte("{")}, {[]byte("{"), large}} {
		if d := changed(t, contents[0], contents[1]).Program; !d.TooLarge || d.Lines != nil {
			t.Errorf("%t, %d lines", d.TooLarge, len(d.Lines))
		}
	}
	if d := changed(t, large[1:], []byte("{")).Program; d.TooLarge || len(d.Lines) != 20 || d.MoreLines != 512<<10+1-20 {
		t.Errorf("%t, %d lines and %d", d.TooLarge, len(d.Lines), d.MoreLines)
	}
}

// numbered is the format with each of the numbers.
func numbered(format string, from, to int) (list []string) {
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprintf(format, i))
	}
	return list
}

// TestContentUnknown: a content that nobody has at hand is not compared.
func TestContentUnknown(t *testing.T) {
	good := newRun(1, func(r *results.Run) { r.Programs[0].SHA256 = "aa" }, results.Passed)
	now := newRun(2, func(r *results.Run) { r.Programs[0].SHA256 = "bb" }, results.Invalid)
	d := compared(t, now, good).NewlyFailing[0].Changed
	if d.Program == nil || !d.Program.ContentUnknown || d.Program.Lines != nil || d.ProgramUnknown {
		t.Errorf("%+v", d.Program)
	}
}

// TestDifferences: packages, environment and commits since the last good run.
func TestDifferences(t *testing.T) {
	good := newRun(1, func(r *results.Run) {
		r.Environment.Packages = []results.Package{{Name: "app", Version: "1"}, {Name: "gone", Version: "1"}, {Name: "same", Version: "1"}}
		r.Environment.Locale, r.Environment.Commit = "C", "aaaa"
		r.Programs[0].CodeSHA256 = "0123456789abcdef"
		r.Programs[0].Attempts[0].Session = &results.Session{Isolation: "bwrap"}
	}, results.Passed)
	// What lies between does not count: it is about the program's own last good run.
	between := newRun(2, func(r *results.Run) { r.Environment.Locale = "fr" }, results.Failed)
	now := newRun(3, func(r *results.Run) {
		r.Environment.Packages = []results.Package{{Name: "app", Version: "2"}, {Name: "new", Version: "3"}, {Name: "same", Version: "1"}}
		r.Environment.Locale, r.Environment.Commit, r.Environment.Dirty = "de", "bbbb", true
		r.Programs[0].Attempts[0].Session = &results.Session{Isolation: "none"}
	}, results.Failed)
	d := compared(t, now, between, good).StillFailing[0].Changed
	if got, want := fmt.Sprint(d.Packages), "[{app 1 2} {gone 1 } {new  3}]"; got != want {
		t.Errorf("packages %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(d.Environment), "[{code of the scripts 0123456789 none} {isolation bwrap none} {locale C de}]"; got != want {
		t.Errorf("environment %s, want %s", got, want)
	}
	if got, want := d.Commits.String(), "aaaa..bbbb and changes that are in no commit"; got != want {
		t.Errorf("commits %q, want %q", got, want)
	}
	if d.Since.ID != "run-01" || d.PackagesUnknown || d.ProgramUnknown || d.Program != nil || d.Empty() {
		t.Errorf("%+v", d)
	}
	now.Environment.Packages = nil
	if d := compared(t, now, good).NewlyFailing[0].Changed; !d.PackagesUnknown || d.Packages != nil {
		t.Errorf("packages that nobody noted: %+v", d)
	}
}

// FuzzFile: whatever two contents of a program are, a difference is found
// between different JSON, and none within one.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"steps":[{"id":"s1"},{"id":"s2"}]}`), []byte(`{"steps":[{"id":"s2"},{"id":"s1","x":{"y":null}}]}`))
	f.Add([]byte(`{"steps":[1,null,[]]}`), []byte("\xef\xbb\xbf{\"steps\":[{\"id\":3}],\"a\":{}}"))
	f.Add([]byte(``), []byte(`[]`))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if string(before) == string(after) {
			return
		}
		d := changed(t, before, after)
		if d.Program == nil {
			t.Fatal("different contents are the same")
		}
		for _, s := range d.Program.Steps {
			if s.Before < 0 && s.After < 0 {
				t.Errorf("step %+v was never there", s)
			}
		}
		for _, l := range d.Program.Lines {
			content := before
			if l.How == compare.StepAdded {
				content = after
			}
			lines := strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
			if l.Line < 1 || l.Line > len(lines) {
				t.Fatalf("line %+v is not in the file", l)
			}
			line := strings.ToValidUTF8(lines[l.Line-1], "\uFFFD")
			if !strings.HasPrefix(line, strings.TrimSuffix(l.Text, "…")) && line != l.Text {
				t.Errorf("line %+v is %q", l, line)
			}
		}
	})
}
