//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFigures(t *testing.T) {
	b := newBook()
	for _, v := range []float64{40, 10, 30, 20} {
		b.add("flow/calc", us, "ms", v)
	}
	b.fail("flow/calc", dogtail)
	figures := b.figures()
	want := []Figure{
		{What: "flow/calc", Who: us, Unit: "ms", N: 4, Min: 10, P25: 17.5, Median: 25, P75: 32.5, Max: 40},
		{What: "flow/calc", Who: dogtail, Unit: "ms", Failed: 1},
	}
	if len(figures) != 2 || figures[0] != want[0] || figures[1] != want[1] {
		t.Errorf("figures %+v, want %+v", figures, want)
	}
}

// flowReport is a run in which opendesk and blind xdotool took so long, at best
// and in the middle.
func flowReport(oursBest, ours, theirsBest, theirs float64) *Report {
	return &Report{Figures: []Figure{
		{What: "flow/calc", Who: us, Unit: "ms", N: 3, Min: oursBest, Median: ours},
		{What: "flow/calc", Who: blind, Unit: "ms", N: 3, Min: theirsBest, Median: theirs},
	}, Cores: 2, Load: "0.50"}
}

func busy(r *Report) *Report {
	r.Load = "7.25"
	return r
}

func every(string) bool { return true }

func TestCompare(t *testing.T) {
	before := flowReport(280, 300, 580, 600)
	for _, c := range []struct {
		name    string
		now     *Report
		worse   bool
		missing bool
		says    string
	}{
		{"the same", before, false, false, "ok            flow calc: opendesk against xdotool, blind: 0.50 ×, committed 0.50 ×, tolerated 0.70 ×"},
		{"everything slower alike", flowReport(840, 900, 1740, 1800), false, false, "ok "},
		{"a little slower", flowReport(320, 360, 580, 600), false, false, "ok "},
		{"slower", flowReport(580, 600, 580, 600), true, false, "SLOWER        flow calc: opendesk against xdotool, blind: 1.00 ×"},
		{"slower in the middle, and as fast at best", flowReport(280, 600, 580, 600), false, false, "ok "},
		{"slower at best alone", flowReport(580, 590, 580, 1200), false, false, "ok "},
		{"slower on a busy machine", busy(flowReport(580, 600, 580, 600)), false, false, "not compared  flow calc: opendesk against xdotool, blind: the machine is busy (load average 7.25)"},
		{"not measured", &Report{}, false, true, "opendesk has no figure for flow/calc, xdotool, blind has no figure for flow/calc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := compare(before, c.now, every)
			if len(list) != 1 || list[0].worse != c.worse || list[0].missing != c.missing || !strings.Contains(list[0].line, c.says) {
				t.Fatalf("%+v, want %q", list, c.says)
			}
			bad := c.worse || c.missing
			if err := verdict(list); (err != nil) != bad {
				t.Errorf("the verdict is %v", err)
			}
			if again := doubtful(list); bad != (len(again) == 1 && again[0] == "flows") {
				t.Errorf("to be measured again: %v", again)
			}
		})
	}
	if list := compare(before, before, func(part string) bool { return part == "reads" }); len(list) != 0 {
		t.Errorf("compared what was not asked for: %v", list)
	}
	if err := verdict(compare(&Report{}, before, every)); err == nil {
		t.Error("nothing was compared, and all is well")
	}
}

// The committed run has what the check looks at.
func TestCommittedFigures(t *testing.T) {
	report, err := readReport("results.json")
	if err != nil {
		t.Fatal(err)
	}
	if list := compare(report, report, every); len(list) < 15 || verdict(list) != nil {
		t.Errorf("%d ratios, %v", len(list), verdict(list))
	}
	if table := targetTable(report); strings.Count(table, "| met |")+strings.Count(table, "missed") < 25 {
		t.Errorf("targets without figures:\n%s", table)
	}
}

func TestTargets(t *testing.T) {
	report := flowReport(280, 300, 280, 300)
	report.Figures = append(report.Figures,
		Figure{What: "flow/calc", Who: own, Unit: "ms", N: 1, Median: 200}, Figure{What: "title", Who: us, Unit: "ms", N: 1, Median: 3},
		Figure{What: "tree/mousepad", Who: us, Unit: "ms", N: 1, Median: 10}, Figure{What: "tree/mousepad", Who: "pyatspi", Unit: "ms", N: 1, Median: 251},
		Figure{What: perMinute, Who: "1", Unit: "a minute", N: 1, Median: 100}, Figure{What: perMinute, Who: "2", Unit: "a minute", N: 1, Median: 120},
	)
	table := targetTable(report)
	for _, line := range []string{
		"| flow calc against blind xdotool | at most 1.10 × | 1.00 × | met |",
		"| flow calc against the application itself | at most 1.15 × | 1.50 × | **missed**, see 1 |",
		"| flow qt against blind xdotool | at most 1.10 × | – | not measured |",
		"| title change → verdict | under 8 ms | 3.00 ms | met |",
		"| whole tree, mousepad | 25 × as fast as pyatspi | 25.10 × | met |",
		"| programs a minute, 2 workers against 1 | at least 1.7 × | 1.20 × | **missed**, see 5 |",
	} {
		if !strings.Contains(table, line+"\n") {
			t.Errorf("%q is missing in\n%s", line, table)
		}
	}
}

func TestTables(t *testing.T) {
	document := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(document, []byte("before\n"+tablesBegin+"\nstale\n"+tablesEnd+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the marks are still there
		if err := writeTables(document, &Report{Commit: "abc", Figures: []Figure{
			{What: "flow/calc", Who: us, Unit: "ms", N: 3, Min: 9.5, P25: 10, Median: 123.4, P75: 200, Failed: 1},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"before\n", "| calc | opendesk | 123 ms | 10.0–200 | 9.50 | 3 (1 failed) |", "\nafter\n"} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%q is missing in\n%s", part, data)
		}
	}
	if strings.Contains(string(data), "stale") {
		t.Error("the old tables are still there")
	}
}
