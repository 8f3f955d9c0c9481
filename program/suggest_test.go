package program

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/opendesk/opendesk/internal/fold"
)

// loadStep gives the only step of a program.
func loadStep(t *testing.T, step string) Step {
	t.Helper()
	prog, problems := Parse("x", []byte(`{"version": 1, "steps": [`+step+`]}`))
	if prog == nil {
		t.Fatal(problems)
	}
	return prog.Steps[0]
}

func TestPatchCommand(t *testing.T) {
	click := `{"id": "s3", "tool": "ui", "params": {"action": "click"},
     "target": {"app": "Numbers", "role": "AXButton", "title": "PDF", "identifier": "export-pdf", "//": "kept"},
     "postcondition": {"kind": "element_exists", "value": "Done", "timeout_ms": 5e3}, "wait_ms": 300}`
	for name, c := range map[string]struct {
		step string
		r    Replacement
		want string
	}{
		"a target without identifier": {click,
			Replacement{Place: InTarget, Found: Target{App: "Numbers 2", Role: "AXButton", Title: "Export…"}},
			`opendesk learn patch export-report --step-id=s3 '{"id": "s3", "tool": "ui", "params": {"action": "click"}, "target": {"app": "Numbers", "role": "AXButton", "title": "Export…", "//": "kept"}, "postcondition": {"kind": "element_exists", "value": "Done", "timeout_ms": 5e3}, "wait_ms": 300}'`},
		"an expected title": {click,
			Replacement{Place: InPostcondition, Found: Target{App: "Numbers", Role: "push button", Title: "It's done"}},
			`opendesk learn patch export-report --step-id=s3 '{"id": "s3", "tool": "ui", "params": {"action": "click"}, "target": {"app": "Numbers", "role": "AXButton", "title": "PDF", "identifier": "export-pdf", "//": "kept"}, "postcondition": {"kind": "element_exists", "value": "It'\''s done", "timeout_ms": 5e3}, "wait_ms": 300}'`},
		"an expected title, found by identifier only": {click,
			Replacement{Place: InPostcondition, Found: Target{Role: "label", Identifier: "done"}},
			`opendesk learn patch export-report --step-id=s3 '{"id": "s3", "tool": "ui", "params": {"action": "click"}, "target": {"app": "Numbers", "role": "AXButton", "title": "PDF", "identifier": "export-pdf", "//": "kept"}, "postcondition": {"kind": "element_exists", "value": {"role": "label", "identifier": "done"}, "timeout_ms": 5e3}, "wait_ms": 300}'`},
		"an expected element": {`{"id": "a b", "tool": "wait", "postcondition": {"kind": "element_exists", "value": {"app": "A", "title": "x", "ref": "r"}}}`,
			Replacement{Place: InPostcondition, Found: Target{App: "B", Title: "y"}},
			`opendesk learn patch export-report '--step-id=a b' '{"id": "a b", "tool": "wait", "postcondition": {"kind": "element_exists", "value": {"app": "A", "title": "y"}}}'`},
		"the older form": {`{"id": "s1", "tool": "ui", "params": {"action": "click", "app": "gedit", "title": "Save", "window_index": 1}}`,
			Replacement{Place: InTarget, Found: Target{Title: "Save As"}},
			`opendesk learn patch export-report --step-id=s1 '{"id": "s1", "tool": "ui", "params": {"action": "click", "window_index": 1}, "target": {"app": "gedit", "title": "Save As"}}'`},
		"a menu": {`{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export"}}`,
			Replacement{Place: InMenu, Missed: Target{Title: "File"}, Found: Target{Role: "menu", Title: "Document"}},
			`opendesk learn patch export-report --step-id=s2 '{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "Document", "menu_item": "Export"}}'`},
		"a menu's item": {`{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export"}}`,
			Replacement{Place: InMenu, Missed: Target{Title: "Export"}, Found: Target{Title: "Export To"}},
			`opendesk learn patch export-report --step-id=s2 '{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export To"}}'`},
		"an item of a nested menu": {`{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export > PDF"}}`,
			Replacement{Place: InMenu, Missed: Target{Title: "PDF"}, Found: Target{Title: "PDF…"}},
			`opendesk learn patch export-report --step-id=s2 '{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "path": ["File", "Export", "PDF…"]}}'`},
		"an item with a separator in it": {`{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export"}}`,
			Replacement{Place: InMenu, Missed: Target{Title: "Export"}, Found: Target{Title: "A > B"}},
			`opendesk learn patch export-report --step-id=s2 '{"id": "s2", "tool": "ui", "params": {"action": "click_menu", "path": ["File", "A > B"]}}'`},
		"another project": {`{"id": "s1", "tool": "ui", "params": {"action": "get_value"}, "target": {"title": "a"}}`,
			Replacement{Place: InTarget, Found: Target{Title: "b"}, Project: "/home/me/my project"},
			`opendesk learn patch '--project=/home/me/my project' export-report --step-id=s1 '{"id": "s1", "tool": "ui", "params": {"action": "get_value"}, "target": {"title": "b"}}'`},
		"nothing found":        {click, Replacement{Place: InTarget, Found: Target{App: "Numbers"}}, ""},
		"no such menu":         {click, Replacement{Place: InMenu, Missed: Target{Title: "PDF"}, Found: Target{Title: "x"}}, ""},
		"no target":            {`{"id": "s1", "tool": "wait"}`, Replacement{Place: InTarget, Found: Target{Title: "x"}}, ""},
		"nothing expected":     {`{"id": "s1", "tool": "wait"}`, Replacement{Place: InPostcondition, Found: Target{Title: "x"}}, ""},
		"an id with NUL in it": {`{"id": "s\u00001", "tool": "ui", "params": {"action": "click"}, "target": {"title": "a"}}`, Replacement{Place: InTarget, Found: Target{Title: "x"}}, ""},
	} {
		if got := PatchCommand(".opendesk/learned/export-report.program.json", loadStep(t, c.step), c.r); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

var hostile = []string{
	"plain", "it's", `"quoted"`, "a\nb", "ends\n", "\n", "a\tb\r", "\x1b[31mred\x1b[0m", "$(touch pwned)", "`touch pwned`", "$HOME ~ *",
	`\`, `\\n`, `a\`, "!!", "; rm -rf x #", "-n", "--", "%s%n%%", "\u202Eevil\u202C", "zero\u200bwidth", "żółw 日本 🎉", "\U000E0001tag", "'", "''", "'\n'", "\x7f\u0085\u2028",
	"a\\0101", "&|<>(){}[]?^", "é\u0301",
}

// TestPatchCommandThroughAShell runs the command lines for hostile titles, ids
// and file names in a real shell, with an opendesk that tells its arguments.
func TestPatchCommandThroughAShell(t *testing.T) {
	dir := t.TempDir()
	tell := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done\n"
	if err := os.WriteFile(filepath.Join(dir, "opendesk"), []byte(tell), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range hostile {
		id, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []Step{
			loadStep(t, `{"id": "s1", "tool": "ui", "params": {"action": "click"}, "target": {"title": "old"}, "note": `+string(id)+`}`),
			loadStep(t, `{"id": `+string(nonBlank(id))+`, "tool": "ui", "params": {"action": "click"}, "target": {"title": "old"}}`),
		} {
			path := LearnedDir + "/" + strings.ReplaceAll(text, "/", "") + Suffix
			command := PatchCommand(path, s, Replacement{Place: InTarget, Found: Target{Title: text, Identifier: text}})
			for _, r := range strings.TrimRight(strings.ReplaceAll(command, "\n'", ""), "\n") {
				if !unicode.IsPrint(r) {
					t.Errorf("%q: the command has %q in it: %s", text, r, command)
				}
			}
			sh := exec.Command("sh", "-c", command)
			sh.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8"}
			sh.Dir = dir
			out, err := sh.Output()
			if err != nil {
				t.Errorf("%q: %v: %s", text, err, command)
				continue
			}
			args := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
			var positional []string
			gotID := ""
			for _, a := range args[2:] {
				if v, ok := strings.CutPrefix(a, "--step-id="); ok && gotID == "" {
					gotID = v
				} else if a != "--" || len(positional) > 0 || text == "--" {
					positional = append(positional, a)
				}
			}
			if text == "--" {
				positional = positional[1:]
			}
			if len(positional) != 2 || gotID != s.ID || positional[0] != TaskName(path) {
				t.Errorf("%q: arguments %q", text, args)
				continue
			}
			prog, problems := Parse("x", []byte(`{"version": 1, "steps": [`+positional[1]+`]}`))
			if prog == nil {
				t.Errorf("%q: %v in %s", text, problems, positional[1])
				continue
			}
			want := Target{Title: text, Identifier: text}
			if fold.Title(text) == "" {
				want.Title = ""
			}
			if got := prog.Steps[0]; got.ID != s.ID || got.Note != s.Note || *got.Target != want {
				t.Errorf("%q: the step is %s", text, positional[1])
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("a command made files: %v %v", entries, err)
	}
}

// nonBlank makes an id of a text that shows nothing.
func nonBlank(id []byte) []byte {
	if bytes.Equal(id, []byte(`"\n"`)) {
		return []byte(`"\nx\n"`)
	}
	return id
}
