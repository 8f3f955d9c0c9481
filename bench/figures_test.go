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
		{What: "flow/calc", Who: us, Unit: "ms", N: 4, Min: 10, P25: 17.5, Median: 25, P75: 32.5},
		{What: "flow/calc", Who: dogtail, Unit: "ms", Failed: 1},
	}
	if len(figures) != 2 || figures[0] != want[0] || figures[1] != want[1] {
		t.Errorf("figures %+v, want %+v", figures, want)
	}
}

// flowReport is a run in which opendesk and blind xdotool took so long.
func flowReport(ours, theirs float64) *Report {
	return &Report{Figures: []Figure{
		{What: "flow/calc", Who: us, N: 3, Median: ours}, {What: "flow/calc", Who: blind, N: 3, Median: theirs},
	}}
}

func TestCompare(t *testing.T) {
	committed := filepath.Join(t.TempDir(), "results.json")
	if err := flowReport(300, 600).write(committed); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		now  *Report
		says string
	}{
		{"the same", flowReport(300, 600), ""},
		{"everything slower alike", flowReport(900, 1800), ""},
		{"a little slower", flowReport(360, 600), ""},
		{"slower", flowReport(600, 600), "slower: flow/calc: opendesk takes 1.00 × xdotool, blind (committed: 0.50 ×"},
		{"not measured", &Report{}, "was not measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := compare(committed, c.now)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

func TestTables(t *testing.T) {
	document := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(document, []byte("before\n"+tablesBegin+"\nold\n"+tablesEnd+"\nafter\n"), 0o644); err != nil {
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
	if strings.Contains(string(data), "old") {
		t.Error("the old tables are still there")
	}
}
