package merge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/merge"
	"github.com/opendesk/opendesk/results/resultstest"
)

// shardsOf are the n shards of a canned run, the last one first.
func shardsOf(t testing.TB, stream *resultstest.Stream, n int, end func(*resultstest.Stream, int)) []merge.Shard {
	t.Helper()
	var shards []merge.Shard
	for i := n; i >= 1; i-- {
		part := canned(t, stream, i, n)
		end(part, i)
		shards = append(shards, shard(t, part))
	}
	return shards
}

func finish(s *resultstest.Stream, _ int) { s.Finish(false) }

func same(t *testing.T, what string, got, want *results.Run) {
	t.Helper()
	difference, err := results.Difference(got, want)
	if err != nil {
		t.Fatal(err)
	}
	if difference != "" {
		t.Errorf("%s: %s", what, difference)
	}
}

// The shards of a run are the run, and so are the events that are written.
func TestMergedIsTheWhole(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"mixed": resultstest.Mixed(), "passing": resultstest.Passing(), "empty": resultstest.Empty(), "hostile": resultstest.Hostile(),
	} {
		for _, n := range []int{1, 3, 7} {
			want := canned(t, stream, 0, 0).Finish(false).Run()
			shards := shardsOf(t, stream, n, finish)
			got, err := merge.Runs(shards, merge.Options{ID: "merged"})
			if err != nil {
				t.Fatalf("%s in %d: %v", name, n, err)
			}
			same(t, name, got, want)
			if got.ID != "merged" || !got.StartedAt.Equal(want.StartedAt) || got.DurationMS != want.DurationMS {
				t.Errorf("%s in %d: id %s, began %v, took %d ms, not %v, %d ms", name, n, got.ID, got.StartedAt, got.DurationMS, want.StartedAt, want.DurationMS)
			}
			if name == "hostile" {
				continue // its artifact's name is none for a file
			}
			dir := t.TempDir()
			if err := mergeFiles(got, shards, nil, dir); err != nil {
				t.Fatal(err)
			}
			checkFiles(t, dir, got, n)
		}
	}
}

// mergeFiles makes all of the merged run's files but for reports.
func mergeFiles(run *results.Run, shards []merge.Shard, warnings map[string][]results.Warning, dir string) error {
	if err := merge.Artifacts(shards, dir); err != nil {
		return err
	}
	return merge.Logs(run, shards, warnings, dir)
}

// checkFiles holds a merged run's files against its results.
func checkFiles(t *testing.T, dir string, run *results.Run, shards int) {
	t.Helper()
	events, err := os.Open(filepath.Join(dir, "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close() //nolint:errcheck // read only
	rebuilt, err := results.Rebuild(events)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "from events", rebuilt, run)
	if rebuilt.DurationMS != run.DurationMS || rebuilt.ID != run.ID {
		t.Errorf("from events: %s, %d ms", rebuilt.ID, rebuilt.DurationMS)
	}
	if _, err := events.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	reader := results.NewEventReader(events, "events.ndjson")
	last := run.StartedAt
	for {
		ev, err := reader.Next()
		if err != nil {
			break
		}
		if ev.Time.Before(last) {
			t.Errorf("event %d is from %v, after one from %v", ev.Seq, ev.Time, last)
		}
		last = ev.Time
	}
	for _, a := range merge.ArtifactsOf(run) {
		data, err := os.ReadFile(filepath.Join(dir, a.Name))
		if err != nil || string(data) != content(a.Name) {
			t.Errorf("%s: %q, %v", a.Name, data, err)
		}
	}
	checkAudit(t, filepath.Join(dir, "audit.ndjson"), 3*shards)
}

func checkAudit(t *testing.T, name string, entries int) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the audit log can be read by others: %v, %v", info.Mode(), err)
	}
	ids, last := map[string]bool{}, 0.0
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var e results.AuditEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if ids[e.ID] || e.Timestamp < last {
			t.Errorf("entry %+v after one of %f", e, last)
		}
		ids[e.ID], last = true, e.Timestamp
	}
	if len(ids) != entries {
		t.Errorf("%d entries, want %d", len(ids), entries)
	}
}

