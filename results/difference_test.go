package results_test

import (
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

func TestDifference(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Run)
		want   string
	}{
		{"nothing", func(*results.Run) {}, ""},
		{"volatile fields", func(r *results.Run) {
			r.ID, r.DurationMS, r.Environment.Workers = "other", 1, 8
			r.Programs[0].Attempts[0].StartedAt = time.Now()
		}, ""},
		{"a status", func(r *results.Run) { r.Programs[1].Status = results.Broken }, `programs[1].status: "failed" against "broken"`},
		{"a step gone", func(r *results.Run) {
			at := &r.Programs[1].Attempts[0]
			at.Steps = at.Steps[:1]
		}, "programs[1].attempts[0].steps: "},
		{"an absent field", func(r *results.Run) { r.Notes = []string{"x"} }, `notes: nothing against ["x"]`},
		{"the other way round", func(r *results.Run) { r.Programs[1].Reason = "" }, "programs[1].reason: "},
	} {
		a, b := resultstest.Mixed().Run(), resultstest.Mixed().Run()
		a.Programs[1].Status, b.Programs[1].Status = results.Failed, results.Failed
		a.Programs[1].Reason, b.Programs[1].Reason = "no", "no"
		a.Notes, b.Notes = nil, nil
		row.change(b)
		got, err := results.Difference(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if (row.want == "") != (got == "") || !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestRemarks(t *testing.T) {
	remarks, err := results.ParseRemarks("flaky, vacuous,flaky")
	if err != nil || len(remarks) != 2 {
		t.Fatalf("%v, %v", remarks, err)
	}
	if _, err := results.ParseRemarks("flaky,drfit"); err == nil || !strings.Contains(err.Error(), `"drfit" is unknown: there are new-failures, flaky, broken, invalid, skipped, weak`) {
		t.Errorf("error %v", err)
	}
	programs := []results.Program{
		{Path: "a", Status: results.Flaky},
		{Path: "b", Repeat: 2, Status: results.Flaky},
		{Path: "c", Status: results.Passed, Warnings: []results.Warning{{Kind: results.WarnVacuous}, {Kind: results.WarnNote}}},
	}
	got := strings.Join(results.FailOn(programs, remarks), "\n")
	if want := "--fail-on flaky: a, b (repeat 2)\n--fail-on vacuous: c"; got != want {
		t.Errorf("got %q", got)
	}
	if notes := results.FailOn(programs, []results.Remark{"broken"}); len(notes) > 0 {
		t.Error(notes)
	}
}

// TestNewFailures: what failed before counts for nothing where only news is
// to, what broke counts as ever.
func TestNewFailures(t *testing.T) {
	known := []results.Warning{{Kind: results.WarnKnown, Message: "fails since then"}}
	for _, row := range []struct {
		name     string
		programs []results.Program
		all, new int
		notes    int
	}{
		{"new", []results.Program{{Path: "a", Status: results.Failed}}, results.ExitFailed, results.ExitFailed, 1},
		{"known", []results.Program{{Path: "a", Status: results.Failed, Warnings: known}, {Path: "b", Status: results.Passed}},
			results.ExitFailed, results.ExitPassed, 0},
		{"known alone", []results.Program{{Path: "a", Status: results.Failed, Warnings: known}}, results.ExitFailed, results.ExitPassed, 0},
		{"both", []results.Program{{Path: "a", Status: results.Failed, Warnings: known}, {Path: "b", Status: results.Failed}},
			results.ExitFailed, results.ExitFailed, 1},
		{"known and broken", []results.Program{{Path: "a", Status: results.Failed, Warnings: known}, {Path: "b", Status: results.Broken}},
			results.ExitFailed, results.ExitBroken, 0},
		{"broken", []results.Program{{Path: "a", Status: results.Broken, Warnings: known}}, results.ExitBroken, results.ExitBroken, 0},
		{"known to be invalid", []results.Program{{Path: "a", Status: results.Invalid, Warnings: known}}, results.ExitInvalid, results.ExitPassed, 0},
	} {
		run := &results.Run{Programs: row.programs}
		if got := results.ExitCode(run, false); got != row.all {
			t.Errorf("%s: exit code %d, want %d", row.name, got, row.all)
		}
		run.Plan = &results.Plan{FailOn: []results.Remark{results.NewFailures}}
		if got := results.ExitCode(run, false); got != row.new {
			t.Errorf("%s with --fail-on new-failures: exit code %d, want %d", row.name, got, row.new)
		}
		if notes := results.FailOn(run.Programs, run.Plan.FailOn); len(notes) != row.notes {
			t.Errorf("%s: notes %q", row.name, notes)
		}
	}
}
