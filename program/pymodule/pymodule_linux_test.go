package pymodule_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/pymodule"
	"github.com/opendesk/opendesk/program/tools"
)

var update = flag.Bool("update", false, "write the module into testdata")

const golden = "testdata/" + pymodule.Name + ".golden"

// TestGolden holds the module against the file that people can read.
func TestGolden(t *testing.T) {
	if *update {
		if err := os.WriteFile(golden, pymodule.Source(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(pymodule.Source()) {
		t.Errorf("%s is not what the table says: go test ./program/pymodule -update writes it", golden)
	}
}

// TestEveryActionHasItsFunction: what steps can do, scripts can do, with an
// example that calls that function.
func TestEveryActionHasItsFunction(t *testing.T) {
	source := string(pymodule.Source())
	for _, tool := range tools.All() {
		for _, action := range tool.Actions {
			name := strings.TrimSuffix(tool.Name+"_"+action.Name, "_")
			if has := strings.Contains(source, "\ndef "+name+"("); has == tool.InProgram {
				t.Errorf("%s: has a function: %v", name, has)
			}
			if !tool.InProgram && !strings.Contains(action.Script.Example, name+"(") {
				t.Errorf("%s: the example is %q", name, action.Script.Example)
			}
			if action.Effect == tools.Reads && (action.Script.Returns == "" || action.Script.Type == "" || strings.Contains(action.Script.Doc, "in a run")) {
				t.Errorf("%s: what a script reads by it is not said: %+v", name, action.Script)
			}
		}
	}
}

// TestExamplesAreCalls runs every example of the docstrings under Python: each
// makes one call, which a program could have as a step.
func TestExamplesAreCalls(t *testing.T) {
	p := newPeer(t)
	p.answers = map[string]string{
		"list": `{"value": []}`, "cursor_position": `{"value": [1, 2]}`, "get_tree": `{"value": [{"name": "a", "role": "push button"}]}`,
	}
	code := "from opendesk_tools import *\n"
	var want, got []string
	for _, tool := range tools.All() {
		for _, action := range tool.Actions {
			if !tool.InProgram {
				code += action.Script.Example + "\n"
				want = append(want, tool.Name+" "+action.Name)
			}
		}
	}
	out, err := p.run(code)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, r := range p.requests {
		got = append(got, r.Tool+" "+r.Action)
		if _, problems := program.Parse("x", r.document(t)); len(problems) > 0 {
			t.Errorf("%s: %v", r.text, problems)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("called %q, want %q", got, want)
	}
}

// TestDefaultsAreTheTables: a call that gives nothing but what must be given
// asks for what the table says.
func TestDefaultsAreTheTables(t *testing.T) {
	p := newPeer(t)
	out, err := p.run(`from opendesk_tools import *
keyboard_hold("a")
mouse_scroll()
ui_click(title="PDF")
wait()
app_open("Numbers")`)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for _, r := range p.requests {
		got = append(got, r.text)
	}
	want := []string{
		`{"tool": "keyboard", "action": "hold", "params": {"key": "a", "hold_duration": 1}, "timeout_ms": 5000}`,
		`{"tool": "mouse", "action": "scroll", "params": {"amount": 3}, "timeout_ms": 5000}`,
		`{"tool": "ui", "action": "click", "params": {"window_index": 1}, "target": {"title": "PDF"}, "timeout_ms": 5000}`,
		`{"tool": "wait", "action": "", "params": {}}`,
		`{"tool": "app", "action": "open", "params": {"name": "Numbers"}}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("called\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHelp(t *testing.T) {
	p := newPeer(t)
	out, err := p.run("import opendesk_tools\nprint(opendesk_tools.help())")
	if err != nil || len(p.requests) > 0 {
		t.Fatalf("%v, %d calls\n%s", err, len(p.requests), out)
	}
	functions := strings.Count("\n"+out, "\n    Example: ") // each has one
	for _, want := range []string{
		"find(pattern: 'str', limit: 'int' = 200) -> 'list'\n    Finds files",
		"ui_click(*, window_index: 'int' = 1, app: 'str | None' = None",
		"    Returns it as a text; \"\" for a password field",
		"save_result(name: 'str', text: 'str') -> 'str'",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the help has no %q:\n%s", want, out)
		}
	}
	if n := strings.Count(string(pymodule.Source()), "\n    Example: "); n != functions || n < 28 {
		t.Errorf("%d examples in the help, %d in the module", functions, n)
	}
	one, err := p.run("from opendesk_tools import help\nprint(help('read'))\nhelp('raed')")
	if err == nil || !strings.HasPrefix(one, "read(path: 'str'") || !strings.Contains(one, "ValueError: there is no function 'raed': there are find, read") {
		t.Errorf("%v\n%s", err, one)
	}
}

// TestErrors: what cannot be done is an error of Python's, with what to do.
func TestErrors(t *testing.T) {
	for _, row := range []struct{ answer, code, want string }{
		{`{"error": {"kind": "target_not_found", "message": "target not found after 5000 ms: no element"}}`,
			"ui_click(title='x')", "opendesk_tools.ToolError: target not found after 5000 ms: no element"},
		{`{"error": {"kind": "target_not_found", "message": "m"}}`,
			"try:\n    ui_click(title='x')\nexcept ToolError as e:\n    print(e.kind, e)", "target_not_found m\n"},
		{`{"error": {"kind": "call_limit", "message": "500 calls are all: do less"}}`,
			"find('*')", "opendesk_tools.CallLimitError: 500 calls are all: do less"},
		{"", "import os\nif os.fork() == 0:\n    find('*')\nelse:\n    os.wait()", "only the script itself can call opendesk_tools"},
	} {
		p := newPeer(t)
		p.answer = row.answer
		out, _ := p.run("from opendesk_tools import *\n" + row.code)
		if !strings.Contains(out, row.want) {
			t.Errorf("%s:\n%s\nwant %s", row.code, out, row.want)
		}
	}
}

// TestThreads: calls of several threads come one at a time.
func TestThreads(t *testing.T) {
	p := newPeer(t)
	out, err := p.run(`from opendesk_tools import *
import threading
threads = [threading.Thread(target=lambda: [clipboard_write("x" * 5000) for _ in range(10)]) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print("ok")`)
	if err != nil || out != "ok\n" || len(p.requests) != 80 {
		t.Errorf("%d calls, %v\n%s", len(p.requests), err, out)
	}
}
