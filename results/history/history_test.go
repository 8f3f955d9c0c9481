package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
)

// start is when the first run of a test began.
var start = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

const pathA, pathB = ".opendesk/learned/a.program.json", ".opendesk/learned/b.program.json"

// newRun is the nth run; outcomes are of programs a, b, ….
func newRun(n int, outcomes ...results.Status) *results.Run {
	run := &results.Run{
		SchemaVersion: results.SchemaVersion, ID: fmt.Sprintf("run-%03d", n), Suite: "learn-regression",
		StartedAt: start.Add(time.Duration(n) * time.Hour), DurationMS: 1000, Status: results.Worst(outcomes...),
		Tool:        results.Tool{Name: "opendesk", Version: "1.0"},
		Environment: results.Environment{OS: "linux", Display: "virtual", Locale: "C.UTF-8", Commit: fmt.Sprintf("%040d", n)},
		Plan:        &results.Plan{},
	}
	for i, status := range outcomes {
		p := results.Program{Path: fmt.Sprintf(".opendesk/learned/%c.program.json", 'a'+i), Status: status, DurationMS: 900}
		p.SHA256 = compare.SHA256(content(p.Path))
		p.CodeSHA256 = fmt.Sprintf("%010d", n)
		if status != results.Skipped && status != results.Invalid {
			p.Attempts = []results.Attempt{{Number: 1, Status: status, DurationMS: 800, Steps: []results.Step{
				{ID: "s1", Status: results.StepPassed, ActedBy: "native", Timing: results.Timing{TotalMS: 300},
					Resolution: &results.Resolution{Means: results.MeansIdentifier}},
			}}}
		}
		run.Programs = append(run.Programs, p)
	}
	run.Counts = results.Count(run.Programs)
	return run
}

func content(path string) []byte { return []byte(`{"name":"` + path + `","steps":[{"id":"s1"}]}`) }

func open(t *testing.T, path string) *history.DB {
	t.Helper()
	h, err := history.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func record(t *testing.T, h *history.DB, runs ...*results.Run) {
	t.Helper()
	for _, run := range runs {
		if err := h.Record(context.Background(), run, compare.ContentsOf(content(pathA), content(pathB))); err != nil {
			t.Fatal(err)
		}
	}
}

// ids are the runs that are known, the newest first.
func ids(t *testing.T, h *history.DB) []string {
	t.Helper()
	list := []string{}
	for info, err := range h.All(context.Background(), "").Runs() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, info.ID)
	}
	return list
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEmptyFile: a program whose file is empty is compared with what it was,
// like any other.
func TestEmptyFile(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "history.db"))
	good, bad := newRun(1, results.Passed), newRun(2, results.Invalid)
	bad.Programs[0].SHA256 = compare.SHA256(nil)
	contents := compare.ContentsOf(content(pathA), []byte{})
	for _, run := range []*results.Run{good, bad} {
		if err := h.Record(context.Background(), run, contents); err != nil {
			t.Fatal(err)
		}
	}
	c, err := compare.Compare(compare.Of(bad), h.Before(context.Background(), compare.InfoOf(bad)), compare.LastGood)
	if err != nil {
		t.Fatal(err)
	}
	if p := c.NewlyFailing[0].Changed.Program; p.ContentUnknown || len(p.Lines) != 1 || p.Lines[0].How != compare.StepRemoved {
		t.Errorf("%+v", p)
	}
}

// TestRecord: the past that the file gives is the one that was recorded.
func TestRecord(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "history ?#%.db"))
	first, second, third := newRun(1, results.Passed, results.Failed), newRun(2, results.Broken, results.Failed), newRun(3, results.Failed, results.Passed)
	record(t, h, first, second, second)
	want, err := compare.Compare(compare.Of(third), compare.OfRuns([]*compare.Run{compare.Of(first), compare.Of(second)}, content(pathA), content(pathB)), compare.LastGood)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.Compare(compare.Of(third), h.Before(context.Background(), compare.InfoOf(third)), compare.LastGood)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("from the file:\n%s\nfrom the runs:\n%s", a, b)
	}
	if got.Headline() != "1 newly failing, 1 fixed" || got.NewlyFailing[0].LastGood.ID != "run-001" {
		t.Errorf("%s: %+v", got.Headline(), got)
	}
	steps, err := h.Only(context.Background(), "run-001").Steps(compare.Outcome{Path: pathA, Run: compare.RunRef{ID: "run-001"}})
	if err != nil || len(steps) != 1 || steps[0].Target != results.MeansIdentifier || steps[0].ActedBy != "native" || steps[0].DurationMS != 300 {
		t.Errorf("steps %+v, %v", steps, err)
	}
}
