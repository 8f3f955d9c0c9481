package ctrf_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters/ctrf"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

var update = flag.Bool("update", false, "write golden files anew")

func write(t testing.TB, run *results.Run) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := ctrf.Write(&buf, run, ctrf.Options{RunDir: "/runs/1", ReportDir: "/runs"}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// The schema is held against these files by ci/consumers.
func TestGolden(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(),
		"cut": resultstest.Cut(), "hostile": resultstest.Hostile(), "scripts": resultstest.Scripts(),
	} {
		t.Run(name, func(t *testing.T) {
			got := write(t, stream.Run())
			golden := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("differs from %s (go test -update writes it anew):\n%s", golden, got)
			}
		})
	}
}

// Every verdict is what it is in the results.
func TestVerdicts(t *testing.T) {
	var r struct {
		Results struct {
			Summary map[string]int64
			Tests   []struct {
				TestID, Name, Status, RawStatus string
				Flaky                           bool
				RetryAttempts                   []struct{ Status string }
				Steps                           []struct{ Status string }
				Attachments                     []struct{ Path string }
			}
		}
	}
	if err := json.Unmarshal(write(t, resultstest.Mixed().Run()), &r); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int64{"tests": 10, "passed": 3, "failed": 3, "skipped": 1, "other": 3, "pending": 0, "flaky": 1} {
		if got := r.Results.Summary[key]; got != want {
			t.Errorf("%s is %d, not %d", key, got, want)
		}
	}
	want := map[string]string{
		"learned/export-report": "failed failed 1 passed,passed,failed", "learned/calc": "failed failed 0 passed,failed",
		"learned/terminal/hello": "passed passed 0 passed,passed", "learned/flaky": "passed flaky 1 passed,passed,passed",
		"learned/env-retry": "passed passed 1 passed,passed,passed", "learned/no-session": "other broken 0 skipped,skipped,skipped",
		"learned/crash": "other broken 0 passed,other,skipped", "learned/typo": "other invalid 0 ",
		"learned/quarantined": "skipped skipped 0 ", "learned/v1.2": "failed failed 1 passed,passed,failed",
	}
	ids := map[string]bool{}
	for _, test := range r.Results.Tests {
		var steps []string
		for _, s := range test.Steps {
			steps = append(steps, s.Status)
		}
		got := strings.Join([]string{test.Status, test.RawStatus, string(rune('0' + len(test.RetryAttempts))), strings.Join(steps, ",")}, " ")
		if got != want[test.Name] {
			t.Errorf("%s: %q, want %q", test.Name, got, want[test.Name])
		}
		if test.Flaky != (test.RawStatus == "flaky") || ids[test.TestID] {
			t.Errorf("%+v", test)
		}
		ids[test.TestID] = true
		for _, a := range test.Attachments {
			if !strings.HasPrefix(a.Path, "1/artifacts/") {
				t.Errorf("attachment %q", a.Path)
			}
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("s1", "reason", "text", int64(-5))
	f.Add("\xff", "\x00", "", int64(1)<<62)
	f.Fuzz(func(t *testing.T, id, reason, text string, ms int64) {
		steps := []results.Step{{ID: id, Summary: text, Status: results.StepFailed, Failure: &results.Failure{Reason: reason, Details: []string{text}}}}
		run := &results.Run{Suite: text, DurationMS: ms, Programs: []results.Program{
			{Path: id, Status: results.Failed, Reason: reason, DurationMS: ms, Attempts: []results.Attempt{{Status: results.Failed, Steps: steps, DurationMS: ms}, {Status: results.Broken}}},
			{Path: text, Status: results.Invalid, Problems: []results.Problem{{Message: text}}},
		}}
		if out := write(t, run); !json.Valid(out) || len(out) > 1<<20+20*len(reason)+20*len(text) {
			t.Errorf("%d bytes: %.200s", len(out), out)
		}
	})
}
