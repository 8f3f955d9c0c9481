//go:build linux

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

const secretText = "Xylophone 8842"

// Programs that change what is to be put back.
const (
	openNumbers = `{"id": "s1", "tool": "app", "params": {"action": "open", "name": "Numbers"}, "target": {"app": "Numbers"},
		"postcondition": {"kind": "app_frontmost", "value": "Numbers", "timeout_ms": 30000}}`
	// typesMuch lends keys to characters and moves the pointer.
	typesMuch = openNumbers + `, {"id": "s2", "tool": "ui", "params": {"action": "type", "text": "漢字 zażółć"},
		"target": {"app": "Numbers", "identifier": "title-entry"}, "postcondition": {"kind": "text_visible", "value": "漢字 zażółć"}},
		{"id": "s3", "tool": "mouse", "params": {"action": "click", "x": 300, "y": 40}}`
	copiesMuch = `{"id": "s1", "tool": "clipboard", "params": {"action": "write", "text": "of the run"}},
		{"id": "s2", "tool": "keyboard", "params": {"action": "press", "key": "capslock"}}`
	// opensAnother opens a second window in a process of the user's.
	opensAnother = `{"id": "s1", "tool": "app", "params": {"action": "focus", "name": "mousepad"}},
		{"id": "s2", "tool": "keyboard", "params": {"action": "hotkey", "keys": ["ctrl", "shift", "n"]},
		"postcondition": {"kind": "window_title_contains", "value": "Untitled", "timeout_ms": 20000}},
		{"id": "s3", "tool": "app", "params": {"action": "focus", "name": "xterm"}}`
	failsAtOnce = openNumbers + `, {"id": "s2", "tool": "clipboard", "params": {"action": "write", "text": "of the run"}},
		{"id": "s3", "tool": "wait", "postcondition": {"kind": "window_title_contains", "value": "nothing of the kind", "timeout_ms": 200}}`
	takesLong = openNumbers + `, {"id": "s2", "tool": "ui", "params": {"action": "type", "text": "漢字 zażółć"},
		"target": {"app": "Numbers", "identifier": "title-entry"}},
		{"id": "s3", "tool": "clipboard", "params": {"action": "write", "text": "of the run"}},
		{"id": "s4", "tool": "wait", "params": {"ms": 4000}}, {"id": "s5", "tool": "wait", "params": {"ms": 60000}}`
)