// What cannot be merged is told, all of it, with its place.
func TestRefused(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(shards []merge.Shard) []merge.Shard
		want   []string // with A to C for the folders of shards 1 to 3
	}{
		{"nothing", func([]merge.Shard) []merge.Shard { return nil }, []string{"there are no runs to merge"}},
		{"a missing one", func(s []merge.Shard) []merge.Shard { return s[:2] }, []string{"missing is the shard 3/3"}},
		{"two missing ones", func(s []merge.Shard) []merge.Shard { return s[1:2] }, []string{"missing are the shards 1/3, 3/3"}},
		{"one twice, one missing, another plan", func(s []merge.Shard) []merge.Shard {
			s[1].Run.Plan.Digest = "sha256:2"
			s[1].Run.Suite = "other"
			return append(s[:2], s[0])
		}, []string{
			"B: suite is other, but learn-regression in A",
			"B: plan digest is sha256:2, but sha256:1 in A (other programs, settings, options or version of opendesk)",
			"A: is shard 1/3, and so is A", "missing is the shard 3/3",
		}},
		{"another number", func(s []merge.Shard) []merge.Shard { s[2].Run.Plan.Shard = "3/4"; return s },
			[]string{"C: number of shards is 4, but 3 in A", "missing is the shard 4/4"}},
		{"wholes and others", func(s []merge.Shard) []merge.Shard {
			s[0].Run.Plan.Shard, s[1].Run.Plan, s[2].Run.SchemaVersion = "", nil, 2
			return s
		}, []string{"A: is a whole run, not a shard (eval run --shard)", "B: does not say what was planned", "C: has schema version 2, not 1"}},
		{"no shard", func(s []merge.Shard) []merge.Shard { s[0].Run.Plan.Shard = "4/3"; return s }, []string{`A: "4/3" is no shard, such as 2/3`}},
		{"another order", func(s []merge.Shard) []merge.Shard {
			s[1].Run.Plan.Order, s[1].Run.Plan.Seed = "random", 7
			return s
		}, []string{"B: order is random:7, but file in A"}},
		{"a program twice", func(s []merge.Shard) []merge.Shard {
			s[0].Run.Programs = append(s[0].Run.Programs, s[1].Run.Programs[0])
			return s
		}, []string{"B: program .opendesk/learned/crash.program.json is in A as well"}},
		{"a program too few", func(s []merge.Shard) []merge.Shard {
			s[0].Run.Programs = s[0].Run.Programs[:1]
			return s
		}, []string{"the shards have 7 programs together, but 10 were planned"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			shards := shardsOf(t, resultstest.Mixed(), 3, finish)
			slices.Reverse(shards)
			for i := range shards {
				shards[i].Dir = string(rune('A' + i))
			}
			run, err := merge.Runs(row.change(shards), merge.Options{})
			if err == nil {
				t.Fatalf("merged into %+v", run)
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) < len(row.want) {
				t.Fatalf("%q\nwant %q", got, row.want)
			}
			for i, want := range row.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("%q\nwant %q", got[i], want)
				}
			}
		})
	}
}

