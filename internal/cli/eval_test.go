package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

func TestDefaultWorkers(t *testing.T) {
	const gib = 1 << 30
	for _, row := range []struct {
		cores  int
		memory uint64
		want   int
	}{
		{1, 16 * gib, 1}, {2, 16 * gib, 1}, {3, 16 * gib, 2}, {4, 16 * gib, 2}, {16, 64 * gib, 8},
		{16, 4 * gib, 2}, {16, gib / 2, 1}, {16, 0, 8}, {2000, 0, maxWorkers}, {0, 0, 1}, {8, 1 << 63, 4},
	} {
		if got := defaultWorkers(row.cores, row.memory); got != row.want {
			t.Errorf("%d cores, %d bytes: %d workers, want %d", row.cores, row.memory, got, row.want)
		}
	}
	if cores, _ := machine(); cores < 1 {
		t.Errorf("%d cores", cores)
	}
}

func TestAvailableMemory(t *testing.T) {
	for text, want := range map[string]uint64{
		"MemTotal:       100 kB\nMemAvailable:    12345 kB\n": 12345 << 10,
		"MemTotal: 1 kB\n":                         0,
		"MemAvailable:\nMemAvailable: 5 kB":        5 << 10,
		"MemAvailable: 99999999999999999999 kB":    0,
		"MemAvailable: lots kB\nMemAvailable: 5\n": 0,
	} {
		if got := availableMemory([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestParseOrder(t *testing.T) {
	if seed, err := parseOrder("random"); err != nil || seed < 1 {
		t.Errorf("%d %v", seed, err)
	}
	for text, want := range map[string]int64{"file": 0, "random:42": 42} {
		if seed, err := parseOrder(text); err != nil || seed != want {
			t.Errorf("%s: %d %v", text, seed, err)
		}
	}
	for _, bad := range []string{"random:", "random:0", "random:-1", "random:9007199254740992", "file:1", "name"} {
		if _, err := parseOrder(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestSameLocale(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"de_DE.utf8", "de_DE.UTF-8", true}, {"C.utf8", "C.UTF-8", true}, {"de_DE@euro", "de_DE@euro", true},
		{"de_DE.utf8", "de_AT.UTF-8", false}, {"de_DE", "de_DE.UTF-8", false}, {"sr_RS.utf8@latin", "sr_RS.UTF-8", false},
	} {
		if sameLocale(row.a, row.b) != row.same {
			t.Errorf("%s and %s", row.a, row.b)
		}
	}
}

func TestALocaleThatIsNotInstalled(t *testing.T) {
	dir := t.TempDir()
	list := "#!/bin/sh\necho C\necho de_DE.utf8\n"
	if err := os.WriteFile(filepath.Join(dir, "locale"), []byte(list), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	check := func(locale string, env map[string]string) error {
		return localeInstalled(context.Background(), project.Config{Locale: locale, Environment: env}, dir)
	}
	for _, there := range []string{"C", "POSIX", "de_DE.UTF-8", "de_DE.utf8"} {
		if err := check(there, nil); err != nil {
			t.Error(err)
		}
	}
	err := check("it_IT.UTF-8", nil)
	if err == nil || !strings.Contains(err.Error(), "it_IT.UTF-8 of eval.yaml is not installed") || !strings.Contains(err.Error(), "language-pack-it") {
		t.Errorf("error %v", err)
	}
	own := t.TempDir()
	if err := os.Mkdir(filepath.Join(own, "it_IT.UTF-8"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := check("it_IT.UTF-8", map[string]string{"LOCPATH": own}); err != nil {
		t.Error(err)
	}
}

func TestNewestRun(t *testing.T) {
	runs := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	save := func(id, suite string, started time.Time, interrupted bool, text string) {
		t.Helper()
		if err := os.Mkdir(filepath.Join(runs, id), 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			data, err := json.Marshal(results.Run{SchemaVersion: results.SchemaVersion, ID: id, Suite: suite, StartedAt: started, Interrupted: interrupted})
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		if err := os.WriteFile(filepath.Join(runs, id, "results.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := newestRun(filepath.Join(runs, "none"), "s"); err == nil {
		t.Error("a run was found where there is none")
	}
	save("2026-01-02T03-04-04Z-ffff", "s", at.Add(-time.Second), false, "")
	save("2026-01-02T03-04-05Z-9999", "s", at, false, "")
	save("2026-01-02T03-04-05Z-0000", "s", at.Add(time.Millisecond), false, "")
	save("2026-01-02T03-04-06Z-0000", "other", at, false, "")
	save("2026-01-02T03-04-07Z-0000", "s", at, true, "")
	save("2026-01-02T03-04-08Z-0000", "s", at, false, `{"schema_version": 1, "id": `)
	save("2026-01-02T03-04-09Z-0000", "s", at, false, `{"schema_version": 99}`)
	run, err := newestRun(runs, "s")
	if err != nil || run.ID != "2026-01-02T03-04-05Z-0000" {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestNotPassed(t *testing.T) {
	failed := []results.Attempt{{Status: results.Failed}}
	run := &results.Run{Programs: []results.Program{
		{Path: "a", Status: results.Passed}, {Path: "b", Status: results.Failed}, {Path: "c", Status: results.Broken},
		{Path: "d", Status: results.Invalid}, {Path: "e", Status: results.Skipped}, {Path: "f", Status: results.Flaky},
		{Path: "g", Status: results.Skipped, Quarantine: &results.Quarantine{}, Attempts: failed},
		{Path: "h", Repeat: 1, Status: results.Passed}, {Path: "h", Repeat: 2, Status: results.Failed}, {Path: "h", Repeat: 3, Status: results.Failed},
	}}
	if got := strings.Join(notPassed(run), " "); got != "b c d g h" {
		t.Errorf("%s", got)
	}
}

func TestMediansOfDurations(t *testing.T) {
	one := []results.Attempt{{}}
	runs := []*results.Run{
		{Programs: []results.Program{{Path: "a", DurationMS: 10, Attempts: one}, {Path: "b", DurationMS: 5}}},
		{Programs: []results.Program{{Path: "a", DurationMS: 1000, Attempts: one}}},
		{Programs: []results.Program{{Path: "a", DurationMS: 20, Attempts: one}}},
	}
	if got := medians(runs); len(got) != 1 || got["a"] != 20 {
		t.Errorf("%v", got)
	}
}

func FuzzReadDurations(f *testing.F) {
	f.Add(`{"program_ms": {"a": 5}}`)
	f.Add(`{"program_ms": {"a": -5}}`)
	f.Add(`{"program_ms": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "durations.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		durations, err := readDurations(path)
		if (err == nil) != (len(durations) > 0) {
			t.Errorf("%v, %v", durations, err)
		}
		for _, d := range durations {
			if err == nil && d < 0 {
				t.Errorf("%v", durations)
			}
		}
	})
}
