package comparison_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/reporters/comparison"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// full is a comparison with something in every list.
func full() *compare.Comparison {
	at := func(day int) time.Time { return time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC) }
	ref := func(day int, id string) *compare.RunRef { return &compare.RunRef{ID: id, StartedAt: at(day)} }
	change := func(name string, status results.Status, reason string) compare.ProgramChange {
		return compare.ProgramChange{Path: ".opendesk/learned/" + name + ".program.json", Name: name, Status: status, Reason: reason}
	}
	c := &compare.Comparison{
		Run:  compare.RunInfo{ID: "run-9", Suite: "learn-regression", StartedAt: at(9), Status: results.Failed},
		With: compare.LastGood, Earlier: &compare.RunInfo{ID: "run-8", StartedAt: at(8)}, Programs: 12,
	}
	failing := change("export", results.Failed, "target not found after 5000 ms: no element matching [AXButton] 'PDF' in Numbers")
	failing.File, failing.Repeat = "office/export.program.json", 2
	failing.Step = &compare.StepRef{ID: "s3", Index: 2, Line: 12, Summary: "click [AXButton] 'PDF' in Numbers"}
	failing.LastGood = ref(8, "run-8")
	failing.Flakiness = &compare.Flakiness{Runs: 20, Flaky: 2, Flips: 1, Percent: 15}
	failing.Changed = &compare.Differences{
		Since: *ref(8, "run-8"),
		Packages: []compare.PackageChange{
			{Name: "app", Before: "1.0-1", After: "2.0-1"}, {Name: "gone", Before: "1"}, {Name: "new", After: "3"},
		},
		Program: &compare.FileChange{
			Steps: []compare.StepChange{
				{How: compare.StepAdded, ID: "s9", Before: -1, After: 0, Text: `{"id":"s9"}`},
				{How: compare.StepChanged, ID: "s3", Before: 2, After: 3, Fields: []compare.ValueChange{{Name: "target.title", Before: "'PDF'", After: "'PDF…'"}}},
				{How: compare.StepMoved, ID: "s4", Before: 3, After: 1},
				{How: compare.StepRemoved, ID: "s5", Before: 4, After: -1, Text: `{"id":"s5"}`},
			},
			Fields: []compare.ValueChange{{Name: "description", Before: "'a'", After: "'b'"}},
		},
		Environment: []compare.ValueChange{{Name: "locale", Before: "C", After: "de_DE.UTF-8"}},
		Commits:     &compare.CommitRange{From: "aaaaaaaaaaaaaaaa", To: "bbbbbbbbbbbbbbbb", ToDirty: true},
	}
	unexplained := change("hostile \x1b[2J\u202e|<b>`x`@ann", results.Invalid, "two\nlines")
	unexplained.LastGood, unexplained.Changed = ref(7, "run-7"), &compare.Differences{Since: *ref(7, "run-7")}
	unreadable := change("unreadable", results.Invalid, "is no JSON")
	unreadable.LastGood, unreadable.Changed = ref(8, "run-8"), &compare.Differences{
		Since: *ref(8, "run-8"),
		Program: &compare.FileChange{
			Lines: []compare.LineChange{
				{How: compare.StepRemoved, Line: 7, Text: `    {"id":"s1"},`}, {How: compare.StepAdded, Line: 7, Text: "\t<<<<<<< \x1b[2J"},
			},
			MoreLines: 3,
		},
	}
	c.NewlyFailing = []compare.ProgramChange{failing, unexplained, unreadable, change("never", results.Failed, "no")}
	still := change("calc", results.Failed, "no")
	still.Since, still.FailingRuns, still.LastGood = ref(3, "run-3"), 7, ref(2, "run-2")
	still.Changed = &compare.Differences{Since: *ref(2, "run-2"), PackagesUnknown: true, ProgramUnknown: true}
	c.StillFailing = []compare.ProgramChange{still}
	c.Broken = []compare.ProgramChange{change("broke", results.Broken, "the worker ended by signal 11")}
	fixed := change("fixed", results.Passed, "")
	fixed.Since, fixed.FailingRuns = ref(5, "run-5"), 1
	c.Fixed = []compare.ProgramChange{fixed}
	c.Flaky = []compare.ProgramChange{change("flaky", results.Flaky, "failed, then passed on a retry")}
	drifting := change("drifting", results.Passed, "")
	drifting.LastGood = ref(8, "run-8")
	drifting.Drift = []compare.StepDrift{{Step: compare.StepRef{ID: "s1"}, Message: "the target was found by its exact title, by its identifier in the last good run"}}
	c.Drifting = []compare.ProgramChange{drifting}
	slower := change("slower", results.Passed, "")
	slower.Slowdown = &compare.Slowdown{DurationMS: 9000, MedianMS: 3000, Samples: 20, LimitMS: 4000,
		Step: &compare.StepSlowdown{Step: compare.StepRef{ID: "s2"}, DurationMS: 7000, BeforeMS: 900}}
	c.Slower = []compare.ProgramChange{slower}
	quarantined := change("known", results.Skipped, "failed in quarantine")
	quarantined.Quarantine = &results.Quarantine{Issue: "https://example.org/7", Until: "2027-01-31"}
	c.Quarantined = []compare.ProgramChange{quarantined}
	c.Added = []compare.ProgramChange{change("added", results.Passed, "")}
	c.Removed = []compare.ProgramChange{change("removed", "", "")}
	c.Notes = []string{"a note"}
	return c
}

func TestGolden(t *testing.T) {
	empty := &compare.Comparison{
		Run: compare.RunInfo{ID: "run-1", Suite: "learn-regression", Status: results.Passed}, With: compare.LastGood, Programs: 1,
		Part: "shard 1/2",
	}
	for name, write := range map[string]func(io.Writer, *compare.Comparison) error{
		"txt": comparison.Text, "md": comparison.Markdown,
	} {
		for what, c := range map[string]*compare.Comparison{"full": full(), "empty": empty} {
			var out bytes.Buffer
			if err := write(&out, c); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(out.String(), "\x1b\u202e\r") {
				t.Errorf("%s.%s can drive a terminal", what, name)
			}
			golden := filepath.Join("testdata", what+"."+name)
			if *update {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", golden, out.String(), want)
			}
		}
	}
}
