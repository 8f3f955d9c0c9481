package learn_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
)

// scripted is a folder with the task "invoices", whose program has these members
// beside its steps, and its step these; the code is main.py.
func scripted(t *testing.T, members, step string) (learn.Task, string) {
	t.Helper()
	f := learn.Folder{Project: t.TempDir()}
	file := filepath.Join(f.Dir(), "invoices"+program.Suffix)
	code := program.CodeFolder(file)
	if err := os.MkdirAll(code, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{
		file:                            `{"version": 1, ` + members + `"steps": [{"id": "s1", "tool": "wait"}, {"id": "s2", ` + step + `"tool": "script", "params": {"file": "main.py"}}]}`,
		filepath.Join(code, "main.py"):  "print(1)\n",
		filepath.Join(code, "../x.txt"): "outside\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return find(t, f, "invoices"), code
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

func TestPatchCode(t *testing.T) {
	task, code := scripted(t, "", "")
	before := content(t, task.ProgramFile())
	for _, row := range []struct {
		name    string
		created bool
	}{{"main.py", false}, {"amounts.py", true}, {"lib/deep/a.py", true}, {"lib/deep/a.py", false}, {"lib/b.py", true}} {
		created, err := learn.PatchCode(t.Context(), task, row.name, []byte("print(2)\n"), builder)
		if err != nil || created != row.created {
			t.Errorf("%s: created %v, %v", row.name, created, err)
		}
		if got := content(t, filepath.Join(code, filepath.FromSlash(row.name))); got != "print(2)\n" {
			t.Errorf("%s is %q", row.name, got)
		}
	}
	if info, err := os.Stat(filepath.Join(code, "main.py")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is not kept: %v, %v", info, err)
	}
	if content(t, task.ProgramFile()) != before {
		t.Error("the program is another")
	}
	if p, problems := program.Load(task.ProgramFile(), "x"); p == nil || len(p.Code) != 4 {
		t.Errorf("%v, %v", p, problems) // no lock and no temporary file among it
	}
	err := filepath.WalkDir(filepath.Dir(task.ProgramFile()), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".opendesk") {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPatchCodeRefuses(t *testing.T) {
	var locked *program.LockedError
	var strict *learn.StrictError
	var unwritten *learn.WriteError
	unlock := learn.Author{Kind: policy.Builder, Unlock: true}
	for name, row := range map[string]struct {
		members, step string
		file          string
		by            learn.Author
		spoil         func(t *testing.T, code string)
		as            any // the type of the error, nil for any
		want          string
	}{
		"a locked program":      {members: `"locked": true, `, file: "main.py", by: builder, as: &locked, want: "the program is locked"},
		"a locked script":       {step: `"locked": true, `, file: "main.py", by: builder, as: &locked, want: `step "s2" is locked`},
		"what a script imports": {step: `"locked": true, `, file: "new.py", by: builder, as: &locked, want: `step "s2" is locked`},
		"a strict program":      {members: `"strict": true, `, file: "main.py", by: unlock, as: &strict, want: "the program is strict"},
		"a run":                 {file: "main.py", by: learn.Author{Kind: policy.Eval}, as: &strict, want: "only a builder does so"},
		"a path outside":        {file: "../x.txt", by: unlock, want: "leads out of the folder"},
		"an absolute path":      {file: "/tmp/x.py", by: unlock, want: "leads out of the folder"},
		"no name":               {by: unlock, want: "the name of the file is empty"},
		"a link": {file: "main.py", by: unlock, as: &unwritten, want: "main.py is a link, and code is not written through links",
			spoil: func(t *testing.T, code string) { relink(t, filepath.Join(code, "main.py"), "../x.txt") }},
		"a folder that is a link": {file: "lib/a.py", by: unlock, as: &unwritten, want: "lib is a link",
			spoil: func(t *testing.T, code string) { relink(t, filepath.Join(code, "lib"), "..") }},
		"a file for a folder": {file: "main.py/a.py", by: unlock, as: &unwritten, want: "main.py is no folder"},
		"a folder for a file": {file: "lib", by: unlock, as: &unwritten, want: "is no regular file",
			spoil: func(t *testing.T, code string) {
				if err := os.Mkdir(filepath.Join(code, "lib"), 0o755); err != nil {
					t.Fatal(err)
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			task, code := scripted(t, row.members, row.step)
			if row.spoil != nil {
				row.spoil(t, code)
			}
			_, err := learn.PatchCode(t.Context(), task, row.file, []byte("print(2)\n"), row.by)
			if err == nil || !strings.Contains(err.Error(), row.want) || row.as != nil && !errors.As(err, row.as) {
				t.Errorf("%T: %v, want %s", err, err, row.want)
			}
			if got := content(t, filepath.Join(code, "../x.txt")); got != "outside\n" {
				t.Errorf("outside there is %q now", got)
			}
			if got := content(t, filepath.Join(code, "main.py")); got != "print(1)\n" && got != "outside\n" {
				t.Errorf("main.py is %q now", got)
			}
		})
	}
}

// TestPatchCodeOfALockedStepThatRunsNone: only what runs scripts locks them.
func TestPatchCodeOfALockedStepThatRunsNone(t *testing.T) {
	task, _ := scripted(t, "", "")
	data := strings.Replace(content(t, task.ProgramFile()), `"id": "s1", `, `"id": "s1", "locked": true, `, 1)
	if err := os.WriteFile(task.ProgramFile(), []byte(data), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := learn.PatchCode(t.Context(), task, "main.py", nil, builder); err != nil {
		t.Error(err)
	}
}

func relink(t *testing.T, path, to string) {
	t.Helper()
	_ = os.Remove(path) // it need not be there
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// TestCodeIsNeverHalf: who reads a file while it is patched sees one of its
// contents, whole.
func TestCodeIsNeverHalf(t *testing.T) {
	task, code := scripted(t, "", "")
	whole := map[string]bool{"print(1)\n": true}
	var sources [][]byte
	for _, letter := range []string{"a", "b"} {
		source := []byte("x = '" + strings.Repeat(letter, 1<<20) + "'\n")
		sources = append(sources, source)
		whole[string(source)] = true
	}
	var writers sync.WaitGroup
	done := make(chan struct{})
	for _, source := range sources {
		writers.Go(func() {
			for range 10 {
				if _, err := learn.PatchCode(context.Background(), task, "main.py", source, builder); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { writers.Wait(); close(done) }()
	for reads := 0; ; reads++ {
		if got := content(t, filepath.Join(code, "main.py")); !whole[got] {
			t.Fatalf("half a file: %d bytes", len(got))
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
