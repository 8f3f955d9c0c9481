package cli

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/results"
)

// learnedFiles are the digests of what is in the learned folder.
type learnedFiles map[string]string

// readLearned reads the learned folder. What cannot be read is left out: that
// is told of each program.
func readLearned(dir string) learnedFiles {
	files := learnedFiles{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return nil
		}
		defer f.Close() //nolint:errcheck // nothing is written
		digest := sha256.New()
		if _, err := io.Copy(digest, f); err != nil {
			return nil
		}
		if name, err := filepath.Rel(dir, path); err == nil {
			files[name] = string(digest.Sum(nil))
		}
		return nil
	})
	return files
}

// changes lists what differs, in the order of the names.
func (before learnedFiles) changes(after learnedFiles) []string {
	var changes []string
	for _, name := range sortedKeys(before) {
		switch digest, there := after[name]; {
		case !there:
			changes = append(changes, name+" was removed")
		case digest != before[name]:
			changes = append(changes, name+" was changed")
		}
	}
	for _, name := range sortedKeys(after) {
		if _, known := before[name]; !known {
			changes = append(changes, name+" was added")
		}
	}
	return changes
}

// maxChanges bounds what a note lists.
const maxChanges = 5

// watchLearned adds to what is told of a run what has changed in the learned
// folder since this call: only isolation bwrap keeps applications from that.
func (e *evaluation) watchLearned(review func(*results.Run) harness.Review) func(*results.Run) harness.Review {
	dir := e.project.LearnedDir()
	before := readLearned(dir)
	return func(run *results.Run) harness.Review {
		var told harness.Review
		if review != nil {
			told = review(run)
		}
		if changes := before.changes(readLearned(dir)); len(changes) > 0 {
			told.Notes = append(told.Notes, learnedNote(changes))
		}
		return told
	}
}

// learnedNote is the note on changes of the learned folder.
func learnedNote(changes []string) string {
	text := strings.Join(changes[:min(len(changes), maxChanges)], ", ")
	if more := len(changes) - maxChanges; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "the learned folder was not left alone during the run: " + text +
		" (the programs were run as they were at its start; isolation bwrap keeps applications from writing there)"
}