// Files that are not those that results tell of are refused, all at once.
func TestRefusedFiles(t *testing.T) {
	shards := shardsOf(t, resultstest.Mixed(), 2, finish)
	slices.Reverse(shards)
	run, err := merge.Runs(shards, merge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := merge.ArtifactsOf(run)
	at := func(name string) string {
		for _, s := range shards {
			path := filepath.Join(s.Dir, name)
			if _, err := os.Lstat(path); err == nil {
				return path
			}
		}
		t.Fatal(name)
		return ""
	}
	gone, other, longer, linked := at(files[0].Name), at(files[1].Name), at(files[2].Name), at(files[3].Name)
	outside := filepath.Join(t.TempDir(), "x")
	for _, err := range []error{
		os.Remove(gone),
		os.WriteFile(other, bytes.Repeat([]byte("x"), int(files[1].Size)), 0o600),
		os.WriteFile(longer, []byte("longer than it was, whatever that may be, by far and for ever"+content(files[2].Name)), 0o600),
		os.WriteFile(outside, []byte(content(files[3].Name)), 0o600),
		os.Remove(linked), os.Symlink(outside, linked),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	err = mergeFiles(run, shards, nil, t.TempDir())
	var problem *merge.ProblemError
	if !errors.As(err, &problem) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{gone + ": is missing", other + ": is not the file that results.json tells of (its content", longer + ": is not the file that results.json tells of (", linked + ": "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

// A name that leads out of the folder is no artifact.
func TestNamesOutsideAreRefused(t *testing.T) {
	for _, name := range []string{"../x", "/etc/passwd", "a/../../x", ""} {
		shards := shardsOf(t, resultstest.Mixed(), 1, finish)
		shards[0].Run.Programs[0].Attempts = []results.Attempt{{Artifacts: []results.Artifact{{Name: name}}}}
		run, err := merge.Runs(shards, merge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := mergeFiles(run, shards, nil, t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not the name of a file") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// One shard that was killed makes the merged run an interrupted one, and what
// it had found stays.
func TestAnInterruptedShard(t *testing.T) {
	for what, left := range map[string]func([]results.Event) []results.Event{
		"before its program had ended": func(events []results.Event) []results.Event { return events[:len(events)-2] },
		"before its program began":     func(events []results.Event) []results.Event { return events[:1] },
	} {
		t.Run(what, func(t *testing.T) { interruptedShard(t, left) })
	}
}

// interruptedShard merges two shards of which the first was killed when these
// events were left.
func interruptedShard(t *testing.T, left func([]results.Event) []results.Event) {
	shards := shardsOf(t, resultstest.Passing(), 2, func(s *resultstest.Stream, index int) {
		if index == 1 {
			s.Events = left(s.Events)
			return
		}
		s.Finish(false)
	})
	run, err := merge.Runs(shards, merge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !run.Interrupted || run.ExitCode != results.ExitInterrupted || run.Counts.Passed != 1 || run.Counts.Skipped != 1 {
		t.Errorf("interrupted %t, exit code %d, %+v", run.Interrupted, run.ExitCode, run.Counts)
	}
	for _, s := range shards { // and its last line is torn
		file, err := os.OpenFile(filepath.Join(s.Dir, "events.ndjson"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(`{"seq":99,"ti`); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := mergeFiles(run, shards, nil, dir); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, dir, run, 2)
}

// The exit code and its notes are those that one run would have had.
func TestExitCodes(t *testing.T) {
	stream := resultstest.Mixed()
	stream.Events[0].Run.Plan = &results.Plan{FailOn: []results.Remark{"flaky", "weak"}}
	end := func(s *resultstest.Stream, _ int) {
		run := s.Run()
		s.Finish(false)
		closing := s.Events[len(s.Events)-1].Run
		if notes := results.FailOn(run.Programs, run.Plan.FailOn); len(notes) > 0 {
			closing.ExitCode, closing.Notes = results.ExitFailed, notes
		}
	}
	whole := canned(t, stream, 0, 0)
	end(whole, 0)
	run, err := merge.Runs(shardsOf(t, stream, 3, end), merge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "with --fail-on", run, whole.Run())
	if len(run.Notes) != 2 {
		t.Errorf("notes %q", run.Notes)
	}

	passing := shardsOf(t, resultstest.Passing(), 2, finish)
	if run, err = merge.Runs(passing, merge.Options{FailOn: []results.Remark{"weak"}}); err != nil || run.ExitCode != results.ExitFailed || len(run.Notes) != 1 {
		t.Errorf("--fail-on of the merge: %+v, %v", run, err)
	}
	passing = shardsOf(t, resultstest.Passing(), 2, finish)
	passing[0].Run.ExitCode = results.ExitBroken // its harness had a fault
	if run, err = merge.Runs(passing, merge.Options{}); err != nil || run.ExitCode != results.ExitBroken || len(run.Notes) != 1 {
		t.Errorf("a shard with a fault: %+v, %v", run, err)
	}
	empty := shardsOf(t, resultstest.Empty(), 2, finish)
	if run, err = merge.Runs(empty, merge.Options{}); err != nil || run.ExitCode != results.ExitInvalid {
		t.Errorf("nothing to run: %d, %v", run.ExitCode, err)
	}
	empty = shardsOf(t, resultstest.Empty(), 2, finish)
	for i := range empty {
		empty[i].Run.ExitCode = 0 // --pass-with-no-programs
	}
	if run, err = merge.Runs(empty, merge.Options{}); err != nil || run.ExitCode != 0 {
		t.Errorf("nothing to run, which is to pass: %d, %v", run.ExitCode, err)
	}
}

// Machines that differ are told, and packages add up.
func TestEnvironments(t *testing.T) {
	shards := shardsOf(t, resultstest.Passing(), 2, finish)
	a, b := &shards[1].Run.Environment, &shards[0].Run.Environment
	a.Hostname, a.Kernel, a.Workers, a.Packages = "one", "6.1", 2, []results.Package{{Name: "xvfb", Version: "1"}, {Name: "zz", Version: "1"}}
	b.Hostname, b.Kernel, b.Workers, b.Packages = "two", "6.2", 3, []results.Package{{Name: "kcalc", Version: "2"}, {Name: "xvfb", Version: "2"}}
	run, err := merge.Runs(shards, merge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := run.Environment
	want := []results.Package{{Name: "kcalc", Version: "2"}, {Name: "xvfb", Version: "1"}, {Name: "zz", Version: "1"}}
	if e.Hostname != "one, two" || e.Kernel != "6.1" || e.Workers != 5 || !slices.Equal(e.Packages, want) {
		t.Errorf("%+v", e)
	}
	notes := []string{
		"the shards' environments differ: package xvfb is 1 in shard 1/2, 2 in shard 2/2",
		"the shards' environments differ: kernel is 6.1 in shard 1/2, 6.2 in shard 2/2",
	}
	if !slices.Equal(run.Notes, notes) {
		t.Errorf("notes %q", run.Notes)
	}
}

// TestMorePlannedThanALineHolds: where a line cannot name all programs of the
// merged run, the first one names none, and each still has its own events.
func TestMorePlannedThanALineHolds(t *testing.T) {
	var plan []results.Program
	for i := range 6 {
		p := resultstest.Program(fmt.Sprintf("program-%d", i))
		p.Description = strings.Repeat("x", results.MaxEventBytes/5)
		plan = append(plan, p)
	}
	stream := resultstest.NewStream(plan...)
	for _, p := range plan {
		steps := resultstest.ExportSteps()
		stream.Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Passed, "")
	}
	shards := shardsOf(t, stream, 3, finish)
	run, err := merge.Runs(shards, merge.Options{ID: "merged"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := mergeFiles(run, shards, nil, dir); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, dir, run, 3)
	events, err := os.Open(filepath.Join(dir, "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close() //nolint:errcheck // read only
	first, err := results.NewEventReader(events, "events.ndjson").Next()
	if err != nil || first.Seq != 1 || first.Run == nil || len(first.Run.Programs) != 0 {
		t.Errorf("the first event is %d, of %v: %v", first.Seq, first.Type, err)
	}
}
