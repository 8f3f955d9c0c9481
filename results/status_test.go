package results_test

import (
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
)

const (
	passed  = results.Passed
	flaky   = results.Flaky
	failed  = results.Failed
	broken  = results.Broken
	invalid = results.Invalid
	skipped = results.Skipped
)

func TestFinalStatus(t *testing.T) {
	note := results.PassedAfterBroken
	for _, tt := range []struct {
		attempts []results.Status
		want     results.Status
		note     string
	}{
		// The rows of the retry rule.
		{[]results.Status{failed, passed}, flaky, ""},
		{[]results.Status{failed, failed}, failed, ""},
		{[]results.Status{failed, broken}, failed, ""},
		{[]results.Status{broken, passed}, passed, note},
		{[]results.Status{broken, failed}, failed, ""},
		{[]results.Status{broken}, broken, ""},
		{[]results.Status{broken, broken}, broken, ""},
		// Single attempts.
		{nil, skipped, ""},
		{[]results.Status{passed}, passed, ""},
		{[]results.Status{failed}, failed, ""},
		{[]results.Status{skipped}, skipped, ""},
		// Longer sequences.
		{[]results.Status{failed, broken, passed}, flaky, note},
		{[]results.Status{broken, failed, passed}, flaky, note},
		{[]results.Status{failed, failed, passed}, flaky, ""},
		{[]results.Status{failed, passed, failed}, failed, ""},
		{[]results.Status{passed, failed}, failed, ""},
		{[]results.Status{broken, broken, passed}, passed, note},
		{[]results.Status{broken, failed, broken}, failed, ""},
		// Interrupted retries change nothing.
		{[]results.Status{failed, skipped}, failed, ""},
		{[]results.Status{broken, skipped}, broken, ""},
		{[]results.Status{passed, skipped}, passed, ""},
		// A status that no attempt can have never looks good.
		{[]results.Status{"great"}, broken, ""},
		{[]results.Status{""}, broken, ""},
	} {
		got, gotNote := results.FinalStatus(tt.attempts)
		if got != tt.want || gotNote != tt.note {
			t.Errorf("FinalStatus(%v) = %s, %q; want %s, %q", tt.attempts, got, gotNote, tt.want, tt.note)
		}
	}
}

func runOf(interrupted bool, statuses ...results.Status) *results.Run {
	run := &results.Run{Interrupted: interrupted}
	for _, s := range statuses {
		run.Programs = append(run.Programs, results.Program{Status: s})
	}
	return run
}

func TestExitCode(t *testing.T) {
	for _, tt := range []struct {
		name        string
		interrupted bool
		pass        bool // --pass-with-no-programs
		statuses    []results.Status
		want        int
	}{
		{name: "all passed", statuses: []results.Status{passed, passed}, want: 0},
		{name: "flaky is passed", statuses: []results.Status{passed, flaky}, want: 0},
		{name: "some filtered", statuses: []results.Status{passed, skipped}, want: 0},
		{name: "failed", statuses: []results.Status{passed, failed}, want: 1},
		{name: "failed hides behind nothing", statuses: []results.Status{broken, invalid, failed, skipped}, want: 1},
		{name: "broken", statuses: []results.Status{passed, broken, invalid}, want: 3},
		{name: "invalid", statuses: []results.Status{passed, invalid}, want: 2},
		{name: "no programs", want: 2},
		{name: "no programs, allowed", pass: true, want: 0},
		{name: "all skipped", statuses: []results.Status{skipped}, want: 2},
		{name: "all skipped, allowed", statuses: []results.Status{skipped}, pass: true, want: 0},
		{name: "invalid although allowed", statuses: []results.Status{invalid}, pass: true, want: 2},
		{name: "interrupted", interrupted: true, statuses: []results.Status{passed, skipped}, want: 130},
		{name: "interrupted before anything", interrupted: true, want: 130},
		{name: "interrupted, allowed", interrupted: true, pass: true, want: 130},
		{name: "interrupted and broken", interrupted: true, statuses: []results.Status{broken, skipped}, want: 130},
		{name: "interrupted and failed", interrupted: true, statuses: []results.Status{failed, skipped}, want: 1},
		{name: "unknown status", statuses: []results.Status{passed, "odd"}, want: 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := results.ExitCode(runOf(tt.interrupted, tt.statuses...), tt.pass); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestRunStatus(t *testing.T) {
	for _, tt := range []struct {
		interrupted bool
		statuses    []results.Status
		want        results.Status
	}{
		{false, nil, skipped},
		{false, []results.Status{skipped}, skipped},
		{false, []results.Status{passed, skipped}, passed},
		{true, []results.Status{passed, skipped}, skipped},
		{true, []results.Status{passed}, passed},
		{false, []results.Status{passed, flaky}, flaky},
		{false, []results.Status{invalid, passed, broken}, broken},
		{true, []results.Status{failed, broken, skipped}, failed},
	} {
		if got := results.RunStatus(runOf(false, tt.statuses...).Programs, tt.interrupted); got != tt.want {
			t.Errorf("RunStatus(%v, %v) = %s, want %s", tt.statuses, tt.interrupted, got, tt.want)
		}
	}
}

func TestFinalIsTheDecidingAttempt(t *testing.T) {
	p := results.Program{Status: failed, Attempts: []results.Attempt{
		{Number: 1, Status: failed}, {Number: 2, Status: broken},
	}}
	if got := p.Final().Number; got != 1 {
		t.Errorf("failed, then broken: attempt %d decided, want 1", got)
	}
	p.Status = flaky
	p.Attempts[1].Status = passed
	if got := p.Final().Number; got != 2 {
		t.Errorf("flaky: attempt %d decided, want 2", got)
	}
	if (&results.Program{}).Final() != nil {
		t.Error("a program without attempts has a deciding one")
	}
}

func TestExitMeanings(t *testing.T) {
	for _, code := range []int{0, 1, 2, 3, 130} {
		if m := results.ExitMeaning(code); strings.Contains(m, "unknown") {
			t.Errorf("code %d: %s", code, m)
		}
	}
}
