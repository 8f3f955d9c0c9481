package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/spf13/cobra"
)

// TestDoReachesEveryAction: every tool, action and parameter of the table has
// its command and flag, and what is given there arrives in a step that loads.
func TestDoReachesEveryAction(t *testing.T) {
	var out bytes.Buffer
	st := &State{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}
	for _, tool := range tools.All() {
		for _, action := range tool.Actions {
			if tool.InProgram {
				continue // a single step has no program
			}
			path := strings.Fields(tool.Name + " " + action.Name)
			cmd, rest, err := newDo(st).Find(path)
			if err != nil || len(rest) > 0 || cmd.Name() != path[len(path)-1] {
				t.Errorf("do %s leads to %q, %v", strings.Join(path, " "), cmd.CommandPath(), err)
				continue
			}
			for _, p := range action.Params {
				flag := cmd.Flags().Lookup(flagOf(p.Name))
				if p.TargetField != "" && action.Target == tools.TargetNone && p.TargetField != "app" {
					continue // it names an element, which the action has no use for
				}
				if flag == nil {
					t.Errorf("do %s has no flag for %s", strings.Join(path, " "), p.Name)
				}
			}
			stepOfFlags(t, tool, action)
		}
	}
}

// stepOfFlags gives every flag a value and reads the step.
func stepOfFlags(t *testing.T, tool tools.Tool, action tools.Action) {
	t.Helper()
	s := stepFlags{tool: tool, action: action}
	cmd := &cobra.Command{Use: action.Name}
	s.add(cmd)
	given := []string{"--app=Numbers", "--expect-text=Done", "--expect-timeout-ms=7"}
	if action.Target != tools.TargetNone {
		given = append(given, "--role=button", "--title=PDF", "--identifier=id", "--ref=frame[0]")
	}
	want := map[string]any{}
	for _, p := range action.Params {
		if p.TargetField != "" {
			continue
		}
		value, read := sample(p)
		given = append(given, fmt.Sprintf("--%s=%s", flagOf(p.Name), value))
		want[p.Name] = read
	}
	if err := cmd.ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	text, err := s.json(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := oneStep(text)
	if err != nil {
		t.Errorf("do %s %s: %v", tool.Name, action.Name, err)
		return
	}
	step := p.Steps[0]
	if step.Tool != tool.Name || step.Action != action.Name || step.App() != "Numbers" || step.Postcondition.Value != "Done" {
		t.Errorf("do %s %s makes %s", tool.Name, action.Name, text)
	}
	if action.Target != tools.TargetNone && (*step.Target != program.Target{App: "Numbers", Role: "button", Title: "PDF", Identifier: "id", Ref: "frame[0]"}) {
		t.Errorf("do %s %s has the target %+v", tool.Name, action.Name, *step.Target)
	}
	for name, value := range want {
		if got := fmt.Sprint(step.Params[name]); got != fmt.Sprint(value) {
			t.Errorf("do %s %s: %s is %v, want %v", tool.Name, action.Name, name, got, value)
		}
	}
}

// sample is a value that the parameter takes, as a flag has it and as a step.
func sample(p tools.Param) (flag string, read any) {
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0], p.Enum[0]
	case p.Type == tools.Integer || p.Type == tools.Number:
		return "2", 2
	case p.Names == tools.ModifierNames:
		return "shift", []any{"shift"}
	case p.Type == tools.StringList:
		return "tab", []any{"tab"}
	}
	return "tab", "tab"
}

func TestStepWithoutFlags(t *testing.T) {
	for _, c := range []struct {
		tool, action string
		args         []string
		want         string
	}{
		{"app", "open", []string{"Numbers"}, `{"action":"open","name":"Numbers"}`},
		{"keyboard", "hotkey", []string{"ctrl", "s"}, `{"action":"hotkey","keys":["ctrl","s"]}`},
		{"keyboard", "type", []string{"a", "b"}, "too many arguments"},
		{"keyboard", "type", []string{"--text=a", "b"}, "given twice"},
		{"mouse", "move", []string{"3"}, "too many arguments"},
		{"mouse", "drag", []string{"3", "4"}, "too many arguments"},
		{"wait", "", nil, `{}`},
		{"clipboard", "write", []string{""}, `{"action":"write","text":""}`},
	} {
		tool, _ := tools.Lookup(c.tool)
		action, _ := tool.Action(c.action)
		s := stepFlags{tool: *tool, action: *action}
		cmd := &cobra.Command{Use: "x"}
		s.add(cmd)
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		text, err := s.json(cmd.Flags().Args())
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: %v", c, err)
			}
			continue
		}
		var step struct{ Params json.RawMessage }
		if err := json.Unmarshal(text, &step); err != nil || string(step.Params) != c.want {
			t.Errorf("%v: %s", c, text)
		}
	}
}

func TestExpected(t *testing.T) {
	for _, c := range []struct{ flags, want string }{
		{"", "null"},
		{"--expect-app=Numbers", `{"kind":"app_frontmost","value":"Numbers"}`},
		{"--expect-window=Export --expect-timeout-ms=9", `{"kind":"window_title_contains","timeout_ms":9,"value":"Export"}`},
		{"--expect-element=PDF", `{"kind":"element_exists","value":"PDF"}`},
		{`--postcondition={"kind":"text_visible","value":"x"}`, `{"kind":"text_visible","value":"x"}`},
		{"--postcondition=x", "no JSON object"},
		{"--expect-timeout-ms=9", "nothing is expected"},
	} {
		tool, _ := tools.Lookup("wait")
		s := stepFlags{tool: *tool, action: tool.Actions[0]}
		cmd := &cobra.Command{Use: "x"}
		s.add(cmd)
		if err := cmd.ParseFlags(strings.Fields(c.flags)); err != nil {
			t.Fatal(err)
		}
		post, err := s.expected()
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.flags, err)
			}
			continue
		}
		if text, err := json.Marshal(post); err != nil || string(text) != c.want {
			t.Errorf("%s: %s, %v", c.flags, text, err)
		}
	}
}
