package cli_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
)

// opendesk runs the command in a folder and gives its output.
func opendesk(t *testing.T, dir string, code int, args ...string) string {
	t.Helper()
	cmd := exec.Command("opendesk", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("opendesk %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return string(out)
}

func runIn(t *testing.T, dir string) *results.Run {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // read only
	run, err := results.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Shards of a real evaluation make the run that it would have been as a whole;
// damaged ones make none.
func TestMergeOfRealShards(t *testing.T) {
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Fatal("the machine has no Xvfb (ci/install-deps.sh installs it)")
	}
	dir := t.TempDir()
	learned := filepath.Join(dir, ".opendesk", "learned")
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, step := range map[string]string{
		"a": `{"id": "s1", "tool": "wait"}`, "b": `{"id": "s1", "tool": "wait", "params": {"ms": 5}}`,
		"c": `{"id": "s1", "tool": "app", "params": {"action": "open", "name": "nowhere-to-be-found"}}`,
		"d": `{"id": "s1"}`, // invalid
	} {
		text := fmt.Sprintf(`{"name": %q, "version": 1, "steps": [%s]}`, name, step)
		if err := os.WriteFile(filepath.Join(learned, name+".program.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(code int, out string, args ...string) {
		opendesk(t, dir, code, append([]string{"eval", "run", "learn-regression", "--no-history", "--quiet", "--fail-on", "unchecked", "--pass-with-no-programs", "--output", out}, args...)...)
	}
	run(1, "whole")
	merge := []string{"eval", "merge", "-o", "merged"}
	for _, shard := range []string{"3", "1", "2"} {
		out := "shard-" + shard
		cmd := exec.Command("opendesk", "eval", "run", "learn-regression", "--no-history", "--quiet", "--fail-on", "unchecked",
			"--pass-with-no-programs", "--output", out, "--shard", shard+"/3")
		cmd.Dir = dir
		_ = cmd.Run() // by what is in it: the merged run tells
		merge = append(merge, out)
	}
	text := opendesk(t, dir, 1, merge...)
	if !strings.Contains(text, "results in merged") {
		t.Errorf("printed\n%s", text)
	}
	got, whole := runIn(t, filepath.Join(dir, "merged")), runIn(t, filepath.Join(dir, "whole"))
	difference, err := results.Difference(got, whole)
	if err != nil || difference != "" {
		t.Errorf("merged and whole differ: %s, %v", difference, err)
	}
	events, err := os.Open(filepath.Join(dir, "merged", "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close() //nolint:errcheck // read only
	rebuilt, err := results.Rebuild(events)
	if err != nil {
		t.Fatal(err)
	}
	if difference, err = results.Difference(rebuilt, whole); err != nil || difference != "" {
		t.Errorf("rebuilt and whole differ: %s, %v", difference, err)
	}
	shot := filepath.Join("artifacts", "c", "attempt-1", "s1.png")
	for _, name := range []string{shot, "junit.xml", "report.html", "audit.ndjson"} {
		if _, err := os.Stat(filepath.Join(dir, "merged", name)); err != nil {
			t.Error(err)
		}
	}

	// Everything that is wrong is told at once, and nothing is made.
	found, err := filepath.Glob(filepath.Join(dir, "shard-*", shot))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if err := os.WriteFile(found[0], []byte("another picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	text = opendesk(t, dir, 2, "eval", "merge", "-o", "bad", "shard-1", "shard-2", "shard-3")
	if !strings.Contains(text, "s1.png: is not the file that results.json tells of") {
		t.Errorf("printed\n%s", text)
	}
	text = opendesk(t, dir, 2, "eval", "merge", "-o", "bad", "whole", "nowhere", "shard-1")
	if !strings.Contains(text, "nowhere") || !strings.Contains(text, "whole: is a whole run, not a shard") {
		t.Errorf("printed\n%s", text)
	}
	text = opendesk(t, dir, 2, "eval", "merge", "-o", "bad", "shard-1", "shard-1")
	if !strings.Contains(text, "shard-1: is shard 1/3, and so is shard-1") || !strings.Contains(text, "missing are the shards 2/3, 3/3") {
		t.Errorf("printed\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(dir, "bad")); err == nil {
		t.Error("a folder was left")
	}
	opendesk(t, dir, 2, "eval", "merge", "-o", "merged", "shard-1", "shard-2", "shard-3") // not empty
	opendesk(t, dir, 2, "eval", "merge", "shard-1")                                       // where to?
}
