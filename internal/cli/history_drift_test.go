//go:build linux

package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrift: a step that passes by a weaker means than in the last good run is
// told of in the results, and fails the run where that is asked for.
func TestDrift(t *testing.T) {
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Fatal("the machine has no Xvfb (ci/install-deps.sh installs it)")
	}
	t.Parallel()
	numbers, err := filepath.Abs("../../fixtures/apps/numbers/numbers.py")
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	learned := filepath.Join(project, ".opendesk", "learned")
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile("../../fixtures/projects/office/.opendesk/learned/export-report.program.json")
	if err == nil {
		err = os.WriteFile(filepath.Join(learned, "export-report.program.json"), copied, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp("", "od-") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	run := func(output, switches string, want int, args ...string) string {
		t.Helper()
		config := fmt.Sprintf("apps: {Numbers: [%q%s]}\n", numbers, switches)
		if err := os.WriteFile(filepath.Join(project, ".opendesk", "eval.yaml"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("opendesk", append([]string{"eval", "run", "learn-regression", "--project", project,
			"--timeout-scale", "3", "--output", filepath.Join(project, output)}, args...)...)
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "NO_COLOR=1")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("exit code %d, want %d\n%s", code, want, out.String())
		}
		data, err := os.ReadFile(filepath.Join(project, output, "results.json"))
		if err != nil {
			t.Fatal(err)
		}
		return out.String() + string(data)
	}
	if text := run("one", "", 0, "--fail-on", "drift,slow"); strings.Contains(text, `"kind": "drift"`) {
		t.Errorf("the first run drifts:\n%s", text)
	}
	text := run("two", `, "--no-identifier"`, 1, "--fail-on", "drift")
	for _, want := range []string{
		"against the last good runs: 1 drifting",
		"note: --fail-on drift: .opendesk/learned/export-report.program.json",
		`"kind": "drift"`,
		"the target was found by its exact title, by its identifier in the last good run",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if text := run("three", `, "--no-identifier"`, 0, "--fail-on", "drift"); !strings.Contains(text, "nothing new") {
		t.Errorf("a drift is told twice:\n%s", text)
	}
}
