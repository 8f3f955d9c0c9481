package schedule_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/schedule"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"nightly": "", "Export of the week (2)": "", "ночь": "", strings.Repeat("ü", 100): "",
		"": "is empty", " ": "is empty", strings.Repeat("x", 101): "may have 100 characters, not 101",
		"../../x": "no slashes", `a\b`: "no slashes", "a\nb": "line feeds", "a\x1b[1m": "no slashes", "\xff": "no slashes",
		"a\u202eb": "no slashes", " a": "begins or ends with a space",
	} {
		s := schedule.Store{File: filepath.Join(t.TempDir(), "schedules.json"), Now: time.Now}
		s.Dir = filepath.Dir(s.File)
		_, err := s.Add(schedule.Entry{Name: name, Task: "replay x", Timing: "60"}, false)
		var refused *schedule.NameError
		if (want == "") != (err == nil) || err != nil && (!errors.As(err, &refused) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// The machine's zone has no name in a store: elsewhere it would be another one.
func TestNoLocalZone(t *testing.T) {
	for name, ok := range map[string]bool{"": true, "UTC": true, "Europe/Berlin": true, "Local": false, "Mars": false} {
		s := schedule.Store{File: filepath.Join(t.TempDir(), "schedules.json"), Now: time.Now}
		s.Dir = filepath.Dir(s.File)
		_, err := s.Add(schedule.Entry{Name: "a", Task: "replay x", Timing: "every day", Timezone: name}, false)
		if (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Schedules of others may have any name, without an id as well.
func TestLongNamesOfOthersCanBeRun(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("a long name ", 100)
	s := schedule.Store{File: filepath.Join(dir, "schedules.json"), Dir: filepath.Join(dir, "own"), Now: time.Now}
	if err := os.WriteFile(s.File, []byte(`[{"name": "`+long+`", "timing": "60"}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	entries, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	release, err := s.HoldTask(&entries[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

// What cannot be written is named with its purpose.
func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := schedule.Store{File: file + ".json", Dir: filepath.Join(file, "schedule"), Now: time.Now}
	_, err := s.Add(schedule.Entry{Name: "a", Task: "replay x", Timing: "60"}, false)
	if err == nil || !strings.HasPrefix(err.Error(), "the scheduler's own folder "+s.Dir+" cannot be written to: ") {
		t.Error(err)
	}
}
