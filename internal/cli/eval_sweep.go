package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// spoolsOf is the folder in a run's folder that its sessions' spool folders are
// in while it is under way.
func spoolsOf(runDir string) string { return filepath.Join(runDir, "spool") }

// sweepSpools removes what runs that were killed have left in their folders
// besides results. Whose events' file is locked is under way.
func sweepSpools(runsDir string) error {
	runs, err := os.ReadDir(runsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var errs []error
	for _, run := range runs {
		dir := filepath.Join(runsDir, run.Name())
		if _, err := os.Lstat(spoolsOf(dir)); err != nil {
			continue
		}
		events, err := os.Open(filepath.Join(dir, "events.ndjson"))
		if err != nil {
			continue // no run's folder
		}
		if isUnlocked(events) {
			errs = append(errs, os.RemoveAll(spoolsOf(dir)))
		}
		_ = events.Close()
	}
	return errors.Join(errs...)
}
