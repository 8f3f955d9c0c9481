//go:build linux

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// liveSession starts a session that ends with the test, and gives what runs
// commands about it.
func liveSession(t *testing.T, args ...string) (do func(code int, args ...string) string, tmp string) {
	t.Helper()
	for _, needed := range []string{"Xvfb", "openbox", "mousepad"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Fatal("the machine has no " + needed + " (ci/install-deps.sh installs it)")
		}
	}
	tmp, err := os.MkdirTemp("", "od-") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	dir := t.TempDir()
	do = func(code int, args ...string) string {
		t.Helper()
		cmd := exec.Command("opendesk", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_RUNTIME_DIR=", "NO_COLOR=1")
		out, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) || cmd.ProcessState.ExitCode() != code {
			t.Errorf("opendesk %s: %v, want exit code %d\n%s", strings.Join(args, " "), err, code, out)
		}
		return string(out)
	}
	t.Cleanup(func() { do(0, "session", "stop", "--all") })
	do(0, append([]string{"session", "start", "--name", "desk"}, args...)...)
	return do, tmp
}

// ownersIn lists the processes that own the clipboard of a session in the
// folder.
func ownersIn(t *testing.T, tmp string) (found []string) {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range commands {
		command, _ := os.ReadFile(name)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "environ"))
		if bytes.Contains(command, []byte("\x00clipboard-owner\x00")) && bytes.Contains(env, []byte(tmp)) {
			found = append(found, filepath.Dir(name))
		}
	}
	return found
}

// awaitOwners waits for as many owners.
func awaitOwners(t *testing.T, tmp string, want int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		found := ownersIn(t, tmp)
		if len(found) == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the clipboard's owners are %v, want %d", found, want)
		}
	}
}

// What a command has copied can be pasted by the next one. What keeps it ends
// once somebody else copies, and with the session.
func TestClipboardOutlivesItsCommand(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"auto", "none"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			do, tmp := liveSession(t, "--isolation", isolation)
			do(0, "do", "clipboard", "write", "first text")
			do(0, "do", "clipboard", "write", "Übung: kept text")
			if out := do(0, "do", "clipboard", "read"); out != "clipboard read: passed: \"Übung: kept text\"\n" {
				t.Error(out)
			}
			awaitOwners(t, tmp, 1)
			do(0, "do", "app", "open", "mousepad")
			do(0, "do", "keyboard", "hotkey", "ctrl", "v", "--app", "mousepad", "--expect-text", "Übung: kept text")
			do(0, "do", "keyboard", "type", " more", "--app", "mousepad", "--expect-text", "kept text more")
			do(0, "do", "keyboard", "hotkey", "ctrl", "a", "--app", "mousepad")
			do(0, "do", "keyboard", "hotkey", "ctrl", "c", "--app", "mousepad")
			if out := do(0, "do", "clipboard", "read"); out != "clipboard read: passed: \"Übung: kept text more\"\n" {
				t.Error(out)
			}
			awaitOwners(t, tmp, 0)
			long := strings.Repeat("a long text, ", 20_000) // handed over in parts
			step := `{"tool": "clipboard", "params": {"action": "write", "text": "` + long + `"}}`
			file := filepath.Join(tmp, "step.json")
			if err := os.WriteFile(file, []byte(step), 0o600); err != nil {
				t.Fatal(err)
			}
			do(0, "do", "--json", file)
			if out := do(0, "do", "clipboard", "read"); !strings.Contains(out, long) {
				t.Errorf("%.200s", out)
			}
			awaitOwners(t, tmp, 1)
			do(0, "session", "stop", "desk")
			awaitOwners(t, tmp, 0)
		})
	}
}
