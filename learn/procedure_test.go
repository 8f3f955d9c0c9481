package learn_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/learn"
)

func TestSaveProcedure(t *testing.T) {
	f := folder(t, nil)
	task, err := f.Place("Export Report")
	if err != nil {
		t.Fatal(err)
	}
	text := `{"description":"Export it\u2026","steps":["Open Numbers","Press PDF"],"extra":[1.0,{"b":1}],"procedure":"Do it.","task_name":null}`
	p, err := learn.SaveProcedure(t.Context(), task, "Export Report", []byte(text), false)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "task_name": "Export Report",
  "description": "Export it\u2026",
  "steps": [
    "Open Numbers",
    "Press PDF"
  ],
  "extra": [
    1.0,
    {
      "b": 1
    }
  ],
  "procedure": "Do it."
}
`
	got, err := os.ReadFile(task.ProcedureFile())
	if err != nil || string(got) != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
	if p.TaskName != "Export Report" || p.Description != "Export it…" || len(p.Steps) != 2 || p.Text != "Do it." {
		t.Errorf("%+v", p)
	}
	// A second one does not take the place of the first unless that is asked for.
	var exists *learn.ExistsError
	if _, err := learn.SaveProcedure(t.Context(), task, "x", []byte(`{"steps":["other"]}`), false); !errors.As(err, &exists) {
		t.Error(err)
	}
	if again, _ := os.ReadFile(task.ProcedureFile()); !bytes.Equal(again, got) {
		t.Errorf("the file was changed: %s", again)
	}
	if _, err := learn.SaveProcedure(t.Context(), task, "x", []byte(`{"steps":["other"]}`), true); err != nil {
		t.Error(err)
	}
	if p, err := learn.LoadProcedure(task); err != nil || p.Steps[0] != "other" || p.TaskName != "x" {
		t.Error(p, err)
	}
}

func TestSaveProcedureRefuses(t *testing.T) {
	f := folder(t, nil)
	task, err := f.Place("x")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                              "the procedure is empty",
		" \n":                           "the procedure is empty",
		"[]":                            "a procedure is an object with task_name, description, steps and procedure",
		"{}":                            "the procedure has neither steps nor a procedure: say how the task is done",
		`{"steps":[]}`:                  "the procedure has neither steps nor a procedure: say how the task is done",
		`{"steps":["a"]} x`:             "something follows the procedure: give one and nothing else",
		"{\"steps\":[\"a\"],\n\"x\"}":   "the procedure is not JSON: line 2: ",
		`{"steps":["a"]`:                "the procedure is not JSON: line 1: ",
		"{\"a\":1,\n\"a\":2}":           "the procedure is not JSON: line 2: duplicate",
		`{"description":5,"steps":[5]}`: "description must be a string\nsteps must be a list of sentences, each a string",
		"{\"steps\":[\"\xff\"]}":        "the procedure is not JSON: line 1: ",
		`{"steps":"a"}`:                 "steps must be a list of sentences, each a string",
	} {
		_, err := learn.SaveProcedure(t.Context(), task, "x", []byte(text), false)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := os.Stat(task.ProcedureFile()); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was written")
	}
}

func TestPrompt(t *testing.T) {
	p, err := learn.ParseProcedure([]byte("\xEF\xBB\xBF" + `{"task_name":"export\n report","description":"As PDF\u001b[31m","steps":["Open",{"do":1},null,"Two\nlines"],"procedure":"First\nsecond\u0007\n"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "Task: export report\nGoal: As PDF[31m\n\nSteps:\n  1. Open\n  2. {\"do\":1}\n  3. \n  4. Two lines\n\nProcedure:\nFirst\nsecond\n\nCarry this task out"
	if got := p.Prompt(); !strings.HasPrefix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	// One that was written by hand, or by nobody.
	for text, steps := range map[string]int{`{"steps":"all of it"}`: 1, `{}`: 0, `{"steps":null}`: 0} {
		p, err := learn.ParseProcedure([]byte(text))
		if err != nil || len(p.Steps) != steps || p.Prompt() == "" {
			t.Errorf("%s: %+v %v", text, p, err)
		}
	}
}

func FuzzParseProcedure(f *testing.F) {
	for _, text := range []string{`{"task_name":"a","steps":["b",5,null],"procedure":"c","x":{}}`, `{"a":1}`, `[]`, "{", "\xEF\xBB\xBF{}", `{"steps":{"a":"\ud800"}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := learn.ParseProcedure(text)
		if (p == nil) == (err == nil) {
			t.Fatal(p, err)
		}
		if p != nil && strings.ContainsAny(p.Prompt(), "\x1b\x07\r") {
			t.Errorf("%q", p.Prompt())
		}
	})
}

func FuzzFileName(f *testing.F) {
	f.Add("Export Report")
	f.Add("../\x00İ")
	f.Fuzz(func(t *testing.T, task string) {
		name := learn.FileName(task)
		if name == "" || strings.ContainsAny(name, "./\\ \x00\n") || learn.FileName(name) != name {
			t.Errorf("%q: %q, and again %q", task, name, learn.FileName(name))
		}
	})
}
