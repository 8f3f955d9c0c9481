package compare_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

var start = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

// newRun is the nth run, of one program that was run once or in repetitions.
func newRun(n int, change func(*results.Run), statuses ...results.Status) *results.Run {
	run := &results.Run{
		SchemaVersion: results.SchemaVersion, ID: fmt.Sprintf("run-%02d", n), Suite: "learn-regression",
		StartedAt: start.Add(time.Duration(n) * time.Hour), Plan: &results.Plan{},
		Environment: results.Environment{OS: "linux", Display: "virtual"},
	}
	for i, status := range statuses {
		p := program("a", status)
		if len(statuses) > 1 {
			p.Repeat = i + 1
		}
		run.Programs = append(run.Programs, p)
	}
	if change != nil {
		change(run)
	}
	return run
}

// excused stands for a failure in quarantine.
const excused results.Status = "excused"

func program(name string, status results.Status) results.Program {
	p := results.Program{Path: ".opendesk/learned/" + name + ".program.json", Status: status, SHA256: "1"}
	if status == excused {
		p.Status, p.Quarantine = results.Skipped, &results.Quarantine{Issue: "#1", Until: "2027-01-01"}
		status = results.Failed
	}
	if status == results.Skipped || status == results.Invalid {
		return p
	}
	step := results.Step{
		ID: "s1", Status: results.StepPassed, ActedBy: "native", Timing: results.Timing{TotalMS: 500},
		Resolution:    &results.Resolution{Means: results.MeansIdentifier},
		Postcondition: &results.PostconditionResult{Met: true, Means: results.MeansTree},
	}
	if status == results.Failed {
		step.Status = results.StepFailed
	}
	attempt := status
	if status == results.Flaky {
		attempt = results.Passed
	}
	p.Attempts = []results.Attempt{{Number: 1, Status: attempt, DurationMS: 1000, Steps: []results.Step{step}}}
	return p
}

// compared compares results that are at hand; what is read of them for comparing
// only gives the same.
func compared(t *testing.T, run *results.Run, earlier ...*results.Run) *compare.Comparison {
	t.Helper()
	var texts [2]string
	var c *compare.Comparison
	for i, of := range []func(*results.Run) *compare.Run{func(run *results.Run) *compare.Run { return read(t, run) }, compare.Of} {
		var past []*compare.Run
		for _, e := range earlier {
			past = append(past, of(e))
		}
		var err error
		if c, err = compare.Compare(of(run), compare.OfRuns(past), compare.LastGood); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Errorf("what was read gives\n%s\nnot\n%s", texts[0], texts[1])
	}
	return c
}

