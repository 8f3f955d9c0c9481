package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "add" { // a process that adds schedules
		s := Store{File: filepath.Join(os.Args[2], "schedules.json"), Dir: filepath.Join(os.Args[2], "own"), Now: time.Now}
		for i := range 20 {
			if _, err := s.Add(Entry{Name: fmt.Sprintf("%s-%d", os.Args[3], i), Task: "t", Timing: "1800"}, false); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func store(t testing.TB, text string) *Store {
	t.Helper()
	dir := t.TempDir()
	s := &Store{File: filepath.Join(dir, "schedules.json"), Dir: filepath.Join(dir, "own"), Now: time.Now}
	if text != "" {
		if err := os.WriteFile(s.File, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// others is a store as the other opendesk writes it, with fields and spellings
// that we do not have, and Monday as day 0.
const others = `[
  {
    "id": "0a1b2c3d",
    "name": "weekly",
    "task": "replay export",
    "timing": "every monday at 09:00",
    "cron": "0 9 * * 0",
    "interval_seconds": null,
    "enabled": true,
    "created_at": 1769000000.1234567,
    "last_run": null,
    "last_status": null,
    "colour": {"name": "gr\u00fcn", "of": [1.50, 1e3]}
  },
  {
    "name": "half",
    "task": "tidy up",
    "timing": "every 30m",
    "enabled": false,
    "next": null
  }
]
`

func TestNothingIsLost(t *testing.T) {
	s := store(t, others)
	entries, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	e := entries[0]
	if e.ID != "0a1b2c3d" || !e.Enabled || entries[1].Enabled || e.CreatedAt.Unix() != 1769000000 || !e.LastRun.IsZero() {
		t.Errorf("%+v", e)
	}
	when, err := e.When()
	if err != nil || when.Cron != "0 9 * * 1" || !strings.Contains(e.Disagrees(), "the timing counts") || entries[1].Disagrees() != "" {
		t.Error(when, err, e.Disagrees())
	}
	if err := errors.Join(s.Began("weekly", time.Unix(1770000000, 5e8)), s.Ended("weekly", "ok"), s.Enable("half", true), s.Enable("half", false)); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(s.File)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(others, `"last_run": null,
    "last_status": null`, `"last_run": 1770000000.5,
    "last_status": "ok"`, 1)
	want = strings.Replace(want, `{"name": "gr\u00fcn", "of": [1.50, 1e3]}`, `{
      "name": "gr\u00fcn",
      "of": [
        1.50,
        1e3
      ]
    }`, 1)
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if info, err := os.Stat(s.File); err != nil || info.Mode().Perm() != 0o640 {
		t.Error(info.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(s.File), ".*")); err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
}

func TestAddAndRemove(t *testing.T) {
	s := store(t, "")
	if entries, err := s.Load(); err != nil || entries != nil {
		t.Fatal(entries, err)
	}
	added, err := s.Add(Entry{Name: "a", Task: "x", Timing: "every monday 9am", Timezone: "Europe/Berlin"}, false)
	if err != nil || len(added.ID) != 8 {
		t.Fatal(added, err)
	}
	if _, err := s.Add(Entry{Name: "a", Task: "x", Timing: "1800"}, false); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	again, err := s.Add(Entry{Name: "a", Task: "y", Timing: "1800"}, true)
	if err != nil || again.ID != added.ID {
		t.Error(again, err)
	}
	data, err := os.ReadFile(s.File)
	if err != nil || strings.Contains(string(data), "Berlin") || !strings.Contains(string(data), `"interval_seconds": 1800`) {
		t.Errorf("%s %v", data, err)
	}
	for _, bad := range []Entry{{Name: "b", Timing: "never"}, {Name: "b", Timing: "1", Timezone: "Mars/Olympus"}} {
		if _, err := s.Add(bad, false); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	var unknown *UnknownError
	if err := s.Remove("c"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), `there is ["a"]`) {
		t.Error(err)
	}
	if err := s.Remove(added.ID); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(s.File); string(data) != "[]\n" || err != nil {
		t.Errorf("%q %v", data, err)
	}
}

// TestBrokenStores: what is wrong is told with its place, nothing is written over
// it, and it is kept aside where somebody wants to write.
func TestBrokenStores(t *testing.T) {
	for text, want := range map[string]string{
		" ":                                   "schedules.json:1:1: the file is empty",
		"{}":                                  "schedules.json:1:1: the file should be a list",
		"[\n  {\"name\": \"a\",}\n]":          "schedules.json:2:15: is no JSON",
		"[{\"name\": \"ż\"}, 5]":              "schedules.json:1:18: a schedule should be an object",
		"[\n {\"name\": 5}]":                  "schedules.json:2:2: name has a value of the wrong type: 5",
		"[{\"task\": \"x\"}]":                 "schedules.json:1:2: a schedule needs a name",
		"[{\"name\":\"a\"},{\"name\":\"a\"}]": `schedules.json:1:15: two schedules are called "a"`,
		"[{\"name\":\"a\",\"name\":\"b\"}]":   "schedules.json:1:",
		"[{\"name\": \"a\"}":                  "schedules.json:1:",
		"[] []":                               "schedules.json:1:",
		"[{\"name\":\"a\",\"last_run\":\"soon\"}]": "last_run has a value of the wrong type",
	} {
		s := store(t, text)
		_, err := s.Load()
		var broken *BrokenError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
			continue
		}
		if _, err := s.Add(Entry{Name: "n", Task: "t", Timing: "1800"}, true); !errors.As(err, &broken) {
			t.Errorf("%q: added: %v", text, err)
		}
		kept := s.KeepAside(err)
		if !errors.As(kept, &broken) || broken.Kept == "" {
			t.Fatalf("%q: %v", text, kept)
		}
		if data, err := os.ReadFile(broken.Kept); string(data) != text || err != nil {
			t.Errorf("%q is kept as %q, %v", text, data, err)
		}
		if _, err := s.Add(Entry{Name: "n", Task: "t", Timing: "1800"}, false); err != nil {
			t.Errorf("after it was kept aside: %v", err)
		}
	}
}

// TestAStoreThatWasMendedIsNotMoved: between the error and the move.
func TestAStoreThatWasMendedIsNotMoved(t *testing.T) {
	s := store(t, "[")
	_, err := s.Load()
	if err := os.WriteFile(s.File, []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	var broken *BrokenError
	if err := s.KeepAside(err); !errors.As(err, &broken) || broken.Kept != "" {
		t.Error(err)
	}
}

// TestSeveralProcessesAdd: all that several processes add at the same time is
// there, and a reader never sees half a file.
func TestSeveralProcessesAdd(t *testing.T) {
	s := store(t, "")
	var all sync.WaitGroup
	for n := range 3 {
		all.Go(func() {
			if out, err := exec.Command(os.Args[0], "add", filepath.Dir(s.File), strconv.Itoa(n)).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		if _, err := s.Load(); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := s.Load(); len(entries) != 60 || err != nil {
		t.Error(len(entries), err)
	}
}

func TestALinkStays(t *testing.T) {
	s := store(t, "")
	real := filepath.Join(t.TempDir(), "real.json")
	if err := errors.Join(os.WriteFile(real, []byte("[]"), 0o600), os.Symlink(real, s.File)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(Entry{Name: "a", Task: "t", Timing: "60"}, false); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(real)
	if err != nil || !strings.Contains(string(data), `"a"`) {
		t.Errorf("%s %v", data, err)
	}
}

// TestOneHolds: locks keep others out, and looking at them does not.
func TestOneHolds(t *testing.T) {
	s := store(t, "")
	release, err := s.Hold()
	if err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, err := s.Hold(); !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Error(err)
	}
	if pid, err := s.Daemon(); pid != os.Getpid() || err != nil {
		t.Error(pid, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if pid, err := s.Daemon(); pid != 0 || err != nil {
		t.Error(pid, err)
	}
	stop := make(chan struct{})
	var looking sync.WaitGroup
	for range 2 {
		looking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = s.Daemon()
				}
			}
		})
	}
	for range 200 {
		release, err := s.Hold()
		if err != nil {
			t.Error("who looks keeps out:", err)
			break
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	looking.Wait()
}

// FuzzStore: whatever is read is written so that it reads the same.
func FuzzStore(f *testing.F) {
	f.Add([]byte(others))
	f.Add([]byte(`[{"name":"a","last_run":"2026-01-02T03:04:05Z"},{"name":"b","id":"\ud800"}]`))
	f.Add([]byte("[{]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parse("x", data)
		if err != nil {
			var broken *BrokenError
			if !errors.As(err, &broken) {
				t.Fatal(err)
			}
			return
		}
		text, err := format(entries)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse("x", text)
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%s: %v", text, err)
		}
		var before, after []map[string]any
		if json.Unmarshal(data, &before) == nil && json.Unmarshal(text, &after) == nil {
			if a, b := fmt.Sprint(before), fmt.Sprint(after); a != b {
				t.Fatalf("%s\n%s", a, b)
			}
		}
	})
}
