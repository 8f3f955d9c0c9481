package ci_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzAgain: only Go's own mistake at the end of the time is tried again.
func TestFuzzAgain(t *testing.T) {
	const (
		deadline = "--- FAIL: FuzzStore (11.04s)\n    context deadline exceeded\nFAIL\nexit status 1\n"
		found    = "--- FAIL: FuzzStore (0.10s)\n    --- FAIL: FuzzStore (0.00s)\n        store_test.go:9: context deadline exceeded\n    \n    Failing input written to testdata/fuzz/FuzzStore/1\nFAIL\n"
		good     = "fuzz: elapsed: 2s, execs: 4283 (868/sec)\nPASS\n"
	)
	for name, c := range map[string]struct {
		says  []string // what go prints, one after the other; it fails with all but good
		calls int
		told  string
		code  int
	}{
		"the first time":  {[]string{deadline, good}, 2, "ok    schedule:FuzzStore", 0},
		"always":          {[]string{deadline, deadline, deadline, good}, 3, "FAIL  schedule:FuzzStore", 123},
		"an input":        {[]string{found, good}, 1, "Failing input written", 123},
		"does not build":  {[]string{"FAIL\tschedule [build failed]\nFAIL\n", good}, 1, "build failed", 123},
		"nothing is said": {[]string{"", good}, 1, "FAIL  schedule:FuzzStore", 123},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i, text := range c.says {
				file := filepath.Join(dir, string(rune('1'+i)))
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			calls := filepath.Join(dir, "calls")
			script := "#!/bin/sh\necho call >>" + calls + "\nsaid=" + dir + "/$(grep -c . " + calls + ")\ncat $said\ngrep -q PASS $said\n"
			if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", "fuzz.sh")
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FUZZ=^schedule:FuzzStore$")
			out, _ := cmd.CombinedOutput()
			called, err := os.ReadFile(calls)
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := strings.Count(string(called), "call"); got != c.calls || !strings.Contains(string(out), c.told) || cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("%d calls, want %d; exit code %d: %s", got, c.calls, cmd.ProcessState.ExitCode(), out)
			}
		})
	}
}
