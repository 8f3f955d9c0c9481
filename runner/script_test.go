package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/desktop/guard"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
	"github.com/opendesk/opendesk/runner/script"
	"github.com/opendesk/opendesk/runner/secrets"
)

// sandbox stands for the one that confines scripts: it makes the calls that it
// is given, and says what came of the script.
type sandbox struct {
	calls   []string
	answers []string
	left    script.Outcome
	err     error
	job     script.Job
	during  func()
}

func (s *sandbox) Run(ctx context.Context, job script.Job) (script.Outcome, error) {
	s.job = job
	for _, call := range s.calls {
		s.answers = append(s.answers, string(job.Handle(ctx, json.RawMessage(call))))
	}
	if s.during != nil {
		s.during()
	}
	if err := ctx.Err(); err != nil {
		return script.Outcome{}, err
	}
	return s.left, s.err
}

// in has the program's scripts run in the sandbox.
func in(s *sandbox) func(*runner.Request) {
	return func(r *runner.Request) {
		r.Scripts.Runner, r.Scripts.Code, r.Scripts.Archive = s, "/spool/code", "/project"
		r.Scripts.Hidden = []string{"keys"}
	}
}

func oneScript(more string) string {
	return fmt.Sprintf(`{"version": 1, "steps": [{"id": "s1", "tool": "script", "params": {"file": "main.py", "args": ["a"]%s}]}`, more)
}

func TestScriptEndsWell(t *testing.T) {
	s := &sandbox{left: script.Outcome{
		Stdout: "hello\n", Output: []byte("hello\n"), CPU: 20 * time.Millisecond, Took: 30 * time.Millisecond, MemoryPeak: 9 << 20,
		Files: []script.File{{Name: "out/unpaid list.txt", Size: 1, SHA256: "aa", Data: []byte("x")}, {Name: "b.bin", Size: 2, SHA256: "bb", Data: []byte{0, 1}}},
		Audit: []script.Attempt{{Event: "open", Target: "/etc/passwd", Outcome: script.AttemptRefused, Errno: "ENOENT", Place: "main.py:3", Times: 2}},
	}}
	o := run(t, fake.New(1280, 800), oneScript(`}`), in(s))
	got := o.step("s1").Script
	if o.Status != results.Passed || got == nil || len(o.warnings) > 0 {
		t.Fatalf("%s: %s, warnings %v, %+v", o.Status, o.Reason, o.warnings, got)
	}
	if got.File != "main.py" || !slices.Equal(got.Args, []string{"a"}) || got.Stdout != "hello\n" || got.CPUMS != 20 || got.DurationMS != 30 || got.MemoryBytes != 9<<20 {
		t.Errorf("%+v", got)
	}
	if len(got.Files) != 2 || got.Files[0].Artifact != "s1-1-file" || got.Files[1].Artifact != "s1-2-b.bin" || string(o.files["s1-1-file"]) != "x" {
		t.Errorf("the files are %+v, kept %q", got.Files, o.files)
	}
	artifacts := o.step("s1").Artifacts
	if len(artifacts) != 2 || artifacts[0].MediaType != "text/plain; charset=utf-8" || artifacts[1].MediaType != "application/octet-stream" || artifacts[0].Kind != results.KindScriptFile {
		t.Errorf("artifacts %+v", artifacts)
	}
	if len(got.Attempts) != 1 || got.Attempts[0].String() != "open /etc/passwd: refused (ENOENT), 2 times, main.py:3" {
		t.Errorf("attempts %v", got.Attempts)
	}
	j := s.job
	if j.Code != "/spool/code" || j.File != "main.py" || j.Archive != "/project" || !slices.Equal(j.Hidden, []string{"keys"}) || len(j.Modules["opendesk_tools"]) < 1000 {
		t.Errorf("the job is %+v", j)
	}
	want := script.Limits{Time: 30 * time.Second, CPU: 30 * time.Second, Memory: 512 << 20, Processes: 64, Disk: 200 << 20}
	if j.Limits != want {
		t.Errorf("limits %+v, want %+v", j.Limits, want)
	}
}