// read writes results, and reads what there is to compare.
func read(t *testing.T, run *results.Run) *compare.Run {
	t.Helper()
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestStates: what earlier runs and this one make of a program.
func TestStates(t *testing.T) {
	const p, fl, f, b, inv, s = results.Passed, results.Flaky, results.Failed, results.Broken, results.Invalid, results.Skipped
	for _, row := range []struct {
		earlier []results.Status // the oldest first
		now     results.Status
		want    string
	}{
		{nil, p, "1 added"},
		{nil, f, "1 newly failing, 1 added"},
		{nil, b, "1 broken, 1 added"},
		{[]results.Status{p}, p, "nothing new"},
		{[]results.Status{p}, f, "1 newly failing"},
		{[]results.Status{fl}, f, "1 newly failing"},
		{[]results.Status{p}, inv, "1 newly failing"},
		{[]results.Status{f}, f, "1 still failing"},
		{[]results.Status{inv}, f, "1 still failing"},
		{[]results.Status{p, f}, p, "1 fixed"},
		{[]results.Status{f}, fl, "1 fixed, 1 flaky"},
		{[]results.Status{p}, fl, "1 flaky"},
		{[]results.Status{p}, s, "nothing new"},
		// What broke keeps the state that it had.
		{[]results.Status{p}, b, "1 broken"},
		{[]results.Status{p, b}, f, "1 newly failing"},
		{[]results.Status{p, b}, p, "nothing new"},
		{[]results.Status{f, b}, f, "1 still failing"},
		{[]results.Status{f, b, s}, p, "1 fixed"},
		{[]results.Status{b}, f, "1 newly failing"},
		// A failure in quarantine is one, but counts for nothing.
		{[]results.Status{p}, excused, "1 quarantined"},
		{[]results.Status{p, excused}, f, "1 still failing"},
		{[]results.Status{excused}, p, "1 fixed"},
	} {
		var earlier []*results.Run
		for i, status := range row.earlier {
			earlier = append(earlier, newRun(i, nil, status))
		}
		c := compared(t, newRun(50, nil, row.now), earlier...)
		if c.Headline() != row.want {
			t.Errorf("after %v, %s: %s, want %s", row.earlier, row.now, c.Headline(), row.want)
		}
		if news := strings.Contains(row.want, "newly"); c.News() != news {
			t.Errorf("after %v, %s: news %v", row.earlier, row.now, c.News())
		}
	}
}

// TestSince: since when a program has been failing, and when it was good last.
func TestSince(t *testing.T) {
	const p, f, b = results.Passed, results.Failed, results.Broken
	var earlier []*results.Run
	for i, status := range []results.Status{p, f, p, b, f, b, f} {
		earlier = append(earlier, newRun(i, nil, status))
	}
	still := compared(t, newRun(50, nil, f), earlier...).StillFailing[0]
	if still.Since.ID != "run-04" || still.FailingRuns != 3 || still.LastGood.ID != "run-02" || still.Before != f {
		t.Errorf("still failing: %+v since %+v, last good %+v", still, still.Since, still.LastGood)
	}
	fixed := compared(t, newRun(50, nil, p), earlier...).Fixed[0]
	if fixed.Since.ID != "run-04" || fixed.FailingRuns != 2 {
		t.Errorf("fixed: %+v since %+v", fixed, fixed.Since)
	}
	failing := compared(t, newRun(50, nil, f), earlier[:3]...).NewlyFailing[0]
	if failing.Since.ID != "run-50" || failing.FailingRuns != 1 || failing.LastGood.ID != "run-02" {
		t.Errorf("newly failing: %+v since %+v", failing, failing.Since)
	}
}

// TestRepetitions: repetitions are one outcome, the worst.
func TestRepetitions(t *testing.T) {
	const p, f, b = results.Passed, results.Failed, results.Broken
	good := newRun(1, nil, p, p, p)
	c := compared(t, newRun(2, nil, p, f, p), good)
	if c.Headline() != "1 newly failing, 1 flaky" || c.NewlyFailing[0].Repeat != 2 || c.Programs != 1 {
		t.Errorf("%s: %+v", c.Headline(), c.NewlyFailing)
	}
	if c := compared(t, newRun(2, nil, p, b, p), good); c.Headline() != "1 broken" {
		t.Error(c.Headline())
	}
	if c := compared(t, newRun(3, nil, p, p), newRun(2, nil, f, b), good); c.Headline() != "1 fixed" {
		t.Error(c.Headline())
	}
}

// TestDrift: each way in which a step can be weaker, and what is none.
func TestDrift(t *testing.T) {
	type means struct {
		target results.Means
		acted  string
		held   results.Means
	}
	set := func(m means) func(*results.Run) {
		return func(run *results.Run) {
			s := &run.Programs[0].Attempts[0].Steps[0]
			s.Resolution.Means, s.ActedBy, s.Postcondition.Means = m.target, m.acted, m.held
		}
	}
	strong := means{results.MeansIdentifier, "native", results.MeansTree}
	for _, row := range []struct {
		before, now means
		want        string
	}{
		{strong, strong, ""},
		{strong, means{results.MeansExactTitle, "native", results.MeansTree}, "target: identifier, exact title"},
		{means{results.MeansRef, "native", results.MeansTree}, strong, "target: ref, identifier"},
		{means{results.MeansExactTitle, "native", results.MeansTree}, means{results.MeansSubstringTitle, "native", results.MeansTree}, "target: exact title, substring title"},
		{strong, means{results.MeansIdentifier, "pointer", results.MeansTree}, "action: native, pointer"},
		{strong, means{results.MeansIdentifier, "native", results.MeansOCR}, "postcondition: tree, ocr"},
		{means{results.MeansIdentifier, "native", results.MeansIdentifier}, means{results.MeansIdentifier, "native", results.MeansExactTitle}, "postcondition: identifier, exact title"},
		// Stronger than before is none.
		{means{results.MeansSubstringTitle, "pointer", results.MeansOCR}, strong, ""},
		{means{results.MeansIdentifier, "pointer", results.MeansOCR}, means{results.MeansIdentifier, "pointer", results.MeansOCR}, ""},
		// Other sorts of targets are not compared.
		{means{results.MeansRole, "native", results.MeansWindow}, means{results.MeansApp, "native", results.MeansTree}, ""},
	} {
		c := compared(t, newRun(3, set(row.now), results.Passed), newRun(1, set(row.before), results.Passed),
			newRun(2, set(means{results.MeansSubstringTitle, "pointer", ""}), results.Failed))
		var got []string
		for _, p := range c.Drifting {
			for _, d := range p.Drift {
				got = append(got, fmt.Sprintf("%s: %s, %s", d.What, d.Before, d.After))
			}
		}
		if strings.Join(got, "; ") != row.want {
			t.Errorf("%v then %v: %q, want %q", row.before, row.now, got, row.want)
		}
		if warned := len(c.Warnings()[".opendesk/learned/a.program.json"]) > 0; warned != (row.want != "") {
			t.Errorf("%v then %v: warnings %v", row.before, row.now, c.Warnings())
		}
	}
}

// TestDriftOfChangedStep: a step that asks for something else has not drifted.
func TestDriftOfChangedStep(t *testing.T) {
	before := []byte(`{"steps":[{"id":"s1","target":{"identifier":"x","title":"X"}}]}`)
	after := []byte(`{"steps":[{"id":"s1","target":{"title":"X"}}]}`)
	good := newRun(1, func(r *results.Run) { r.Programs[0].SHA256 = compare.SHA256(before) }, results.Passed)
	now := newRun(2, func(r *results.Run) {
		r.Programs[0].SHA256 = compare.SHA256(after)
		r.Programs[0].Attempts[0].Steps[0].Resolution.Means = results.MeansExactTitle
	}, results.Passed)
	c, err := compare.Compare(compare.Of(now), compare.OfRuns([]*compare.Run{compare.Of(good)}, before, after), compare.LastGood)
	if err != nil || len(c.Drifting) > 0 {
		t.Errorf("%v, %+v", err, c.Drifting)
	}
}

// TestSlower: the rule, with its bounds.
func TestSlower(t *testing.T) {
	for _, row := range []struct {
		name    string
		earlier []int64
		now     int64
		slower  bool
	}{
		{"too few", []int64{1000, 1000, 1000, 1000}, 99000, false},
		{"less than a second", []int64{1000, 1000, 1000, 1000, 1000}, 2000, false},
		{"more than a second", []int64{1000, 1000, 1000, 1000, 1000}, 2001, true},
		{"less than a quarter", []int64{20000, 20000, 20000, 20000, 20000}, 25000, false},
		{"more than a quarter", []int64{20000, 20000, 20000, 20000, 20000}, 25001, true},
		{"noisy", []int64{4000, 6000, 5000, 7000, 3000}, 11000, false},
		{"one odd one does no harm", []int64{5000, 5010, 4990, 5000, 90000}, 7000, true},
	} {
		var earlier []*results.Run
		for i, ms := range row.earlier {
			earlier = append(earlier, newRun(i, func(r *results.Run) { r.Programs[0].Attempts[0].DurationMS = ms }, results.Passed))
		}
		now := newRun(50, func(r *results.Run) {
			r.Programs[0].Attempts[0].DurationMS = row.now
			r.Programs[0].Attempts[0].Steps[0].Timing.TotalMS = row.now
		}, results.Passed)
		c := compared(t, now, earlier...)
		if (len(c.Slower) > 0) != row.slower {
			t.Errorf("%s: slower is %+v", row.name, c.Slower)
		}
		if row.slower && c.Slower[0].Slowdown.Step.Step.ID != "s1" {
			t.Errorf("%s: %s", row.name, c.Slower[0].Slowdown)
		}
		// What cannot be compared says nothing.
		for _, change := range []func(*results.Run){
			func(r *results.Run) { r.Environment.Workers = 4 },
			func(r *results.Run) { r.Programs[0].SHA256 = "2" },
			func(r *results.Run) { r.Environment.Display = ":0" },
		} {
			other := *now
			other.Programs = slices.Clone(now.Programs)
			change(&other)
			if c := compared(t, &other, earlier...); len(c.Slower) > 0 {
				t.Errorf("%s: slower than what is not comparable: %s", row.name, c.Slower[0].Slowdown)
			}
		}
	}
}

// TestFlakiness: flips count only where nothing changed.
func TestFlakiness(t *testing.T) {
	const p, fl, f, b = results.Passed, results.Flaky, results.Failed, results.Broken
	for _, row := range []struct {
		newest []results.Status
		sha    []string
		want   string
	}{
		{[]results.Status{p, p, p, p}, nil, "0 of 4"},
		{[]results.Status{p, f, p, p}, nil, "50 of 4"},
		{[]results.Status{p, fl, p, p}, nil, "25 of 4"},
		{[]results.Status{p, b, p, f}, nil, "33.3 of 3"},
		{[]results.Status{p, f}, []string{"2", "1"}, "0 of 2"},
	} {
		var outcomes []compare.Outcome
		for i, status := range row.newest {
			o := compare.Outcome{Status: status, SHA256: "1", Environment: &results.Environment{}}
			if row.sha != nil {
				o.SHA256 = row.sha[i]
			}
			outcomes = append(outcomes, o)
		}
		got := compare.FlakinessOf(outcomes)
		if text := fmt.Sprintf("%g of %d", got.Percent, got.Runs); text != row.want {
			t.Errorf("%v: %s, want %s", row.newest, text, row.want)
		}
	}
	recoded := []compare.Outcome{
		{Status: p, SHA256: "1", CodeSHA256: "3", Environment: &results.Environment{}},
		{Status: f, SHA256: "1", CodeSHA256: "2", Environment: &results.Environment{}},
	}
	if got := compare.FlakinessOf(recoded); got.Percent != 0 {
		t.Errorf("a flip after its scripts changed counts: %+v", got)
	}
	if compare.FlakinessOf([]compare.Outcome{{Status: b}}) != nil {
		t.Error("a program without a verdict has a flakiness")
	}
}

// TestRemoved: only a whole run tells what was removed.
func TestRemoved(t *testing.T) {
	both := newRun(1, func(r *results.Run) { r.Programs = append(r.Programs, program("b", results.Failed)) }, results.Passed)
	c := compared(t, newRun(2, nil, results.Passed), both)
	if c.Headline() != "1 removed" || c.Removed[0].Name != "b" || c.Removed[0].Before != results.Failed {
		t.Errorf("%s: %+v", c.Headline(), c.Removed)
	}
	for _, plan := range []results.Plan{{Shard: "1/2"}, {Selection: "--tag x"}} {
		part := func(r *results.Run) { r.Plan = &plan }
		if c := compared(t, newRun(2, part, results.Passed), both); c.Headline() != "nothing new" || c.Part == "" {
			t.Errorf("a part of it: %s", c.Headline())
		}
		// Nor does a part stand for the whole.
		if c := compared(t, newRun(3, nil, results.Passed), newRun(2, part, results.Passed), both); c.Headline() != "1 removed" {
			t.Errorf("after a part: %s", c.Headline())
		}
	}
}
