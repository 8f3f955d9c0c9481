package program

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestCompose(t *testing.T) {
	h := Header{Name: "Export Report", Source: "agent"}
	for name, c := range map[string]struct {
		h          Header
		text, want string
	}{
		"a list of steps": {h, `[{"tool":"app","params":{"action":"open","name":"Numbers"},"target":{"app":"Numbers"},"postcondition":{"kind":"app_frontmost","value":"Numbers"},"wait_ms":5e2},{"id":"s1","tool":"wait"},{"id":null,"tool":"wait","\u00e9":"\/"}]`,
			`{
  "name": "Export Report",
  "version": 1,
  "source": "agent",
  "steps": [
    {"id": "s2", "tool": "app", "params": {"action": "open", "name": "Numbers"},
     "target": {"app": "Numbers"},
     "postcondition": {"kind": "app_frontmost", "value": "Numbers"}, "wait_ms": 5e2},
    {"id": "s1", "tool": "wait"},
    {"id": "s3", "tool": "wait", "\u00e9": "\/"}
  ]
}
`},
		"a program keeps what it says": {Header{Name: "x", Source: "agent"},
			`{"//":["a",{"b":1.0}],"version":null,"steps":[{"id":"a","tool":"wait"}],"source":"trajectory","name":"other","description":"d"}`,
			`{
  "version": 1,
  "//": ["a", {"b": 1.0}],
  "steps": [
    {"id": "a", "tool": "wait"}
  ],
  "source": "trajectory",
  "name": "other",
  "description": "d"
}
`},
		"a description that is given wins": {Header{Name: "x", Source: "agent", Description: "new\u202e"}, `{"name":"n","description":"old","steps":[{"id":"a","tool":"wait"}]}`,
			`{
  "version": 1,
  "source": "agent",
  "name": "n",
  "description": "new\u202e",
  "steps": [
    {"id": "a", "tool": "wait"}
  ]
}
`},
	} {
		got, err := Compose("x", c.h, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if string(got.Data) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got.Data, c.want)
		}
	}
}

func TestComposeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "program:1:1: the program is empty: give a list of steps, or an object with steps",
		"5":                               "program:1:1: must be a list of steps, or an object with steps, not a number",
		"[]":                              "program: steps is empty: a program needs at least one step",
		"{}":                              "program: steps is missing: a program needs at least one step",
		"[1]":                             "program: steps[0] must be a step, not a number",
		`{"steps":5}`:                     "program: steps must be a list of steps, not a number",
		"[{}]\n[]":                        "program:2:1: something follows the program: give one program and nothing else",
		`[{"tool":"wait","tool":"wait"}]`: "program:1:17: [0].tool stands twice in this object (first at 1:3): keep one",
		`[{"tool":"wait","id":"a"},{"tool":"wat","id":"a","nte":1}]`:                  "program: steps[1].tool \"wat\" is unknown (did you mean \"wait\"?)\n  program: steps[1].id \"a\" is the id of another step already (before it)",
		`{"version":2,"steps":[{"tool":"wait"},{"tool":"ui","params":{"action":1}}]}`: "program: version must be 1, not 2: this opendesk reads no other version\n  program: steps[1].params.action must be a string, not a number",
	} {
		_, err := Compose("x", Header{Name: "n", Source: "agent"}, []byte(text))
		if err == nil || err.Error() != "the program is not valid:\n  "+want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestComposeKeepsTheProgram composes every valid program of the table: its
// steps are the same afterwards.
func TestComposeKeepsTheProgram(t *testing.T) {
	archive, err := txtar.ParseFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if filepath.Ext(file.Name) != ".json" || !strings.HasPrefix(file.Name, "good/") {
			continue
		}
		before, _ := Parse("x", file.Data)
		got, err := Compose("x", Header{Name: "n", Source: "agent"}, file.Data)
		if err != nil {
			t.Errorf("%s: %v", file.Name, err)
			continue
		}
		if !reflect.DeepEqual(withoutPlaces(before), withoutPlaces(got.Program)) {
			t.Errorf("%s:\n%s\nis not\n%s", file.Name, got.Data, file.Data)
		}
		again, err := Compose("x", Header{Name: "n", Source: "agent"}, got.Data)
		if err != nil || !bytes.Equal(again.Data, got.Data) {
			t.Errorf("%s: another file the second time", file.Name)
		}
	}
}

// withoutPlaces gives the steps without their places in the file.
func withoutPlaces(p *Program) []Step {
	steps := make([]Step, len(p.Steps))
	for i, s := range p.Steps {
		s.Line, s.Column, s.Raw, s.codeAt = 0, 0, nil, place{}
		if s.Postcondition != nil {
			c := *s.Postcondition
			c.Line, c.Column = 0, 0
			s.Postcondition = &c
		}
		steps[i] = s
	}
	return steps
}
