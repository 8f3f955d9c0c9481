package program

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

const oneStep = `{"version": 1, "steps": [{"id": "s1", "tool": "wait"}]}`

func TestParseGivesTheProgram(t *testing.T) {
	data := []byte(`{
  "name": "n", "version": 1, "description": "d", "source": "agent", "strict": true, "locked": true,
  "steps": [
    {"id": "a", "tool": "ui", "params": {"action": "click", "app": "gedit", "title": "Save", "role": null, "settle_ms": 5, "window_index": 2}},
    {"id": "b", "tool": "mouse", "params": {"action": "scroll", "direction": "DOWN", "amount": 2, "nothing": 1},
     "target": {"app": "gedit", "role": "text"}, "wait_ms": 250, "resolve_timeout_ms": 0, "note": "n", "locked": true,
     "postcondition": {"kind": "element_exists", "value": "Save", "timeout_ms": 100}},
    {"id": "c", "tool": "keyboard", "params": {"action": "hotkey", "keys": ["ctrl", "s"]},
     "postcondition": {"kind": "text_visible", "value": "żółw"}},
    {"id": "d", "tool": "wait"}
  ]
}
`)
	prog, problems := Parse(".opendesk/learned/n.program.json", data)
	if prog == nil {
		t.Fatal(problems)
	}
	raw := func(i int) []byte {
		lines := strings.Split(string(data), "\n")
		return []byte([]string{
			strings.TrimSuffix(strings.TrimSpace(lines[3]), ","),
			strings.TrimSuffix(strings.TrimSpace(strings.Join(lines[4:7], "\n")), ","),
			strings.TrimSuffix(strings.TrimSpace(strings.Join(lines[7:9], "\n")), ","),
			`{"id": "d", "tool": "wait"}`,
		}[i])
	}
	want := &Program{
		Path: ".opendesk/learned/n.program.json", Name: "n", Description: "d", Source: "agent", Strict: true, Locked: true, Raw: data,
		Steps: []Step{
			{ID: "a", Index: 0, Line: 4, Column: 5, Tool: "ui", Action: "click", Params: map[string]any{"window_index": 2.0},
				Target: &Target{App: "gedit", Title: "Save"}, ResolveTimeout: 5 * time.Second, Raw: raw(0)},
			{ID: "b", Index: 1, Line: 5, Column: 5, Tool: "mouse", Action: "scroll", Params: map[string]any{"direction": "down", "amount": 2.0},
				Target: &Target{App: "gedit", Role: "text"}, Wait: 250 * time.Millisecond, Note: "n", Locked: true, Raw: raw(1),
				Postcondition: &Postcondition{Kind: ElementExists, Value: "Save", Element: &Target{Title: "Save"},
					Timeout: 100 * time.Millisecond, Line: 7, Column: 23}},
			{ID: "c", Index: 2, Line: 8, Column: 5, Tool: "keyboard", Action: "hotkey", Params: map[string]any{"keys": []any{"ctrl", "s"}},
				ResolveTimeout: 5 * time.Second, Raw: raw(2),
				Postcondition: &Postcondition{Kind: TextVisible, Value: "żółw", Timeout: 5 * time.Second, Line: 9, Column: 23}},
			{ID: "d", Index: 3, Line: 10, Column: 5, Tool: "wait", Params: map[string]any{}, ResolveTimeout: 5 * time.Second, Raw: raw(3)},
		},
	}
	if !reflect.DeepEqual(prog, want) {
		t.Errorf("got  %+v\nwant %+v", prog, want)
	}
}

func TestParseKeepsNothingOfTheCallersBytes(t *testing.T) {
	data := []byte(oneStep)
	prog, _ := Parse("x", data)
	clear(data)
	if string(prog.Raw) != oneStep || string(prog.Steps[0].Raw) != `{"id": "s1", "tool": "wait"}` {
		t.Errorf("the program changed with the caller's bytes: %q", prog.Raw)
	}
}

func TestByteOrderMark(t *testing.T) {
	bom := "\xEF\xBB\xBF"
	prog, problems := Parse("x", []byte(bom+oneStep))
	if prog == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	if prog.Steps[0].Column != 26 || !bytes.HasPrefix(prog.Raw, []byte(bom)) {
		t.Errorf("column %d, raw %q", prog.Steps[0].Column, prog.Raw[:5])
	}
	for text, want := range map[string]string{
		bom + `{"version": 2, "steps": [{"id": "s1", "tool": "wait"}]}`: "x:1:13: version must be 1, not 2: this opendesk reads no other version",
		bom + `[]`:          "x:1:1: a program is an object with steps, not a list",
		bom:                 "x:1:1: the file is empty: a program is an object with steps",
		bom + oneStep + "!": "x:1:56: something follows the program: a file holds one program and nothing else",
		bom + `{"a" 1}`:     "x:1:6: the file is not JSON: invalid character '1' after object name (expecting ':')",
	} {
		if _, problems := Parse("x", []byte(text)); len(problems) != 1 || problems[0].String() != want {
			t.Errorf("%q: %v, want %s", text, problems, want)
		}
	}
}

func TestColumnsCountCharacters(t *testing.T) {
	before := `{"version": 1, "steps": [{"id": "s1", "tool": "wait", "note": "`
	for note, characters := range map[string]int{"": 0, "ż": 1, "日本": 2, "🎉": 1, strings.Repeat("é", 5000): 5000} {
		_, problems := Parse("x", []byte(before+note+`", "locked": 5}]}`))
		if want := len(before) + characters + len(`", "locked": `) + 1; len(problems) != 1 || problems[0].Column != want || problems[0].Line != 1 {
			t.Errorf("%.10q: %v, want column %d", note, problems, want)
		}
	}
	_, problems := Parse("x", []byte("{\r\n  \"version\": 1,\r\n\r\n  \"steps\": 5\r\n}"))
	if len(problems) != 1 || problems[0].Line != 4 || problems[0].Column != 12 {
		t.Errorf("CRLF: %v", problems)
	}
}

func TestNotUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"name\": \"żó\xff\"}":   "x:2:14: the file is not UTF-8 (byte 0xFF at offset 17): save it as UTF-8",
		"\xff\xfe{\x00}\x00":           "x:1:1: the file is not UTF-8 (byte 0xFF at offset 0): it looks like UTF-16; save it as UTF-8",
		"{\"name\": \"\xed\xa0\x80\"}": "x:1:11: the file is not UTF-8 (byte 0xED at offset 10): save it as UTF-8",
	} {
		prog, problems := Parse("x", []byte(text))
		if prog != nil || len(problems) != 1 || problems[0].String() != want {
			t.Errorf("%q: %v, want %s", text, problems, want)
		}
	}
}

func TestLimits(t *testing.T) {
	steps := func(n int) []byte {
		var b strings.Builder
		b.WriteString(`{"version": 1, "steps": [`)
		for i := range n {
			if i > 0 {
				b.WriteString(",\n")
			}
			fmt.Fprintf(&b, `{"id": "s%d", "tool": "wait"}`, i)
		}
		b.WriteString("]}")
		return []byte(b.String())
	}
	if prog, problems := Parse("x", steps(MaxSteps)); prog == nil || len(prog.Steps) != MaxSteps {
		t.Errorf("%d steps: %v", MaxSteps, problems)
	}
	padded := append([]byte(oneStep), bytes.Repeat([]byte(" "), MaxFileBytes-len(oneStep))...)
	if prog, problems := Parse("x", padded); prog == nil {
		t.Errorf("%d bytes: %v", len(padded), problems)
	}
	nested := func(n int) []byte {
		return []byte(`{"version": 1, "x": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `, "steps": [{"id": "s1", "tool": "wait"}]}`)
	}
	if prog, problems := Parse("x", nested(maxDepth-1)); prog == nil {
		t.Errorf("%d levels: %v", maxDepth, problems)
	}
	for name, c := range map[string]struct {
		data []byte
		code string
		line int
	}{
		"steps":         {steps(MaxSteps + 1), CodeTooManySteps, MaxSteps + 1},
		"bytes":         {append(padded, ' '), CodeTooLarge, 1},
		"levels":        {nested(maxDepth), CodeTooDeep, 1},
		"many levels":   {bytes.Repeat([]byte("["), 4<<20), CodeTooDeep, 1},
		"many objects":  {bytes.Repeat([]byte(`{"a":`), 1<<20), CodeTooDeep, 1},
		"many values":   {[]byte("[" + strings.Repeat("0,", 4<<20-2) + "0]"), CodeTooManyValues, 1},
		"long long key": {[]byte(`{"version": 1, "` + strings.Repeat("k", 4<<20) + `": 1}`), CodeNoSteps, 1},
	} {
		began := time.Now()
		prog, problems := Parse("x", c.data)
		if prog != nil || len(problems) == 0 || problems[0].Code != c.code || problems[0].Line != c.line {
			t.Errorf("%s: %.300v", name, problems)
		}
		for _, p := range problems {
			if len(p.String()) > 1000 {
				t.Errorf("%s: a message of %d bytes", name, len(p.String()))
			}
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestTooManyProblems(t *testing.T) {
	// Every warning of the file comes before its only error.
	text := `{"version": 1, ` + strings.Repeat(`"a": [], `, 1) + manyUnknown(maxProblems+10) + `"steps": []}`
	prog, problems := Parse("x", []byte(text))
	if prog != nil || !HasErrors(problems) || len(problems) != maxProblems+2 {
		t.Errorf("%d problems, errors: %v", len(problems), HasErrors(problems))
	}
	last := problems[len(problems)-1]
	if last.Code != CodeTooManyProblems || last.String() != "x: warning: 11 more problems are not listed" {
		t.Errorf("last: %v", last)
	}
}

func manyUnknown(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"unknown%d": 1, `, i)
	}
	return b.String()
}

func TestProblemString(t *testing.T) {
	for want, p := range map[string]Problem{
		`a.json:14:7: steps[2].postcondition.kind "windowtitle" is unknown`: {Severity: Error, File: "a.json", Line: 14, Column: 7,
			JSONPath: "steps[2].postcondition.kind", Message: `"windowtitle" is unknown`},
		"a.json: does not exist":                  {Severity: Error, File: "a.json", Message: "does not exist"},
		"a.json:1:1: warning: version is missing": {Severity: Warning, File: "a.json", Line: 1, Column: 1, JSONPath: "version", Message: "is missing"},
	} {
		if got := p.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestJSONPathOfOddNames(t *testing.T) {
	_, problems := Parse("x", []byte(`{"version": 1, "steps": [{"id": "s1", "tool": "wait", "a b": 1, "": 2, "ą\"": 3}]}`))
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.JSONPath)
	}
	if want := []string{`steps[0]["a b"]`, `steps[0][""]`, `steps[0]["ą\""]`}; !reflect.DeepEqual(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
}

func TestSchemaIsTheSameEveryTime(t *testing.T) {
	if !bytes.Equal(Schema(), Schema()) {
		t.Error("the schema differs from call to call")
	}
	Schema()[0] = 'x'
	if Schema()[0] != '{' {
		t.Error("callers share the schema's bytes")
	}
}
