//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// Only what nobody owns any more is swept: neither a run under way, nor a
// folder that is no run's.
func TestSweepSpools(t *testing.T) {
	runs := t.TempDir()
	begin := func(name string) *os.File {
		dir := filepath.Join(runs, name)
		if err := os.MkdirAll(filepath.Join(spoolsOf(dir), "s1"), 0o700); err != nil {
			t.Fatal(err)
		}
		events, err := os.Create(filepath.Join(dir, "events.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = events.Close() })
		return events
	}
	begin("killed")
	lockFile(begin("under-way"))
	foreign := filepath.Join(runs, "foreign", "spool")
	if err := os.MkdirAll(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := sweepSpools(runs); err != nil {
		t.Fatal(err)
	}
	for dir, stays := range map[string]bool{
		filepath.Join(runs, "killed", "spool"): false, filepath.Join(runs, "under-way", "spool"): true, foreign: true,
		filepath.Join(runs, "killed", "events.ndjson"): true,
	} {
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := sweepSpools(filepath.Join(runs, "nothing", "here")); err != nil {
		t.Error(err)
	}
}
