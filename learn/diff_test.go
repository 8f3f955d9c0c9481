package learn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
)

// parse makes a program of letters: each is a step that types it, with its id
// behind a colon where that is not its place.
func parse(t *testing.T, letters string) *program.Program {
	t.Helper()
	var steps []string
	for i, word := range strings.Fields(letters) {
		text, id, named := strings.Cut(word, ":")
		if !named {
			id = fmt.Sprintf("s%d", i+1)
		}
		steps = append(steps, fmt.Sprintf(`{"id": %q, "tool": "ui", "params": {"action": "type", "text": %q}}`, id, text))
	}
	p, problems := program.Parse("x", []byte(`{"name": "x", "version": 1, "steps": [`+strings.Join(steps, ",")+`]}`))
	if p == nil {
		t.Fatal(problems)
	}
	return p
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ recorded, own, want string }{
		{"a b c", "a b c", "a=a b=b c=c"},
		{"a b c", "a c:s3", "a=a b- c=c"},
		{"a b c", "a b x:s9 c:s3", "a=a b=b +x c=c"},
		{"a b c", "a x:s2 c:s3", "a=a b~x c=c"},
		{"a b", "x:s7 y:s8", "a- b- +x +y"},
		{"a b c", "c:s1 b:s2 a:s3", "a- b- c=c +b +a"},
		// An id that is the same does not pair steps across others.
		{"a b c d", "x:s3 y:s2 d:s4", "a- +x b~y c- d=d"},
	} {
		t.Run(c.recorded+" "+c.own, func(t *testing.T) {
			var got []string
			a, b := parse(t, c.recorded), parse(t, c.own)
			left, right := 0, 0
			for _, d := range learn.Diff(a, b) {
				switch {
				case d.Side == learn.OnlyInRecorded:
					got = append(got, d.Recorded.Text("text")+"-")
				case d.Side == learn.OnlyInProgram:
					got = append(got, "+"+d.Program.Text("text"))
				case d.Same():
					got = append(got, d.Recorded.Text("text")+"="+d.Program.Text("text"))
				default:
					got = append(got, d.Recorded.Text("text")+"~"+d.Program.Text("text"))
				}
				if d.Recorded != nil {
					left++
				}
				if d.Program != nil {
					right++
				}
			}
			if left != len(a.Steps) || right != len(b.Steps) {
				t.Errorf("%d and %d steps of %d and %d", left, right, len(a.Steps), len(b.Steps))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, " "), c.want)
			}
		})
	}
}
