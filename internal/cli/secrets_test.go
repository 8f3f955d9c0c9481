//go:build linux && cgo

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/ocr/tess"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

const secret = secretText

// secretPrograms type the text into applications in several ways, and fail
// then: what they leave is a screenshot, a text read by OCR, and all the rest.
func secretPrograms(text string) map[string]string {
	const fails = `"postcondition": {"kind": "text_visible", "value": "nothing of the kind", "timeout_ms": 300}`
	quoted, _ := json.Marshal(text)
	more, _ := json.Marshal(text + " of another")
	open := func(app string) string {
		return fmt.Sprintf(`{"id": "s1", "tool": "app", "params": {"action": "open", "name": %q}, "target": {"app": %[1]q},
			"postcondition": {"kind": "app_frontmost", "value": %[1]q, "timeout_ms": 30000}}`, app)
	}
	return map[string]string{
		"field": open("mousepad") + fmt.Sprintf(`, {"id": "s2", "tool": "ui", "params": {"action": "type", "text": %s},
			"target": {"app": "mousepad", "role": "text"}, `+fails+`}`, quoted),
		"terminal": open("xterm") + fmt.Sprintf(`, {"id": "s2", "tool": "keyboard", "params": {"action": "type", "text": %s},
			"target": {"app": "xterm"}, "wait_ms": 500, `+fails+`}`, quoted),
		"clipboard": open("mousepad") + fmt.Sprintf(`, {"id": "s2", "tool": "clipboard", "params": {"action": "write", "text": %s}},
			{"id": "s3", "tool": "clipboard", "params": {"action": "read"}},
			{"id": "s4", "tool": "keyboard", "params": {"action": "hotkey", "keys": ["ctrl", "v"]}, "target": {"app": "mousepad"}, "wait_ms": 500},
			{"id": "s5", "tool": "ui", "params": {"action": "click"}, "target": {"app": "mousepad", "title": "Xylophone"},
			"resolve_timeout_ms": 300}`, quoted),
		"shown": open("shown") + fmt.Sprintf(`, {"id": "s2", "tool": "wait",
			"target": {"app": "shown"},
			"postcondition": {"kind": "window_title_contains", "value": %s, "timeout_ms": 300}}`, more),
	}
}

// runSecrets runs the programs and gives the run's folder and what was printed.
func runSecrets(t *testing.T, text string, args ...string) (dir, printed string) {
	t.Helper()
	for _, needed := range []string{"Xvfb", "mousepad", "xterm"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Fatal("the machine has no " + needed + " (ci/install-deps.sh installs it)")
		}
	}
	project := t.TempDir()
	learned := filepath.Join(project, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	config := "apps:\n  xterm: [xterm, -geometry, 70x10, -fa, DejaVu Sans Mono, -fs, '14', -e, /bin/cat]\n" +
		"  shown: [xterm, -geometry, 70x10, -fa, DejaVu Sans Mono, -fs, '14', -title, 'Called " + secret + "', -e, /bin/sh, -c, 'echo It says " + secret + "; cat']\n"
	if err := os.WriteFile(filepath.Join(project, ".opendesk", "eval.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, steps := range secretPrograms(text) {
		if err := os.WriteFile(filepath.Join(learned, name+program.Suffix), []byte(`{"version": 1, "steps": [`+steps+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir = filepath.Join(project, "out")
	run := exec.Command("opendesk", append([]string{
		"eval", "run", "learn-regression", "--project", project, "--output", dir, "--verbose", "--env-retries", "0", "--timeout-scale", "3",
	}, args...)...)
	run.Env = append(run.Environ(), "MY_SECRET="+secret, "NO_COLOR=1")
	out, err := run.CombinedOutput()
	if run.ProcessState.ExitCode() != results.ExitFailed {
		t.Fatalf("%v: %s", err, out)
	}
	return dir, string(out)
}

// shows reports in which pictures of a run the secret can be read.
func shows(t *testing.T, dir string) (in []string) {
	t.Helper()
	engine, err := tess.Open([]string{"eng"})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close() //nolint:errcheck // it only read
	reader := &ocr.Reader{Engine: engine}
	for name, data := range pictures(t, dir) {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		read, err := reader.Find(t.Context(), img, secret)
		if err != nil {
			t.Fatal(err)
		}
		if read.Found || read.Doubtful || strings.Contains(read.Text, "8842") || strings.Contains(read.Text, "Xylo") {
			in = append(in, name)
		}
	}
	return in
}

func pictures(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := filesBelow(t, dir)
	maps.DeleteFunc(found, func(name string, _ []byte) bool { return !strings.HasSuffix(name, ".png") })
	return found
}

// A secret is in nothing that a run leaves, whatever became of it.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	dir, printed := runSecrets(t, "${env:MY_SECRET}")
	nowhere(t, dir, printed, len(secretPrograms("")))
}

func nowhere(t *testing.T, dir, printed string, screenshots int) {
	t.Helper()
	everything := filesBelow(t, dir)
	everything["the console"] = []byte(printed)
	for name, data := range everything {
		if folded := strings.ToLower(strings.Join(strings.Fields(string(data)), "")); strings.Contains(folded, "xylophone8842") {
			at := strings.Index(string(data), "Xylo")
			t.Errorf("%s: …%s…", name, string(data)[max(0, at-100):min(len(data), at+60)])
		}
	}
	if n := len(pictures(t, dir)); n < screenshots {
		t.Errorf("only %d screenshots", n)
	}
	if in := shows(t, dir); len(in) > 0 {
		t.Errorf("it can be read in %v", in)
	}
	if !strings.Contains(string(everything[filepath.Join(dir, "results.json")]), "${env:MY_SECRET}") {
		t.Error("the variable is not named")
	}
}

// Written into the program, the same text is shown: the test above sees what
// there is to see.
func TestWhatIsNoSecretIsShown(t *testing.T) {
	t.Parallel()
	dir, printed := runSecrets(t, secret)
	if in := shows(t, dir); len(in) < len(secretPrograms(""))-1 || !strings.Contains(printed, secret) {
		t.Errorf("it can be read in %v only", in)
	}
}

// A variable that is not set makes the program broken at once, by name.
func TestUnsetVariable(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	learned := filepath.Join(project, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	const text = `{"version": 1, "steps": [{"id": "s1", "tool": "wait"},
		{"id": "s2", "tool": "keyboard", "params": {"action": "type", "text": "${env:OD_TEST_UNSET}"}}]}`
	if err := os.WriteFile(filepath.Join(learned, "p"+program.Suffix), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"eval", "run", "learn-regression"}, {"learn", "run", "p"}} {
		run := exec.Command("opendesk", append(command, "--project", project)...)
		run.Env = append(run.Environ(), "OD_TEST_UNSET=")
		out, _ := run.CombinedOutput()
		if code := run.ProcessState.ExitCode(); code != results.ExitBroken ||
			!strings.Contains(string(out), "the variable OD_TEST_UNSET is not set, or empty: step s2 needs it (${env:OD_TEST_UNSET})") {
			t.Errorf("%v: exit code %d: %s", command, code, out)
		}
	}
}

// Nor on somebody's own display, in whose environment it is.
func TestSecretsAreNowhereOnARealDisplay(t *testing.T) {
	u := newUserDesktop(t)
	programs := secretPrograms("${env:MY_SECRET}")
	delete(programs, "shown")
	c := u.eval(t, programs, "--verbose")
	c.done(t, results.ExitFailed)
	nowhere(t, c.dir, c.out.String(), len(programs))
}
