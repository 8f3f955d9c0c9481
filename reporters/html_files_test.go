package reporters_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/reporters/html"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// repeated is a run of n programs that passed.
func repeated(n int) *results.Run {
	run := resultstest.Passing().Run()
	one := run.Programs[0]
	run.Programs = slices.Repeat([]results.Program{one}, n)
	return run
}

func TestALargePageHasItsFilesNextToIt(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "night-data")
	names := func() (names []string) {
		entries, _ := os.ReadDir(data)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	write := func(n int) {
		t.Helper()
		r, err := reporters.New("html:night.html", reporters.Env{WorkDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(repeated(n)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "night.html")); err != nil {
			t.Fatal(err)
		}
	}
	write(html.MaxInline + 51)
	if got := names(); len(got) != 42+3 || got[0] != "bodies-0001.js" || got[44] != "rows-0003.js" {
		t.Errorf("files are %v", got)
	}
	// A smaller page in its place leaves no old ones, and nothing else is touched.
	if err := os.WriteFile(filepath.Join(data, "mine.js"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	write(html.MaxInline + 1)
	if got := names(); len(got) != 41+3+1 || !slices.Contains(got, "mine.js") {
		t.Errorf("files are %v", got)
	}
	write(1)
	if got := names(); !slices.Equal(got, []string{"mine.js"}) {
		t.Errorf("files are %v", got)
	}
	if err := os.Remove(filepath.Join(data, "mine.js")); err != nil {
		t.Fatal(err)
	}
	write(html.MaxInline + 1)
	write(1)
	if _, err := os.Stat(data); err == nil {
		t.Error("an empty folder is left")
	}
}
