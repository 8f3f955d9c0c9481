package history_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
)

// TestSome: what is read of a few programs ahead is what is known of each, also
// of runs that were added later than younger ones, of repetitions, and of more
// runs than are read ahead.
func TestSome(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "history.db"))
	const p, f, b, inv = results.Passed, results.Failed, results.Broken, results.Invalid
	for n := range 70 {
		at := (n*37 + 5) % 70
		run := newRun(at, []results.Status{p, f, p, b}[at%4], []results.Status{f, inv}[at%2], f)
		if at == 3 {
			run.Programs[1].Status = p // long ago
			run.Programs[1].Attempts = run.Programs[0].Attempts
		}
		if at%5 == 0 {
			again := run.Programs[0]
			again.Status, again.Repeat, again.Attempts = p, 2, nil
			run.Programs[0].Repeat = 1
			run.Programs = append(run.Programs, again)
		}
		record(t, h, run)
	}
	const pathC = ".opendesk/learned/c.program.json"
	for name, past := range map[string]compare.Past{
		"all":    h.All(context.Background(), "learn-regression"),
		"before": h.Before(context.Background(), compare.InfoOf(newRun(50, p))),
		"few":    h.Before(context.Background(), compare.InfoOf(newRun(7, p))),
		"none":   h.Before(context.Background(), compare.InfoOf(newRun(0, p))),
	} {
		some, err := past.Some([]string{pathB, "nowhere", pathA})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{pathA, pathB, pathC, "nowhere"} {
			want, got := outcomes(t, past, path), outcomes(t, some, path)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %+v\nwant %+v", name, path, got, want)
			}
			for _, o := range want {
				want, err := past.Steps(o)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := some.Steps(o); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %s, %s: %+v, %v, want %+v", name, path, o.Run.ID, got, err, want)
				}
			}
		}
	}
	none, err := h.All(context.Background(), "").Some(nil)
	if err != nil || len(outcomes(t, none, pathA)) != 70 {
		t.Error("no programs ahead:", err)
	}
}

func outcomes(t *testing.T, past compare.Past, path string) (list []compare.Outcome) {
	t.Helper()
	for o, err := range past.Outcomes(path) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

// TestRecordWhen: what is not to be after all is not there, and what was is.
func TestRecordWhen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	h := open(t, path)
	record(t, h, newRun(1, results.Passed))
	no := errors.New("no")
	refused := func() error { return no }
	for _, run := range []*results.Run{newRun(1, results.Failed, results.Failed), newRun(2, results.Passed)} {
		if err := h.RecordWhen(context.Background(), run, nil, refused); !errors.Is(err, no) {
			t.Errorf("error %v", err)
		}
	}
	if got := ids(t, h); !slices.Equal(got, []string{"run-001"}) {
		t.Errorf("runs %v", got)
	}
	if list := outcomes(t, h.All(context.Background(), ""), pathA); len(list) != 1 || list[0].Status != results.Passed {
		t.Errorf("outcomes %+v", list)
	}
	if err := h.RecordWhen(context.Background(), newRun(2, results.Passed), nil, func() error { return nil }); err != nil {
		t.Error(err)
	}
	if got := ids(t, h); !slices.Equal(got, []string{"run-002", "run-001"}) {
		t.Errorf("runs %v", got)
	}
}

// TestManyPrograms: a run of more programs and steps than one statement adds is
// there as a whole, and so is the next one.
func TestManyPrograms(t *testing.T) {
	h, err := history.Open(context.Background(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close() //nolint:errcheck // it is removed
	for n, programs := range []int{999, 1003, 1001} {
		run := largeRun(n, programs)
		if err := h.Record(context.Background(), run, nil); err != nil {
			t.Fatal(err)
		}
		past := h.Only(context.Background(), run.ID)
		paths, err := past.Paths(compare.InfoOf(run))
		if err != nil || len(paths) != programs {
			t.Errorf("%d programs, %v, want %d", len(paths), err, programs)
		}
		for _, i := range []int{0, 49, 50, programs - 1} {
			list := outcomes(t, past, run.Programs[i].Path)
			if len(list) != 1 {
				t.Fatalf("%s: %d outcomes", run.Programs[i].Path, len(list))
			}
			if steps, err := past.Steps(list[0]); err != nil || len(steps) != 10 {
				t.Errorf("%s: %d steps, %v", run.Programs[i].Path, len(steps), err)
			}
		}
	}
}
