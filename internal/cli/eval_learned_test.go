package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

func TestChangesOfTheLearnedFolderAreNoted(t *testing.T) {
	e := &evaluation{project: &project.Project{Dir: t.TempDir()}}
	dir := e.project.LearnedDir()
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
	review := e.watchLearned(func(*results.Run) harness.Review { return harness.Review{News: "news", Notes: []string{"first"}} })
	notes := func() []string {
		told := review(nil)
		if told.News != "news" || told.Notes[0] != "first" {
			t.Errorf("got %+v", told)
		}
		return told.Notes[1:]
	}
	write("a", "text") // the same again
	if got := notes(); len(got) != 0 {
		t.Errorf("notes %q", got)
	}
	write("inner/c", "other")
	write("new", "")
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if got := notes(); len(got) != 1 || !strings.Contains(got[0], ": b was removed, inner/c was changed, new was added (the programs") {
		t.Errorf("notes %q", got)
	}
	for _, name := range []string{"1", "2", "3"} {
		write(name, "")
	}
	if got := notes(); len(got) != 1 || !strings.Contains(got[0], " and 1 more (") {
		t.Errorf("notes %q", got)
	}
	if e.watchLearned(nil)(nil).Notes != nil {
		t.Error("a note without a change")
	}
	if len(readLearned(filepath.Join(dir, "nowhere"))) != 0 {
		t.Error("a folder that is not there has files")
	}
}
