package history_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
)

// largeRun is a run of many programs with ten steps each.
func largeRun(n, programs int) *results.Run {
	run := newRun(n, results.Passed)
	one := run.Programs[0]
	step := one.Attempts[0].Steps[0]
	one.Attempts[0].Steps = nil
	for i := range 10 {
		step.ID, step.Index = fmt.Sprintf("s%d", i+1), i
		one.Attempts[0].Steps = append(one.Attempts[0].Steps, step)
	}
	run.Programs = nil
	for i := range programs {
		one.Path = fmt.Sprintf(".opendesk/learned/group%d/program%d.program.json", i%10, i)
		run.Programs = append(run.Programs, one)
	}
	for i := range 60 {
		run.Environment.Packages = append(run.Environment.Packages, results.Package{Name: fmt.Sprintf("libpackage%d", i), Version: "1:2.3-4"})
	}
	return run
}

// BenchmarkRecord writes a run of 1,000 programs with ten steps each.
func BenchmarkRecord(b *testing.B) {
	h, err := history.Open(context.Background(), filepath.Join(b.TempDir(), "history.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close() //nolint:errcheck // it is removed
	n := 0
	for b.Loop() {
		n++
		if err := h.Record(context.Background(), largeRun(n, 1000), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompare compares a run of 1,000 programs with 30 earlier ones.
func BenchmarkCompare(b *testing.B) {
	h, err := history.Open(context.Background(), filepath.Join(b.TempDir(), "history.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close() //nolint:errcheck // it is removed
	for n := range 30 {
		if err := h.Record(context.Background(), largeRun(n, 1000), nil); err != nil {
			b.Fatal(err)
		}
	}
	now := largeRun(99, 1000)
	for b.Loop() {
		c, err := compare.Compare(compare.Of(now), h.Before(context.Background(), compare.InfoOf(now)), compare.LastGood)
		if err != nil || len(c.Groups()) > 0 {
			b.Fatal(err, c.Headline())
		}
	}
}
