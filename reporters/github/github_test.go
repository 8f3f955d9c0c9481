package github_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters/github"
	"github.com/opendesk/opendesk/reporters/markdown"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

var update = flag.Bool("update", false, "write golden files anew")

func annotations(t testing.TB, run *results.Run) string {
	t.Helper()
	var buf bytes.Buffer
	if err := github.WriteAnnotations(&buf, run); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestGolden(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"passing": resultstest.Passing(), "mixed": resultstest.Mixed(), "cut": resultstest.Cut(), "hostile": resultstest.Hostile(),
		"scripts": resultstest.Scripts(),
	} {
		t.Run(name, func(t *testing.T) {
			got := annotations(t, stream.Run())
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (go test -update writes it anew):\n%s", golden, got)
			}
		})
	}
}

// aCommand is a line as the runner reads it.
var aCommand = regexp.MustCompile(`^::(error|warning) ((?:[a-z]+=[^:,\r\n]*,?)*)::([^\r\n]+)$`)

var unescapes = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")

// command is an annotation as the runner has it.
type command struct {
	level, text string
	properties  map[string]string
}

func parse(t testing.TB, out string) (list []command) {
	t.Helper()
	for line := range strings.Lines(out) {
		m := aCommand.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("not one annotation: %q", line)
		}
		c := command{level: m[1], text: unescapes.Replace(m[3]), properties: map[string]string{}}
		for pair := range strings.SplitSeq(m[2], ",") {
			name, value, ok := strings.Cut(pair, "=")
			if !ok || c.properties[name] != "" {
				t.Fatalf("property %q of %q", pair, line)
			}
			c.properties[name] = unescapes.Replace(value)
		}
		list = append(list, c)
	}
	return list
}

func failing(n int, reason string) *results.Run {
	run := &results.Run{}
	for i := range n {
		run.Programs = append(run.Programs, results.Program{
			Path: fmt.Sprintf("p%d", i), File: "a,b:c%.json", Status: results.Failed, Reason: reason,
			Attempts: []results.Attempt{{Status: results.Failed, Steps: []results.Step{{
				ID: "s1", Line: 7, Column: 3, Status: results.StepFailed, Failure: &results.Failure{Reason: reason},
			}}}},
		})
	}
	return run
}

func TestEscapingIsUndoneByTheRunner(t *testing.T) {
	const reason = "100% of a, b: c\r\nnext::error file=x::owned %0A"
	got := parse(t, annotations(t, failing(1, reason)))
	if len(got) != 1 || got[0].text != reason || got[0].properties["file"] != "a,b:c%.json" || got[0].properties["line"] != "7" ||
		got[0].properties["col"] != "3" || got[0].properties["title"] != "failed: p0, step s1" {
		t.Errorf("%+v", got)
	}
}

func TestCap(t *testing.T) {
	run := failing(25, "no")
	for range 12 {
		run.Programs = append(run.Programs, results.Program{Path: "f", Status: results.Flaky, Reason: "once"})
	}
	got := parse(t, annotations(t, run))
	if len(got) != 20 {
		t.Fatalf("%d annotations", len(got))
	}
	if !strings.HasPrefix(got[9].text, "16 more") || got[9].level != "error" || !strings.HasPrefix(got[19].text, "3 more") || got[19].level != "warning" {
		t.Errorf("%+v %+v", got[9], got[19])
	}
	if n := len(parse(t, annotations(t, failing(10, "no")))); n != 10 {
		t.Errorf("%d annotations of 10 programs", n)
	}
	if long := annotations(t, failing(1, strings.Repeat("%", 1<<20))); len(long) > 20<<10 {
		t.Errorf("an annotation of %d bytes", len(long))
	}
}

func TestSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary.md")
	if err := os.WriteFile(path, []byte("# before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := github.AppendSummary(path, resultstest.Mixed().Run()); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(first), "# before\n## ❌ Failed") {
		t.Errorf("%v %.100s", err, first)
	}
	// 200 failures with reasons of 10 KB, after what is there already.
	if err := github.AppendSummary(path, failing(200, strings.Repeat("0123456789", 1<<10))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) >= 1<<20 || len(text) < 1<<19 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	end := text[bytes.LastIndexByte(bytes.TrimSpace(text), '\n'):]
	if !bytes.Contains(end, []byte(" more: see results.json")) {
		t.Errorf("it ends with %q", end)
	}
	// A summary that is full is said to be, and not made larger than GitHub takes.
	if err := github.AppendSummary(path, failing(200, strings.Repeat("0123456789", 1<<10))); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("error %v", err)
	}
	if err := github.AppendSummary(t.TempDir(), resultstest.Empty().Run()); err == nil {
		t.Error("a folder is no summary")
	}
}

func FuzzAnnotations(f *testing.F) {
	f.Add("a.json", "s1", "::error::x", "\r\n%0A,:=")
	f.Add("\xff\u2028", ",", "", "\x00")
	f.Fuzz(func(t *testing.T, file, id, reason, detail string) {
		run := failing(1, reason)
		p := &run.Programs[0]
		p.File, p.Path = file, detail
		p.Attempts[0].Steps[0].ID = id
		p.Attempts[0].Steps[0].Failure.Details = []string{detail}
		run.Programs = append(run.Programs,
			results.Program{Path: file, File: file, Status: results.Invalid, Reason: reason, Problems: []results.Problem{{Severity: "error", Line: 2, JSONPath: id, Message: detail}}},
			results.Program{Path: file, File: detail, Status: results.Broken, Reason: reason},
			results.Program{Path: file, Status: results.Flaky, Reason: detail})
		if got := parse(t, annotations(t, run)); len(got) != 4 {
			t.Errorf("%d annotations", len(got))
		}
	})
}

// Failures that do not count are no errors of a job that is green.
func TestKnownFailuresAreWarnings(t *testing.T) {
	run := &results.Run{Plan: &results.Plan{FailOn: []results.Remark{results.NewFailures}}, Programs: []results.Program{
		{Path: "old", Status: results.Failed, Reason: "as before", Warnings: []results.Warning{{Kind: results.WarnKnown}}},
	}}
	run.ExitCode = results.ExitCode(run, false)
	if got := annotations(t, run); !strings.HasPrefix(got, "::warning ") {
		t.Errorf("%s", got)
	}
	var summary bytes.Buffer
	if err := markdown.Write(&summary, run, markdown.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(summary.String(), "failing before") {
		t.Errorf("%s", summary.String())
	}
	run.Plan.FailOn = nil
	if got := annotations(t, run); !strings.HasPrefix(got, "::error ") {
		t.Errorf("%s", got)
	}
}
