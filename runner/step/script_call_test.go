package step

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
)

// FuzzCall: whatever a script sends, it is a step that a program could have, or
// it is refused; and a text is typed as it is.
func FuzzCall(f *testing.F) {
	for _, line := range []string{
		`{"tool": "ui", "action": "click", "params": {}, "target": {"app": "a", "title": "b"}, "timeout_ms": 5}`,
		`{"tool": "clipboard", "action": "write", "params": {"text": "$${ ${env:A} ${ $$${"}}`,
		`{"tool": "wait", "params": {"ms": 1e99}}`, `{"tool": "script", "params": {"file": "main.py"}}`,
		`{"tool": "ui", "action": "type", "params": {"text": "a", "action": "click"}}`, `[]`, `{"tool": 1}`, "",
	} {
		f.Add([]byte(line))
	}
	c := newCalls(&Env{}, program.Step{ID: "s7", Index: 6, Line: 9, Column: 3})
	f.Fuzz(func(t *testing.T, line []byte) {
		var r request
		if json.Unmarshal(line, &r) != nil {
			return
		}
		s, err := c.asStep(r)
		if err != nil {
			if err.Error() == "" {
				t.Error("refused without a word")
			}
			return
		}
		tool, known := tools.Lookup(s.Tool)
		if !known || tool.InProgram || s.ID != "s7" || s.Index != 6 || s.Postcondition != nil || s.Wait != 0 {
			t.Errorf("%s makes %+v", line, s)
		}
		text, given := r.Params["text"].(string)
		real := s.Expanded(func(string) string { t.Error("a variable in a script's text"); return "" })
		if given && real.Given("text") && real.Text("text") != text {
			t.Errorf("%q is typed as %q", text, real.Text("text"))
		}
	})
}

// TestCallsAfterTheEnd: what is left of a script that was ended does nothing.
func TestCallsAfterTheEnd(t *testing.T) {
	c := newCalls(&Env{}, program.Step{ID: "s1"})
	c.end()
	answer := c.handle(context.Background(), []byte(`{"tool": "files", "action": "find"}`))
	if !strings.Contains(string(answer), "the script has ended") || c.counts() != nil {
		t.Errorf("%s, %v", answer, c.counts())
	}
}

// TestLongAnswers are refused, not cut: half a tree would look like a whole one.
func TestLongAnswers(t *testing.T) {
	answer := encode(reply{Value: strings.Repeat("x", 2<<20)})
	if len(answer) > 1000 || !strings.Contains(string(answer), "the answer is too long") {
		t.Errorf("%.200s", answer)
	}
}