// onDesktop starts eval run with these programs on the user's desktop.
func (u *userDesktop) eval(t *testing.T, programs map[string]string, args ...string) *command {
	t.Helper()
	numbers, err := filepath.Abs("../../fixtures/apps/numbers/numbers.py")
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	learned := filepath.Join(project, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("apps: {Numbers: [%s], xterm: [xterm, -geometry, 70x10, -fa, DejaVu Sans Mono, -fs, '14', -e, /bin/cat]}\n", numbers)
	if err := os.WriteFile(filepath.Join(project, ".opendesk", "eval.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, steps := range programs {
		if err := os.WriteFile(filepath.Join(learned, name+program.Suffix), []byte(`{"version": 1, "steps": [`+steps+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &command{tmp: u.home, dir: filepath.Join(project, "out")}
	c.Cmd = exec.Command("opendesk", append([]string{
		"eval", "run", "learn-regression", "--project", project, "--output", c.dir, "--display", "real", "--timeout-scale", "3", "--env-retries", "0",
	}, args...)...)
	c.Env = u.env
	c.Stdout, c.Stderr = &c.out, &c.out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// done waits for the command and reads its results.
func (c *command) done(t *testing.T, code int) *results.Run {
	t.Helper()
	_ = c.Wait()
	if got := c.ProcessState.ExitCode(); got != code {
		t.Fatalf("exit code %d, want %d: %s", got, code, c.out.String())
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var run results.Run
	if err := json.Unmarshal(data, &run); err != nil {
		t.Fatal(err)
	}
	for _, p := range run.Programs {
		for _, w := range p.Warnings {
			if w.Kind == results.WarnNote {
				t.Errorf("%s: %s", p.Path, w.Message)
			}
		}
	}
	return &run
}

// What a run changes of somebody's own desktop is put back, however it ends.
func TestRealDisplayIsPutBack(t *testing.T) {
	u := newUserDesktop(t)
	before := u.state(t)

	t.Run("passed", func(t *testing.T) {
		run := u.eval(t, map[string]string{"a": typesMuch, "b": copiesMuch, "c": opensAnother}).done(t, 0)
		if e := run.Environment; e.Display != u.Display || e.Geometry != "1024x768" || e.Workers != 1 {
			t.Errorf("%+v", e)
		}
		u.same(t, before)
	})
	t.Run("learn run", func(t *testing.T) {
		c := u.eval(t, map[string]string{"a": copiesMuch})
		c.done(t, 0)
		run := exec.Command("opendesk", "learn", "run", "a", "--project", filepath.Dir(c.dir), "--display", u.Display)
		run.Env = u.env
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		u.same(t, before)
	})
	t.Run("do", func(t *testing.T) {
		project := t.TempDir()
		if err := os.Mkdir(filepath.Join(project, ".opendesk"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			code int
			told string
			args []string
		}{
			{0, "passed", []string{"ui", "click", "--app", "mousepad", "--role", "text", "--expect-text", "Dear reader"}},
			{0, "passed", []string{"keyboard", "press", "End"}},
			{0, "passed", []string{"mouse", "move", "--x", "10", "--y", "20"}},
			{0, "passed", []string{"app", "open", "xterm"}},
			{1, "target not found", []string{"ui", "click", "--app", "mousepad", "--title", "nowhere", "--resolve-timeout-ms", "100"}},
		} {
			do := exec.Command("opendesk", slices.Concat([]string{"do"}, step.args, []string{"--display", "real", "--project", project})...)
			do.Env = u.env
			if out, _ := do.CombinedOutput(); do.ProcessState.ExitCode() != step.code || !strings.Contains(string(out), step.told) {
				t.Errorf("%q: exit code %d: %s", step.args, do.ProcessState.ExitCode(), out)
			}
		}
		log, err := os.ReadFile(filepath.Join(project, ".opendesk", "do.audit.ndjson"))
		if err != nil || bytes.Count(log, []byte("\n")) < 4 {
			t.Errorf("the log: %s, %v", log, err)
		}
		u.same(t, before)
	})
	t.Run("failed", func(t *testing.T) {
		u.eval(t, map[string]string{"a": failsAtOnce, "b": typesMuch}).done(t, 1)
		u.same(t, before)
	})
	t.Run("interrupted", func(t *testing.T) {
		c := u.eval(t, map[string]string{"a": takesLong, "b": copiesMuch})
		c.awaitSteps(t, 4)
		second := u.eval(t, map[string]string{"x": copiesMuch})
		_ = second.Wait()
		if out := second.out.String(); second.ProcessState.ExitCode() != results.ExitBroken ||
			!strings.Contains(out, fmt.Sprintf("display %s is in use by process %d (opendesk eval run ", u.Display, c.Process.Pid)) {
			t.Errorf("a second run: exit code %d, %s", second.ProcessState.ExitCode(), out)
		}
		c.interrupt(t)
		c.done(t, results.ExitInterrupted)
		u.same(t, before)
	})
	t.Run("interrupted twice", func(t *testing.T) {
		c := u.eval(t, map[string]string{"a": takesLong})
		c.awaitSteps(t, 5)
		c.interrupt(t)
		time.Sleep(100 * time.Millisecond)
		c.interrupt(t)
		c.done(t, results.ExitInterrupted)
		u.same(t, before)
	})
	t.Run("its worker was killed", func(t *testing.T) {
		c := u.eval(t, map[string]string{"a": takesLong})
		c.awaitSteps(t, 4)
		kill(t, c.processes("worker"))
		c.done(t, results.ExitBroken)
		u.same(t, before)
	})
	t.Run("its keeper was killed", func(t *testing.T) {
		c := u.eval(t, map[string]string{"a": takesLong})
		c.awaitSteps(t, 4)
		kill(t, slices.DeleteFunc(c.processes("session-host"), func(pid int) bool { return !has(pid, "OPENDESK_SESSION_KEEPER=") }))
		c.done(t, results.ExitBroken)
		u.same(t, before)
	})
	t.Run("it was killed", func(t *testing.T) {
		c := u.eval(t, map[string]string{"a": takesLong})
		c.awaitSteps(t, 4)
		kill(t, []int{c.Process.Pid})
		_ = c.Wait()
		for name, data := range filesBelow(t, c.dir) {
			if strings.Contains(string(data), secretText) {
				t.Errorf("%s has a secret of the user's environment", name)
			}
		}
		u.await(t, "the end of the session", func() bool { return len(c.processes("session-host")) == 0 || holders(c) })
		u.same(t, before)
		u.eval(t, map[string]string{"b": copiesMuch}).done(t, 0) // the lock is free
		u.same(t, before)
	})
}

// processes are the processes of the desktop that are opendesk's with that word.
func (c *command) processes(word string) (pids []int) {
	for _, name := range c.left() {
		cmdline, err := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if err == nil && bytes.Contains(cmdline, []byte("\x00"+word+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// holders tells whether nothing but what serves the clipboard is left.
func holders(c *command) bool {
	for _, pid := range c.processes("session-host") {
		if !has(pid, "OPENDESK_SESSION_PUT_BACK=") {
			return false
		}
	}
	return true
}

// has tells whether the process has that in its environment, or is gone.
func has(pid int, variable string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err != nil || bytes.Contains(env, []byte("\x00"+variable))
}

// A desktop without an accessibility bus says what to do.
func TestRealDisplayWithoutAccessibility(t *testing.T) {
	u := newBareDesktop(t)
	c := u.eval(t, map[string]string{"a": copiesMuch})
	_ = c.Wait()
	out := c.out.String()
	if c.ProcessState.ExitCode() != results.ExitBroken || !strings.Contains(out, "the session bus gives no accessibility bus") ||
		!strings.Contains(out, "apt-get install at-spi2-core") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), out)
	}
	if left := c.left(); len(left) > 1 { // the bus
		t.Errorf("processes are left: %v", left)
	}
}

func kill(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) != 1 {
		t.Fatalf("processes %v", pids)
	}
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
