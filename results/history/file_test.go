package history_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
)

// writerFile tells a process of this test binary to write runs to that file
// until it is killed; writerFirst is the number of its first run.
const writerFile, writerFirst = "OPENDESK_TEST_HISTORY", "OPENDESK_TEST_HISTORY_FIRST"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerFile); path != "" {
		first := 0
		_, _ = fmt.Sscan(os.Getenv(writerFirst), &first)
		writeForever(path, first)
	}
	os.Exit(m.Run())
}

// writeForever says of each run that it is written, once it is.
func writeForever(path string, first int) {
	for n := first; ; n++ {
		h, err := history.Open(context.Background(), path)
		if err == nil {
			err = errors.Join(h.Record(context.Background(), bigRun(n), compare.ContentsOf(content(pathA))), h.Close())
		}
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// bigRun is a run whose writing takes a while.
func bigRun(n int) *results.Run {
	run := newRun(n, results.Passed)
	p := run.Programs[0]
	for i := range 40 {
		p.Path = fmt.Sprintf(".opendesk/learned/p%d.program.json", i)
		run.Programs = append(run.Programs, p)
	}
	return run
}

// TestKilled: a process that is killed while it writes leaves whole runs only,
// and everything that it said was written.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	said := map[string]bool{}
	for round := range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), writerFile+"="+path, fmt.Sprintf("%s=%d", writerFirst, 100*round))
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(60+7*round) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		lines := strings.Split(out.String(), "\n")
		for _, line := range lines[:len(lines)-1] { // the last one can be cut
			if strings.HasPrefix(line, "error") {
				t.Fatal(line)
			}
			n := 0
			if _, err := fmt.Sscan(line, &n); err == nil {
				said[fmt.Sprintf("run-%03d", n)] = true
			}
		}
		h, err := history.Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if h.Note() != "" {
			t.Errorf("round %d: %s", round, h.Note())
		}
		past := h.All(context.Background(), "")
		for info, err := range past.Runs() {
			if err != nil {
				t.Fatal(err)
			}
			if paths, err := past.Paths(info); err != nil || len(paths) != 41 {
				t.Errorf("round %d: %s has %d programs, %v", round, info.ID, len(paths), err)
			}
			delete(said, info.ID)
		}
		if len(said) > 0 {
			t.Errorf("round %d: %v were lost", round, said)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBegunTogether: a history that another is beginning at the same moment is
// never taken for the database of somebody else.
func TestBegunTogether(t *testing.T) {
	dir := t.TempDir()
	for round := range 50 {
		path := filepath.Join(dir, fmt.Sprintf("history%d.db", round))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				h, err := history.Open(context.Background(), path)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// TestTogether: several processes, and several in one, open and write at once.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	other := exec.Command(os.Args[0], "-test.run=^$")
	other.Env = append(os.Environ(), writerFile+"="+path, writerFirst+"=50000")
	var said strings.Builder
	other.Stdout = &said
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill() })
	const writers, each = 4, 5
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				h, err := history.Open(context.Background(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := h.Record(context.Background(), bigRun(100*w+i), compare.ContentsOf(content(pathA))); err != nil {
					t.Error(err)
				}
				if h.Note() != "" {
					t.Error(h.Note())
				}
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_ = other.Process.Kill()
	_ = other.Wait()
	if strings.Contains(said.String(), "error") {
		t.Error(said.String())
	}
	ours := slices.DeleteFunc(ids(t, open(t, path)), func(id string) bool { return strings.HasPrefix(id, "run-5") })
	if len(ours) != writers*each {
		t.Errorf("%d runs, want %d", len(ours), writers*each)
	}
}

// TestDamaged: each sort of damage is kept aside and told, and a new history
// begins; nothing is lost.
func TestDamaged(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole.db")
	h, err := history.Open(context.Background(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 30 {
		record(t, h, newRun(n, results.Passed, results.Failed))
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	zeroed := append([]byte(nil), good...)
	clear(zeroed[4096*3 : 4096*6])
	for name, data := range map[string][]byte{
		"no database": []byte("hello, this is no database at all"),
		"cut":         good[:len(good)/2],
		"zeroed":      zeroed,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "history.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := open(t, path)
		if !strings.Contains(h.Note(), "was damaged: it is kept as history.db.damaged-") {
			t.Errorf("%s: note %q", name, h.Note())
		}
		record(t, h, newRun(1, results.Passed))
		if got := ids(t, h); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
		kept, _ := filepath.Glob(path + ".damaged-*Z")
		if len(kept) != 1 {
			t.Fatalf("%s: kept %v", name, kept)
		}
		if left, err := os.ReadFile(kept[0]); err != nil || len(left) != len(data) {
			t.Errorf("%s: %d of %d bytes are kept, %v", name, len(left), len(data), err)
		}
	}
}

// TestForeign: a newer history, and another program's database, are refused
// and left as they are.
func TestForeign(t *testing.T) {
	for _, row := range []struct{ name, statements, want string }{
		{"newer", "PRAGMA user_version = 99", "was written by a newer version of opendesk"},
		{"foreign", "PRAGMA application_id = 7", "no history of opendesk"},
	} {
		path := filepath.Join(t.TempDir(), "history.db")
		h, err := history.Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		record(t, h, newRun(1, results.Passed))
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(row.statements); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := history.Open(context.Background(), path); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(before) != string(after) {
			t.Errorf("%s: the file was changed (%v)", row.name, err)
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("%s: there are %v", row.name, files)
		}
	}
}

// TestExport: an export holds everything, an import adds what is new, once.
func TestExport(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	a, b := open(t, filepath.Join(dir, "a.db")), open(t, filepath.Join(dir, "b.db"))
	record(t, a, newRun(1, results.Passed, results.Failed), newRun(2, results.Passed, results.Passed))
	record(t, b, newRun(2, results.Passed, results.Passed), newRun(3, results.Failed))
	file := filepath.Join(dir, "export.db")
	if err := a.Export(ctx, file); err != nil {
		t.Fatal(err)
	}
	if err := a.Export(ctx, file); err == nil {
		t.Error("an export overwrote a file")
	}
	for _, want := range []int{1, 0} {
		if added, all, err := b.Import(ctx, file); added != want || all != 2 || err != nil {
			t.Errorf("added %d of %d, %v; want %d", added, all, err, want)
		}
	}
	if got := strings.Join(ids(t, b), " "); got != "run-003 run-002 run-001" {
		t.Error(got)
	}
	now := newRun(4, results.Passed, results.Failed)
	past := b.Before(ctx, compare.InfoOf(now))
	for o, err := range past.Outcomes(pathB) {
		if err != nil {
			t.Fatal(err)
		}
		if steps, err := past.Steps(o); err != nil || len(steps) != 1 {
			t.Errorf("%s: steps %v, %v", o.Run.ID, steps, err)
		}
	}
	if text, err := past.Content(now.Programs[0].SHA256); err != nil || string(text) != string(content(pathA)) {
		t.Errorf("content %q, %v", text, err)
	}
}

// TestPrune: deleted runs take their rows with them, and contents only once no
// run has them.
func TestPrune(t *testing.T) {
	ctx := context.Background()
	h := open(t, filepath.Join(t.TempDir(), "history.db"))
	record(t, h, newRun(1, results.Passed, results.Passed), newRun(2, results.Flaky, results.Failed), newRun(3, results.Failed, results.Broken))
	last, err := h.LastGood(ctx)
	if err != nil || fmt.Sprint(last) != fmt.Sprintf("map[run-001:[%s] run-002:[%s]]", pathB, pathA) {
		t.Errorf("last good %v, %v", last, err)
	}
	if err := h.Delete(ctx, []string{"run-001", "run-002"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ids(t, h), " "); got != "run-003" {
		t.Error(got)
	}
	sha := newRun(3, results.Passed).Programs[0].SHA256
	if text, _ := h.All(ctx, "").Content(sha); text == nil {
		t.Error("a content that a run has is gone")
	}
	if err := h.Delete(ctx, []string{"run-003"}); err != nil {
		t.Fatal(err)
	}
	if text, _ := h.All(ctx, "").Content(sha); text != nil {
		t.Error("a content that no run has is there")
	}
	if paths, _, err := h.Programs(ctx); err != nil || len(paths) > 0 {
		t.Errorf("programs %v, %v", paths, err)
	}
}

// FuzzImport: whatever a file holds, importing it adds whole runs or fails, and
// harms nothing.
func FuzzImport(f *testing.F) {
	dir := f.TempDir()
	h, err := history.Open(context.Background(), filepath.Join(dir, "a.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = h.Close() })
	if err := h.Record(context.Background(), newRun(1, results.Passed), nil); err != nil {
		f.Fatal(err)
	}
	file := filepath.Join(dir, "export.db")
	if err := h.Export(context.Background(), file); err != nil {
		f.Fatal(err)
	}
	exported, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(exported)
	f.Add([]byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, "import.db")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := open(t, filepath.Join(dir, "history.db"))
		record(t, h, newRun(7, results.Passed))
		added, _, _ := h.Import(context.Background(), file)
		if got := ids(t, h); len(got) != 1+added {
			t.Errorf("%d runs after adding %d", len(got), added)
		}
	})
}
