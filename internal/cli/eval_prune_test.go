package cli_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/reporters/json"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/history"
	"github.com/opendesk/opendesk/results/resultstest"
)

// oldRun is a canned run in a project: what came of its programs, by name.
type oldRun struct {
	id       string
	outcomes map[string]results.Status
	recorded bool // in the history
	killed   bool // it left events only
}

// write makes the run's folder, and its row in the history. Runs begin an hour
// after each other, in the order of their numbers.
func (r oldRun) write(t *testing.T, project string, number int) {
	t.Helper()
	var programs []results.Program
	for name := range r.outcomes {
		programs = append(programs, resultstest.Program(name))
	}
	slices.SortFunc(programs, func(a, b results.Program) int { return strings.Compare(a.Name, b.Name) })
	s := resultstest.NewStream(programs...)
	shift := time.Duration(number) * time.Hour
	s.Events[0].Run.ID, s.Events[0].Run.StartedAt = r.id, s.Events[0].Run.StartedAt.Add(shift)
	for _, p := range programs {
		status := r.outcomes[p.Name]
		last := status
		if status == results.Flaky {
			last = results.Passed
		}
		s.Begin(p).Attempt().EndAttempt(last, "", nil).End(status, "")
	}
	for i := range s.Events {
		s.Events[i].Time = s.Events[i].Time.Add(shift)
	}
	if !r.killed {
		s.Finish(false)
		writeWith(t, filepath.Join(project, ".opendesk", "eval", "runs", r.id, "results.json"), func(w io.Writer) error { return json.Write(w, s.Run()) })
	}
	writeWith(t, filepath.Join(project, ".opendesk", "eval", "runs", r.id, "events.ndjson"), func(w io.Writer) error {
		events := results.NewEventWriter(w)
		for _, ev := range s.Events {
			if err := events.Write(&ev); err != nil {
				return err
			}
		}
		return nil
	})
	if !r.recorded {
		return
	}
	h, err := history.Open(context.Background(), filepath.Join(project, ".opendesk", "eval", "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Record(context.Background(), s.Run(), nil); err != nil {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// The last good run of a program that is there is kept, whether the history
// knows it or not.
func TestPruneKeepsLastGoodRuns(t *testing.T) {
	t.Parallel()
	const good, flaky, bad = results.Passed, results.Flaky, results.Failed
	of := func(pairs ...any) map[string]results.Status {
		m := map[string]results.Status{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1].(results.Status)
		}
		return m
	}
	for name, c := range map[string]struct {
		runs    []oldRun
		history string // what the file of the history is made, "" for nothing
		kept    []string
	}{
		"there is no history": {
			runs: []oldRun{{id: "r1", outcomes: of("a", good, "b", good)}, {id: "r2", outcomes: of("a", flaky, "b", bad)}, {id: "r3", outcomes: of("a", bad, "b", bad)}},
			kept: []string{"r1", "r2"},
		},
		"it was damaged": {
			runs:    []oldRun{{id: "r1", outcomes: of("a", good), recorded: true}, {id: "r2", outcomes: of("a", bad), recorded: true}},
			history: "no database", kept: []string{"r1"},
		},
		"it is empty": {
			runs:    []oldRun{{id: "r1", outcomes: of("a", good), recorded: true}, {id: "r2", outcomes: of("a", bad), recorded: true}},
			history: "\x00", kept: []string{"r1"},
		},
		"it knows older runs only": {
			runs: []oldRun{{id: "r1", outcomes: of("a", good), recorded: true}, {id: "r2", outcomes: of("a", good)}, {id: "r3", outcomes: of("a", bad)}},
			kept: []string{"r1", "r2"}, // the one that runs are compared with, and the newest
		},
		"it knows newer ones": {
			runs: []oldRun{{id: "r1", outcomes: of("a", good)}, {id: "r2", outcomes: of("a", good), recorded: true}, {id: "r3", outcomes: of("a", bad), recorded: true}},
			kept: []string{"r2"},
		},
		"the good run was killed": {
			runs: []oldRun{{id: "r1", outcomes: of("a", good), killed: true}, {id: "r2", outcomes: of("a", bad)}},
			kept: []string{"r1"},
		},
		"the program is gone": {
			runs: []oldRun{{id: "r1", outcomes: of("gone", good)}, {id: "r2", outcomes: of("gone", good), recorded: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := t.TempDir()
			for _, program := range []string{"a", "b"} {
				writeWith(t, filepath.Join(project, ".opendesk", "learned", program+".program.json"), func(io.Writer) error { return nil })
			}
			for i, r := range c.runs {
				r.write(t, project, i)
			}
			if c.history != "" {
				if err := os.WriteFile(filepath.Join(project, ".opendesk", "eval", "history.db"), []byte(strings.Trim(c.history, "\x00")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			out := opendesk(t, project, 0, "eval", "prune", "--keep", "0")
			entries, err := os.ReadDir(filepath.Join(project, ".opendesk", "eval", "runs"))
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, entry := range entries {
				left = append(left, entry.Name())
			}
			if !slices.Equal(left, c.kept) {
				t.Errorf("left are %v, want %v\n%s", left, c.kept, out)
			}
		})
	}
}
