package secrets

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

func TestMask(t *testing.T) {
	s := New(map[string]string{"PASS": "hunter2", "LONG": `a "b" <c> & d`, "PIN": "123", "PART": "hunt", "KEY": "-----BEGIN-----\nline number one\nshort\n"})
	quoted, err := json.Marshal(map[string]string{"x": `a "b" <c> & d`})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(quoted))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"nothing":                               "nothing",
		"typed hunter2 twice: hunter2":          "typed ${env:PASS} twice: ${env:PASS}",
		"HUNTER2":                               "${env:PASS}",
		"hunt":                                  "${env:PART}",
		"in 123 steps":                          "in 123 steps",
		"a  \"b\"\n<c> & d":                     "${env:LONG}",
		"q=" + url.QueryEscape(`a "b" <c> & d`): "q=${env:LONG}",
		string(quoted):                          `{"x":"${env:LONG}"}`,
		string(twice):                           `"{\"x\":\"${env:LONG}\"}"`,
		"title is 'a hunter…'":                  "title is 'a ${env:PASS}…'",
		"see line number one here":              "see ${env:KEY} here",
		"${env:PASS}":                           "${env:PASS}",
	} {
		if got := s.Mask(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if s.In(text) != (text != want) {
			t.Errorf("%q: in it %t", text, s.In(text))
		}
	}
	var none *Secrets
	if none.Mask("x") != "x" || none.In("x") || none.MaskRead("x") != "x" || none.Failure(nil) != nil {
		t.Error("no secrets mask something")
	}
}

func TestMaskRead(t *testing.T) {
	s := New(map[string]string{"PASS": "Xylophone-77"})
	for text, want := range map[string]string{
		"Name: ann\nPass: Xyl0phone-7?\nend": "Name: ann\nPass: ${env:PASS}\nend",
		"xylo phone - 77":                    "${env:PASS}",
		"Telephone 77":                       "Telephone 77",
		"Xylophone-77 and Xylophona-77.":     "${env:PASS} and ${env:PASS}.",
		"":                                   "",
	} {
		if got := s.MaskRead(text); strings.TrimRight(got, ".") != strings.TrimRight(want, ".") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestEventsAreMasked(t *testing.T) {
	s := New(map[string]string{"PASS": "hunter2", "WORD": "failed", "ID": "s1-login"})
	e := results.Event{Type: results.EventStepFinished, Step: &results.Step{
		ID: "s1-login", Status: results.StepFailed, Value: "hunter2", Notes: []string{"saw hunter2"},
		Artifacts: []results.Artifact{{Name: "s1-login.png", SHA256: "x"}},
		Failure: &results.Failure{Kind: results.TargetNotFound, Reason: "failed: hunter2", SelfHeal: &results.SelfHeal{
			FailedStep: json.RawMessage(`{"text":"hunter2"}`), Screenshot: "s1-login.png",
		}},
	}}
	got := s.Event(e)
	data, err := json.Marshal(got)
	if err != nil || strings.Contains(string(data), "hunter2") || got.Step == nil {
		t.Fatalf("%s %v", data, err)
	}
	if got.Step.Failure.Reason != "${env:WORD}: ${env:PASS}" || got.Step.Status != results.StepFailed || got.Step.ID != "s1-login" ||
		got.Step.Artifacts[0].Name != "s1-login.png" || got.Step.Failure.SelfHeal.Screenshot != "s1-login.png" {
		t.Errorf("%s", data)
	}
	if e.Step.Value != "hunter2" {
		t.Error("the event that was given is changed")
	}
	entry := s.Entry(results.AuditEntry{Params: map[string]any{"text": "hunter2", "n": 5}, Result: "hunter2"})
	if entry.Params["text"] != "${env:PASS}" || entry.Result != "${env:PASS}" {
		t.Errorf("%+v", entry)
	}
	if f := s.Failure(&results.Failure{Kind: results.WorkerCrashed, Details: []string{"its last output: hunter2"}}); f.Details[0] != "its last output: ${env:PASS}" {
		t.Errorf("%+v", f)
	}
}

func TestVariables(t *testing.T) {
	p, problems := program.Parse("p", []byte(`{"version":1,"steps":[
		{"id":"s1","tool":"keyboard","params":{"action":"type","text":"${env:A}-$${env:B}-${HOME}"},
		 "postcondition":{"kind":"text_visible","value":"${env:B}"}}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	values := map[string]string{"A": "one"}
	_, err := Of(p.Steps, func(name string) string { return values[name] })
	var unset *UnsetError
	if !errors.As(err, &unset) || unset.Name != "B" || err.Error() != "the variable B is not set, or empty: step s1 needs it (${env:B})" {
		t.Fatal(err)
	}
	values["B"] = " \u200b"
	if _, err := Of(p.Steps, func(name string) string { return values[name] }); err == nil {
		t.Error("a text of nothing is found everywhere")
	}
	values["B"] = "two$"
	s, err := Of(p.Steps, func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	expanded, used := s.Expand(p.Steps[0])
	if text := expanded.Text("text"); text != "one-${env:B}-${HOME}" || expanded.Postcondition.Value != "two$" || !used {
		t.Errorf("%q %+v", text, expanded.Postcondition)
	}
	if p.Steps[0].Text("text") != "${env:A}-$${env:B}-${HOME}" || p.Steps[0].Postcondition.Value != "${env:B}" {
		t.Error("the program is changed")
	}
}

func FuzzMask(f *testing.F) {
	f.Add("hunter2", "say hunter2 again")
	f.Add("a\nb c\"d", `a\nb c\"d`)
	f.Fuzz(func(t *testing.T, value, text string) {
		s := New(map[string]string{"V": value})
		masked := s.Mask(text)
		if len(strings.Join(strings.Fields(value), "")) >= 4*shortest && strings.Contains(masked, value) && !strings.Contains("${env:V}", value) {
			t.Errorf("%q is in %q", value, masked)
		}
		s.MaskRead(text)
	})
}
