package harness_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/results"
)

// names are those of n programs.
func names(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("p%02d", i))
	}
	return list
}

func run(t testing.TB, d *desk, p harness.Plan, o harness.Options) *results.Run {
	t.Helper()
	o.Leaser, o.Launcher = d, d
	got, err := harness.Run(t.Context(), results.Run{Suite: "x"}, p, o)
	if err != nil {
		t.Fatal(err)
	}
	d.allReturned(t)
	return got
}

// statuses are the programs' statuses, in their order.
func statuses(r *results.Run) string {
	var list []string
	for _, p := range r.Programs {
		list = append(list, string(p.Status))
	}
	return strings.Join(list, " ")
}

// All workers are busy at the same time, and no more of them.
func TestWorkersRunAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(nil)
		var mu sync.Mutex
		running, most := 0, 0
		d.launch = func(string) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
		}
		begun := time.Now()
		got := run(t, d, plan(t, names(8)...), harness.Options{Workers: 4})
		if took := time.Since(begun); most != 4 || took != 2*time.Second {
			t.Errorf("%d at the same time, in %v", most, took)
		}
		if d.mostOpen > 5 {
			t.Errorf("%d sessions at the same time, more than workers + 1", d.mostOpen)
		}
		if got.Counts.Passed != 8 {
			t.Errorf("%+v", got.Counts)
		}
	})
}

// Results are the same whatever the number of workers; the events of programs
// that ran at the same time are mixed, and can be rebuilt from.
func TestResultsDoNotDependOnWorkers(t *testing.T) {
	var first *results.Run
	for _, workers := range []int{1, 3, 16} {
		d := newDesk(map[string]string{
			"p01": "failed,passed", "p02": "failed,failed", "p03": "broken,passed", "p05": "crash,crash",
			"p06": "over budget,over budget", "p08": "fail then crash,failed",
		})
		d.launch = func(name string) { // later programs end earlier
			if name < "p05" {
				time.Sleep(time.Millisecond)
			}
		}
		acc := results.NewAccumulator()
		got := run(t, d, plan(t, names(12)...), harness.Options{Workers: workers, Retries: 1, EnvRetries: 1, Sink: acc.Apply})
		if d, err := results.Difference(got, acc.Run()); err != nil || d != "" {
			t.Errorf("what the events tell differs: %s %v", d, err)
		}
		if first == nil {
			first = got
		}
		if d, err := results.Difference(first, got); err != nil || d != "" {
			t.Errorf("%d workers: %s %v", workers, d, err)
		}
	}
}

func TestMaxFailures(t *testing.T) {
	for _, row := range []struct {
		max  int
		ends map[string]string
		want string
		code int
	}{
		{1, map[string]string{"p01": "failed"}, "passed failed skipped skipped", 1},
		{2, map[string]string{"p00": "failed", "p02": "crash"}, "failed passed broken skipped", 1},
		{1, map[string]string{"p00": "crash"}, "broken skipped skipped skipped", 3},
		{3, map[string]string{"p00": "failed", "p01": "failed"}, "failed failed passed passed", 1},
	} {
		got := run(t, newDesk(row.ends), plan(t, names(4)...), harness.Options{MaxFailures: row.max})
		if statuses(got) != row.want || got.ExitCode != row.code || got.Interrupted {
			t.Errorf("%s, exit %d, want %s, %d", statuses(got), got.ExitCode, row.want, row.code)
		}
		for _, p := range got.Programs {
			if p.Status == results.Skipped && !strings.Contains(p.Reason, "--max-failures") {
				t.Errorf("reason %q", p.Reason)
			}
		}
	}
}

// What is under way when the last failure is counted comes to its end.
func TestMaxFailuresLetsProgramsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(map[string]string{"p00": "failed"})
		d.launch = func(name string) {
			if name != "p00" {
				time.Sleep(time.Second)
			}
		}
		got := run(t, d, plan(t, names(5)...), harness.Options{Workers: 2, MaxFailures: 1})
		if want := "failed passed skipped skipped skipped"; statuses(got) != want {
			t.Errorf("%s, want %s", statuses(got), want)
		}
	})
}

func TestRunBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(map[string]string{"p01": "hang", "p02": "hang"})
		begun := time.Now()
		got := run(t, d, plan(t, names(5)...), harness.Options{Workers: 2, Budget: time.Minute})
		if want := "passed skipped skipped skipped skipped"; statuses(got) != want || time.Since(begun) != time.Minute {
			t.Errorf("%s after %v, want %s", statuses(got), time.Since(begun), want)
		}
		if !got.Interrupted || got.ExitCode != results.ExitInterrupted {
			t.Errorf("a run that was cut short counts as complete: exit code %d", got.ExitCode)
		}
		if r := got.Programs[1].Reason; r != "interrupted: the run's time budget is used up" {
			t.Errorf("reason of what was under way: %q", r)
		}
		if r := got.Programs[4].Reason; r != "not run: the run's time budget of 1m0s is used up" {
			t.Errorf("reason of what was not begun: %q", r)
		}
		if !slices.Contains(got.Notes, "the run was ended: its time budget of 1m0s is used up") {
			t.Errorf("notes %q", got.Notes)
		}
	})
}

func TestQuarantine(t *testing.T) {
	in := &results.Quarantine{Issue: "https://example.org/7", Until: "2027-01-31"}
	over := &results.Quarantine{Issue: "https://example.org/7", Until: "2020-01-31", Expired: true}
	for _, row := range []struct {
		ends       string
		quarantine *results.Quarantine
		status     results.Status
		reason     string
		note       string
		code       int
	}{
		{"failed", in, results.Skipped, "in quarantine until 2027-01-31 (https://example.org/7), failed: not found (1)", "", 0},
		{"failed", over, results.Failed, "not found (1)", "its quarantine has expired on 2020-01-31 (https://example.org/7)", 1},
		{"passed", in, results.Passed, "", "it is in quarantine until 2027-01-31 (https://example.org/7) and passed", 0},
		{"crash", in, results.Broken, "the worker ended", "", 3},
	} {
		p := plan(t, "p")
		p.Items[0].Quarantine = row.quarantine
		r := run(t, newDesk(map[string]string{"p": row.ends}), p, harness.Options{})
		got := r.Programs[0]
		note := ""
		for _, w := range got.Warnings {
			note += w.Message
		}
		if got.Status != row.status || got.Reason != row.reason || note != row.note || r.ExitCode != row.code {
			t.Errorf("%s, %+v: %s %q %q, exit %d", row.ends, row.quarantine, got.Status, got.Reason, note, r.ExitCode)
		}
		if got.Excused() != (row.status == results.Skipped) || len(got.Attempts) != 1 {
			t.Errorf("%s: excused %t, %d attempts", row.ends, got.Excused(), len(got.Attempts))
		}
	}
	// Beside others it changes nothing.
	p := plan(t, "p", "q")
	p.Items[0].Quarantine = in
	if r := run(t, newDesk(map[string]string{"p": "failed"}), p, harness.Options{}); r.ExitCode != 0 || r.Status != results.Passed {
		t.Errorf("exit code %d, %s", r.ExitCode, r.Status)
	}
}

func TestFailOn(t *testing.T) {
	flaky := map[string]string{"p": "failed,passed"}
	if r := run(t, newDesk(flaky), plan(t, "p"), harness.Options{Retries: 1}); r.ExitCode != 0 {
		t.Errorf("exit code %d", r.ExitCode)
	}
	r := run(t, newDesk(flaky), plan(t, "p"), harness.Options{Retries: 1, FailOn: []results.Remark{"flaky"}})
	if r.ExitCode != results.ExitFailed || r.Programs[0].Status != results.Flaky || r.Status != results.Flaky || len(r.Notes) != 1 {
		t.Errorf("exit code %d, %s, notes %q", r.ExitCode, r.Programs[0].Status, r.Notes)
	}
}

func TestAnInterruptEndsAllWorkers(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	d := newDesk(map[string]string{"p00": "hang", "p01": "hang", "p02": "hang"})
	begun := make(chan struct{}, 3)
	d.launch = func(string) { begun <- struct{}{} }
	go func() {
		for range 3 {
			<-begun
		}
		cancel(errors.New("Ctrl-C"))
	}()
	got, err := harness.Run(ctx, results.Run{}, plan(t, names(6)...), harness.Options{Workers: 3, Leaser: d, Launcher: d})
	if err != nil {
		t.Fatal(err)
	}
	d.allReturned(t)
	for _, p := range got.Programs {
		if p.Status != results.Skipped || p.Reason != results.Interrupted {
			t.Errorf("%s %q", p.Status, p.Reason)
		}
	}
	if got.ExitCode != results.ExitInterrupted {
		t.Errorf("exit code %d", got.ExitCode)
	}
}
