package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
)

func TestChangesOfTheLearnedFolderAreNoted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "inner/c"} {
		write(name, "text")
	}
	before := readLearned(dir)
	var run results.Run
	write("a", "text") // the same again
	checkLearned(&run, dir, before)
	if len(run.Notes) != 0 {
		t.Errorf("notes %q", run.Notes)
	}
	write("inner/c", "other")
	write("new", "")
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	checkLearned(&run, dir, before)
	if len(run.Notes) != 1 || !strings.Contains(run.Notes[0], ": b was removed, inner/c was changed, new was added (the programs") {
		t.Errorf("notes %q", run.Notes)
	}
	for _, name := range []string{"1", "2", "3"} {
		write(name, "")
	}
	checkLearned(&run, dir, before)
	if !strings.Contains(run.Notes[1], " and 1 more (") {
		t.Errorf("notes %q", run.Notes)
	}
	if len(readLearned(filepath.Join(dir, "nowhere"))) != 0 {
		t.Error("a folder that is not there has files")
	}
}
