package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/program"
)

// strictProject is a project with a program that passes and one that fails.
func strictProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	learned := filepath.Join(dir, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, step := range map[string]string{
		"passes": `{"id": "s1", "tool": "wait", "params": {"ms": 10}}`,
		"fails":  `{"id": "s1", "tool": "ui", "params": {"action": "click"}, "target": {"app": "nowhere", "title": "Nothing"}, "resolve_timeout_ms": 100}`,
	} {
		if err := os.WriteFile(filepath.Join(learned, name+program.Suffix), []byte(`{"version": 1, "steps": [`+step+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runUnder runs the project under another command, which must exist.
func runUnder(t *testing.T, wrapper ...string) string {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Fatal("the machine has no Xvfb (ci/install-deps.sh installs it)")
	}
	tmp, err := os.MkdirTemp("", "od-") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	args := append(wrapper, "opendesk", "eval", "run", "learn-regression", "--workers", "1", "--isolation", "none", "--no-history", "--project", strictProject(t))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "NO_COLOR=1")
	out, _ := cmd.CombinedOutput()
	return string(out)
}

var verdicts = regexp.MustCompile(`(?m)^(PASS|FAIL|BROKEN)\s+learned/\w+|exit code \d`)

// TestVerdictsNeedNoNetwork: without an interface and a route the verdicts are
// the same.
func TestVerdictsNeedNoNetwork(t *testing.T) {
	if out, err := exec.Command("unshare", "-n", "true").CombinedOutput(); err != nil {
		t.Skipf("no network namespace can be made here: %v %s", err, out)
	}
	with := verdicts.FindAllString(runUnder(t), -1)
	out := runUnder(t, "unshare", "-n")
	without := verdicts.FindAllString(out, -1)
	if len(with) != 3 || fmt.Sprint(with) != fmt.Sprint(without) {
		t.Errorf("with %q, without %q\n%s", with, without, out)
	}
}

// socketCall is a socket that is opened by opendesk itself, in any of its
// processes: harness, keeper, host, worker.
var socketCall = regexp.MustCompile(`(?m)^\d+<opendesk>.*\bsocket(?:pair)?\((\w+)`)

// TestRunsOpenNoNetworkSockets: no process of opendesk opens a socket of another
// family than AF_UNIX in a run. What servers of the session and applications do
// is their own.
func TestRunsOpenNoNetworkSockets(t *testing.T) {
	if out, err := exec.Command("strace", "-f", "-Y", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("nothing can be traced here: %v %s", err, out)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	out := runUnder(t, "strace", "-f", "-qq", "-Y", "-e", "trace=socket,socketpair", "-o", trace)
	data, err := os.ReadFile(trace)
	if err != nil || !strings.Contains(out, "PASS    learned/passes") {
		t.Fatalf("%v\n%s", err, out)
	}
	families := map[string]int{}
	for _, m := range socketCall.FindAllStringSubmatch(string(data), -1) {
		families[m[1]]++
	}
	if families["AF_UNIX"] == 0 {
		t.Fatalf("nothing was seen: %v", families)
	}
	for family, n := range families {
		if family != "AF_UNIX" {
			t.Errorf("%d sockets of %s", n, family)
		}
	}
}

// promises are what no text may say of a run.
var promises = regexp.MustCompile(`(?i)\b(self-?heal\w*|auto-?(fix|repair|heal)\w*|heals?\b|(run|runs|runner|it|opendesk) (then |also |automatically )?(repairs?|fixes|mends?|heals?) (the |a |its |broken |failing )*(program|step|target)s?)`)

// TestNothingPromisesThatARunRepairs: neither help nor documents do.
func TestNothingPromisesThatARunRepairs(t *testing.T) {
	for _, lie := range []string{"Runs self-heal.", "the run repairs the program", "opendesk automatically fixes broken steps", "it heals"} {
		if !promises.MatchString(lie) {
			t.Errorf("%q is not found", lie)
		}
	}
	texts := map[string]string{}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, "../../README.md", "../../ARCHITECTURE.md") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(data)
	}
	for _, command := range []string{
		"", "eval", "eval run", "eval nightly", "learn", "learn run", "learn patch", "learn compile",
		"schedule", "schedule add", "schedule run", "schedule start",
	} {
		out, err := exec.Command("opendesk", append(strings.Fields(command), "--help")...).Output()
		if err != nil {
			t.Fatal(command, err)
		}
		texts[command+" --help"] = string(out)
	}
	for name, text := range texts {
		for _, found := range promises.FindAllString(text, -1) {
			t.Errorf("%s promises that a run repairs: %q", name, found)
		}
	}
}
