package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/opendesk/opendesk/internal/cli"
	"github.com/opendesk/opendesk/program"
)

// TestSuggestedPatch pastes the command that a failure suggests into a shell:
// the program then looks for what was found, and nothing else has changed.
func TestSuggestedPatch(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "opendesk")); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(t.TempDir(), "it's a project")
	learned := filepath.Join(project, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	const before, after = "{\"//\": \"kept\",  \"version\": 1, \"steps\": [\n\t", ",\n\t{\"id\":\"s2\",\"tool\":\"wait\"}]}\n"
	step := `{"id": "s1", "tool": "ui", "params": {"action": "click"}, "target": {"app": "Numbers", "role": "AXButton", "title": "PDF", "identifier": "export-pdf"}}`
	path := program.LearnedDir + "/export-report" + program.Suffix
	file := filepath.Join(project, path)
	for _, title := range []string{"Export…", `It's "done"`, "a\nb\tc", "\x1b[31mred", "$(touch pwned) `id` \\", "\u202Eevil", "日本 🎉"} {
		if err := os.WriteFile(file, []byte(before+step+after), 0o644); err != nil {
			t.Fatal(err)
		}
		prog, problems := program.Load(file, path)
		if prog == nil {
			t.Fatal(problems)
		}
		command := program.PatchCommand(path, prog.Steps[0], program.Replacement{
			Place: program.InTarget, Found: program.Target{App: "Numbers", Role: "AXButton", Title: title}, Project: project,
		})
		sh := exec.Command("sh", "-c", command)
		sh.Dir = t.TempDir()
		sh.Env = append(os.Environ(), "PATH="+bin+":/usr/bin:/bin")
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s\n%s", title, err, out, command)
			continue
		}
		patched, problems := program.Load(file, path)
		if patched == nil {
			t.Errorf("%q: %v", title, problems)
			continue
		}
		want := program.Target{App: "Numbers", Role: "AXButton", Title: title}
		if got := *patched.Steps[0].Target; got != want {
			t.Errorf("%q: the target is %+v", title, got)
		}
		if got := string(patched.Raw); got != before+string(patched.Steps[0].Raw)+after {
			t.Errorf("%q: more than the step was changed:\n%s", title, got)
		}
		if made, err := os.ReadDir(sh.Dir); err != nil || len(made) > 0 {
			t.Errorf("%q: files were made: %v %v", title, made, err)
		}
	}
}

// TestPatchIsInterrupted interrupts a patch that waits for its step.
func TestPatchIsInterrupted(t *testing.T) {
	project := t.TempDir()
	learned := filepath.Join(project, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(learned, "a"+program.Suffix)
	const text = `{"version": 1, "steps": [{"id": "s1", "tool": "wait"}]}`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	never, end := io.Pipe()
	defer end.Close()
	var out, errs bytes.Buffer
	st := &cli.State{
		Args: []string{"learn", "patch", "a", "--project", project, "-"}, Stdin: never, Stdout: &out, Stderr: &errs,
		Getenv: os.Getenv, Now: time.Now,
	}
	interrupted, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	if code := cli.Run(interrupted, st); code != 130 || errs.String() != "opendesk: interrupted: nothing was changed\n" {
		t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != text {
		t.Errorf("%s %v", data, err)
	}
}