// TestScriptLimits: what a step asks for is what its script gets, up to what
// the project allows.
func TestScriptLimits(t *testing.T) {
	s := &sandbox{}
	caps := func(r *runner.Request) { r.Scripts.Most = map[string]int{"memory_mib": 1024, "processes": 8} }
	o := run(t, fake.New(1280, 800), oneScript(`, "timeout_ms": 1500, "cpu_seconds": 2, "memory_mib": 1000, "disk_mib": 5}`), in(s), caps)
	want := script.Limits{Time: 1500 * time.Millisecond, CPU: 2 * time.Second, Memory: 1000 << 20, Processes: 8, Disk: 5 << 20}
	if o.Status != results.Passed || s.job.Limits != want {
		t.Errorf("%s: limits %+v, want %+v", o.Reason, s.job.Limits, want)
	}
	*s = sandbox{}
	o = run(t, fake.New(1280, 800), oneScript(`, "memory_mib": 2000, "processes": 9}`), in(s), caps)
	const refused = "action refused: the script asks for more than the project allows: memory_mib is 2000, more than 1024, processes is 9, more than 8 (scripts in .opendesk/eval.yaml)"
	if o.Status != results.Failed || o.Reason != refused || s.job.File != "" {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
	*s = sandbox{}
	run(t, fake.New(1280, 800), oneScript(`}`), in(s), func(r *runner.Request) { r.Scale = 3 })
	if s.job.Limits.Time != 90*time.Second || s.job.Limits.CPU != 90*time.Second {
		t.Errorf("on a slow machine: %+v", s.job.Limits)
	}
}

// TestScriptVerdicts: the exit code decides, and the reason says why.
func TestScriptVerdicts(t *testing.T) {
	const broken = "script main.py was not run: "
	for name, row := range map[string]struct {
		left   script.Outcome
		err    error
		post   string
		status results.Status
		kind   results.FailureKind
		reason string
		notes  string
	}{
		"an error that is not caught": {left: script.Outcome{ExitCode: 1, Error: "ValueError: no amount", Stderr: "Traceback…\nValueError: no amount\n"},
			status: results.Failed, kind: results.ScriptFailed, reason: "script main.py failed: ValueError: no amount (exit code 1)"},
		"an exit code with words": {left: script.Outcome{ExitCode: 2, Stderr: "usage: main.py\nno month given\n"},
			status: results.Failed, kind: results.ScriptFailed, reason: "script main.py failed: no month given (exit code 2)"},
		"an exit code without": {left: script.Outcome{ExitCode: 7},
			status: results.Failed, kind: results.ScriptFailed, reason: "script main.py failed: exit code 7"},
		"a signal": {left: script.Outcome{ExitCode: 139, Signal: "segmentation fault"},
			status: results.Failed, kind: results.ScriptFailed, reason: "script main.py failed: exit code 139, signal segmentation fault"},
		"its time": {left: script.Outcome{ExitCode: 124, Limit: script.LimitTime, Advice: "it took longer than 30 s and was ended: split it"},
			status: results.Failed, kind: results.ScriptTimedOut, reason: "script main.py took longer than 30 s and was ended: split it"},
		"its time, though that code is expected": {left: script.Outcome{ExitCode: 124, Limit: script.LimitTime, Advice: "it took long"}, post: `{"kind": "exit_code", "value": 124}`,
			status: results.Failed, kind: results.ScriptTimedOut, reason: "script main.py took long"},
		"a limit that it failed at": {left: script.Outcome{ExitCode: 1, Error: "MemoryError", Limit: script.LimitMemory, Advice: "it reached 512 MiB"},
			status: results.Failed, kind: results.ScriptOverLimit, reason: "script main.py failed at its limit of memory: MemoryError (exit code 1)"},
		"a limit that it lived with": {left: script.Outcome{Limit: script.LimitProcesses, Advice: "it reached 64 processes"},
			status: results.Passed, notes: "the script ran into a limit: it reached 64 processes"},
		"the code that is expected": {left: script.Outcome{ExitCode: 3}, post: `{"kind": "exit_code", "value": 3}`, status: results.Passed},
		"another than is expected": {left: script.Outcome{ExitCode: 4, Error: "OSError: x"}, post: `{"kind": "exit_code", "value": 3}`,
			status: results.Failed, kind: results.ScriptFailed, reason: "script main.py failed: OSError: x (exit code 4)"},
		"none where one is expected": {post: `{"kind": "exit_code", "value": 3}`,
			status: results.Failed, kind: results.PostconditionNotMet, reason: "postcondition exit_code='3' not met (exit code is 0)"},
		"an output that is right": {left: script.Outcome{Output: []byte("total 5\n")}, post: `{"kind": "output_contains", "value": "total 5"}`, status: results.Passed},
		"an output in other letters": {left: script.Outcome{Output: []byte("Total  5\n")}, post: `{"kind": "output_contains", "value": "total 5"}`,
			status: results.Failed, kind: results.PostconditionNotMet, reason: "postcondition output_contains='total 5' not met (output is 'Total 5')"},
		"no output": {post: `{"kind": "output_contains", "value": "total 5"}`,
			status: results.Failed, kind: results.PostconditionNotMet, reason: "postcondition output_contains='total 5' not met (it printed nothing)"},
		"an output that was lost": {left: script.Outcome{Output: []byte("ab"), OutputLost: 9}, post: `{"kind": "output_contains", "value": "total 5"}`,
			status: results.Failed, kind: results.PostconditionNotMet,
			reason: "postcondition output_contains='total 5' not met (output is 'ab'; only its first 2 bytes were looked at, 9 more were not kept)"},
		"an output in the middle that is not shown": {left: script.Outcome{Output: []byte("total 5"), Stdout: "…", StdoutCut: 7},
			post: `{"kind": "output_contains", "value": "total 5"}`, status: results.Passed},
		"a pattern": {left: script.Outcome{Output: []byte("a\ntotal 5\n")}, post: `{"kind": "output_matches", "value": "(?m)^total \\d$"}`, status: results.Passed},
		"a pattern on no line": {left: script.Outcome{Output: []byte("a\ntotal 5\n")}, post: `{"kind": "output_matches", "value": "^total"}`,
			status: results.Failed, kind: results.PostconditionNotMet, reason: "postcondition output_matches='^total' not met (output is 'a total 5')"},
		"a file": {left: script.Outcome{Files: []script.File{{Name: "a.txt", Data: []byte("x")}, {Name: "b.txt", Data: []byte("f005 5")}}},
			post: `{"kind": "file_contains", "value": {"file": "b.txt", "text": "f005"}}`, status: results.Passed},
		"a file with something else": {left: script.Outcome{Files: []script.File{{Name: "b.txt", Data: []byte("f006")}}},
			post:   `{"kind": "file_contains", "value": {"file": "b.txt", "text": "f005"}}`,
			status: results.Failed, kind: results.PostconditionNotMet, reason: "postcondition file_contains='b.txt: f005' not met (b.txt holds 'f006')"},
		"a file that is not there": {left: script.Outcome{FilesLeft: 1}, post: `{"kind": "file_contains", "value": {"file": "b.txt", "text": "f005"}}`,
			status: results.Failed, kind: results.PostconditionNotMet,
			reason: "postcondition file_contains='b.txt: f005' not met (the script left no file b.txt; 1 were not taken, since they are too many or too large)"},
		"no sandbox": {err: &script.UnavailableError{Reason: "bwrap is not installed", Fix: "apt-get install bubblewrap"},
			status: results.Broken, kind: results.SandboxUnavailable, reason: broken + "bwrap is not installed"},
		"a fault of ours": {err: errors.New("out of descriptors"),
			status: results.Broken, kind: results.InternalFault, reason: "the script main.py could not be run: out of descriptors"},
	} {
		t.Run(name, func(t *testing.T) {
			more := `}`
			if row.post != "" {
				more += `, "postcondition": ` + row.post
			}
			o := run(t, fake.New(1280, 800), oneScript(more), in(&sandbox{left: row.left, err: row.err}))
			s := o.step("s1")
			if o.Status != row.status || o.Reason != row.reason {
				t.Errorf("%s: %s\nwant %s: %s", o.Status, o.Reason, row.status, row.reason)
			}
			if (s.Failure == nil) != (row.kind == "") || s.Failure != nil && s.Failure.Kind != row.kind {
				t.Errorf("the failure is %+v, want %s", s.Failure, row.kind)
			}
			if got := strings.Join(s.Notes, "\n"); got != row.notes {
				t.Errorf("notes %q, want %q", got, row.notes)
			}
			if s.Postcondition != nil && (s.Postcondition.Vacuous || s.Postcondition.Met && s.Postcondition.Means != results.MeansScript) {
				t.Errorf("%+v", s.Postcondition)
			}
			if (s.Script == nil) != (row.err != nil) {
				t.Errorf("the script's evidence is %+v", s.Script)
			}
			if len(o.warnings) > 0 {
				t.Errorf("warnings %v", o.warnings)
			}
		})
	}
}

// TestScriptsAreNeverRunUnconfined: without somebody who confines them, and
// without a program that they belong to, nothing runs.
func TestScriptsAreNeverRunUnconfined(t *testing.T) {
	o := run(t, fake.New(1280, 800), oneScript(`}`), func(r *runner.Request) { r.Scripts.Code = "/spool/code" })
	if o.Status != results.Broken || !strings.Contains(o.Reason, "script main.py was not run: nothing here can confine it") {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
	s := &sandbox{}
	o = run(t, fake.New(1280, 800), oneScript(`}`), in(s), func(r *runner.Request) { r.Scripts.Code = "" })
	if o.Status != results.Failed || s.job.File != "" || !strings.Contains(o.Reason, "a script is part of a learned program") {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
}

// TestScriptCalls: what a script calls is done on the desktop and written down,
// and each answer says what came of it.
func TestScriptCalls(t *testing.T) {
	n := newNumbers()
	n.pdf.Identifier = "export-pdf"
	s := &sandbox{calls: []string{
		`{"tool": "app", "action": "open", "params": {"name": "Numbers"}}`,
		`{"tool": "app", "action": "list", "params": {}}`,
		`{"tool": "ui", "action": "click_menu", "params": {"menu": "File", "menu_item": "Export To"}, "target": {"app": "Numbers"}}`,
		`{"tool": "ui", "action": "get_value", "params": {"window_index": 1}, "target": {"app": "Numbers", "identifier": "export-pdf"}, "timeout_ms": 300}`,
		`{"tool": "ui", "action": "click", "params": {}, "target": {"app": "Numbers", "role": "button", "title": "PFD"}, "timeout_ms": 100}`,
		`{"tool": "clipboard", "action": "write", "params": {"text": "${env:HOME} $${ ${x}"}}`,
		`{"tool": "clipboard", "action": "read", "params": {}}`,
		`{"tool": "mouse", "action": "move", "params": {"x": 30, "y": 40}, "timeout_ms": 5000}`,
		`{"tool": "mouse", "action": "cursor_position", "params": {}}`,
		`{"tool": "files", "action": "read", "params": {"path": "a"}}`,
		`{"tool": "files", "action": "remove", "params": {}}`,
		`{"tool": "script", "action": "", "params": {"file": "main.py"}}`,
		`{"tool": "keyboard", "action": "press", "params": {"key": "retrun"}}`,
		`{"tool": "ui", "action": "click", "params": {}}`,
		`[]`,
	}}
	var entries []results.AuditEntry
	o := run(t, n.desktop, oneScript(`}`), in(s), audited(&entries))
	if o.Status != results.Passed {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
	want := []string{
		`{"value":null}`,
		`{"value":["Numbers"]}`,
		`{"value":null}`,
		`{"value":"PDF"}`,
		`{"value":null,"error":{"kind":"target_not_found","message":"target not found after 100 ms: no element matching [button] 'PFD' in Numbers; close: [push button] 'PDF' in Numbers (title is 'PDF')"}}`,
		`{"value":null}`,
		`{"value":"${env:HOME} $${ ${x}"}`,
		`{"value":null}`,
		`{"value":[30,40]}`,
		`{"value":null}`,
		`{"value":null,"error":{"kind":"usage","message":"there is no such call: files remove"}}`,
		`{"value":null,"error":{"kind":"usage","message":"there is no tool \"script\" for scripts"}}`,
		`{"value":null,"error":{"kind":"usage","message":"key \"retrun\" is no key (did you mean \"return\"?)"}}`,
		`{"value":null,"error":{"kind":"usage","message":"target names no element: ui click needs a target with role, title, identifier or ref"}}`,
		`{"value":null,"error":{"kind":"usage","message":"the call cannot be read: `,
	}
	for i := range want {
		if !strings.HasPrefix(s.answers[i], want[i]) {
			t.Errorf("%s\nis answered by %s\nwant %s", s.calls[i], s.answers[i], want[i])
		}
	}
	var made []string
	for _, c := range o.step("s1").Script.Calls {
		made = append(made, fmt.Sprintf("%s %d %d", c.Name, c.Count, c.Failed))
	}
	if want := []string{"app_open 1 0", "app_list 1 0", "ui_click_menu 1 0", "ui_get_value 1 0", "ui_click 1 1", "clipboard_write 1 0",
		"clipboard_read 1 0", "mouse_move 1 0", "mouse_cursor_position 1 0", "read 1 0"}; !slices.Equal(made, want) {
		t.Errorf("counted %q, want %q", made, want)
	}
	var log []string
	for _, e := range entries {
		log = append(log, e.Action+" "+e.Step)
	}
	if want := []string{"app_open s1", "app_list s1", "ui_action s1", "ui_action s1", "ui_action s1", "clipboard_write s1", "clipboard_read s1",
		"mouse_move s1", "cursor_position s1", "script_run s1"}; !slices.Equal(log, want) {
		t.Errorf("the log is %q, want %q", log, want)
	}
	if last := entries[len(entries)-1]; last.ReplayParams != nil || entries[0].ReplayParams == nil || entries[4].Error == "" {
		t.Errorf("the log is %+v", entries)
	}
}

// TestScriptTree: a script can look at all elements, but into no password field.
func TestScriptTree(t *testing.T) {
	d := fake.New(1280, 800)
	d.Add(&fake.App{Info: desktop.AppInfo{Name: "Login"}, Windows: []*fake.Window{{Title: "Login", Bounds: desktop.Rect{Width: 400, Height: 300}, Nodes: []*fake.Node{
		{Role: "entry", Name: "User", Text: "ada", Identifier: "user"},
		{Role: "entry", Name: "Password", Text: "hunter2", States: desktop.Password},
	}}}})
	s := &sandbox{calls: []string{
		`{"tool": "ui", "action": "get_tree", "params": {}, "target": {"app": "Login"}}`,
		`{"tool": "ui", "action": "get_tree", "params": {}, "target": {"app": "Other"}}`,
	}}
	if o := run(t, d, oneScript(`}`), in(s)); o.Status != results.Passed {
		t.Fatal(o.Reason)
	}
	var answer struct{ Value []map[string]any }
	if err := json.Unmarshal([]byte(s.answers[0]), &answer); err != nil {
		t.Fatal(err)
	}
	byName := map[any]map[string]any{}
	for _, e := range answer.Value {
		byName[e["name"]] = e
	}
	if user := byName["User"]; user["text"] != "ada" || user["identifier"] != "user" || user["app"] != "Login" || user["depth"] != 2.0 {
		t.Errorf("%v", user)
	}
	if strings.Contains(s.answers[0], "hunter2") || byName["Password"] == nil {
		t.Errorf("%s", s.answers[0])
	}
	if s.answers[1] != `{"value":[]}` {
		t.Errorf("%s", s.answers[1])
	}
}

// TestScriptsAreGuarded: what steps may not do, scripts may not either.
func TestScriptsAreGuarded(t *testing.T) {
	n := newNumbers()
	s := &sandbox{calls: []string{`{"tool": "app", "action": "open", "params": {"name": "Numbers"}}`}}
	d := guard.Wrap(n.desktop, guard.Rules{AllowedApps: []string{"Mousepad"}})
	run(t, d, oneScript(`}`), in(s))
	if !strings.Contains(s.answers[0], `"kind":"action_refused"`) || !strings.Contains(s.answers[0], "not among the allowed apps") || n.desktop.Calls("OpenApp") > 0 {
		t.Errorf("%s", s.answers[0])
	}
}

// TestScriptsBlame: a script that fails since the environment does is no
// failure of the program; one that fails since an element is missing is.
func TestScriptsBlame(t *testing.T) {
	d := fake.New(1280, 800)
	d.FailNth("ReadClipboard", 1, &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: errors.New("connection lost")})
	s := &sandbox{calls: []string{`{"tool": "clipboard", "action": "read", "params": {}}`}, left: script.Outcome{ExitCode: 1, Error: "ToolError: connection lost"}}
	o := run(t, d, oneScript(`}`), in(s))
	if !strings.Contains(s.answers[0], `"kind":"environment_fault"`) || o.Status != results.Broken {
		t.Errorf("%s: %s after %s", o.Status, o.Reason, s.answers[0])
	}
	s = &sandbox{calls: []string{`{"tool": "ui", "action": "click", "params": {}, "target": {"title": "x"}, "timeout_ms": 10}`}, left: script.Outcome{ExitCode: 1, Error: "ToolError: x"}}
	if o := run(t, fake.New(1280, 800), oneScript(`}`), in(s)); o.Status != results.Failed {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
}

// TestAnInterruptedScriptIsNobodysFault as well as a step.
func TestAnInterruptedScriptIsNobodysFault(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sandbox{during: cancel}
	p := run(t, fake.New(1280, 800), oneScript(`}`), in(s), func(r *runner.Request) {
		emit := r.Emit
		attempt := runner.Run(ctx, runner.Request{Program: r.Program, Desktop: r.Desktop, Scripts: r.Scripts})
		if attempt.Status != results.Skipped || attempt.Steps[0].Failure != nil {
			t.Errorf("%s: %s", attempt.Status, attempt.Reason)
		}
		r.Emit, s.during = emit, nil
	})
	if p.Status != results.Passed {
		t.Error(p.Reason)
	}
}

// TestScriptsAndSecrets: the values of variables are in nothing that a script
// leaves, not even half of one at a cut.
func TestScriptsAndSecrets(t *testing.T) {
	const secret = "correct horse battery"
	hidden := secrets.New(map[string]string{"PASS": secret})
	var told []string
	s := &sandbox{left: script.Outcome{
		Output: []byte("the password is " + secret), Stdout: strings.Repeat("x", 40) + "corre\n[… 9 characters cut …]\nse battery and more", StdoutCut: 9,
		Stderr: "it is " + secret, Error: "ValueError: " + secret, ExitCode: 0,
	}}
	o := run(t, fake.New(1280, 800), oneScript(`}, "postcondition": {"kind": "output_contains", "value": "is ${env:PASS}"}`), in(s), func(r *runner.Request) {
		r.Secrets = hidden
		emit := r.Emit
		r.Emit = func(e results.Event) {
			data, err := json.Marshal(hidden.Event(e))
			if err != nil {
				t.Error(err)
			}
			told = append(told, string(data))
			emit(e)
		}
	})
	if o.Status != results.Passed {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
	all := strings.Join(told, "\n")
	for _, part := range []string{secret, "se battery", "corre"} {
		if strings.Contains(all, part) {
			t.Errorf("%q is told:\n%s", part, all)
		}
	}
	if !strings.Contains(all, "ValueError: ${env:PASS}") {
		t.Errorf("nothing is told:\n%s", all)
	}
}
