package project

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, dir, ".opendesk")
	p, problems := Open(dir)
	if len(problems) > 0 || p.Dir != dir || !reflect.DeepEqual(p.Config, DefaultConfig()) {
		t.Fatalf("%+v, %v", p, problems)
	}
	write(t, filepath.Join(dir, ".opendesk", "eval.yaml"), "apps: {Numbers: ./numbers.py}\n")
	p, problems = Open(dir)
	if len(problems) > 0 || !reflect.DeepEqual(p.Config.Apps["Numbers"], []string{filepath.Join(dir, "numbers.py")}) {
		t.Fatalf("%+v, %v", p, problems)
	}
	t.Chdir(dir)
	if p, _ := Open("."); p == nil || p.Dir != dir {
		t.Errorf("by a relative path: %+v", p)
	}
}

func TestOpenSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	inside := mkdir(t, dir, "inside", ".opendesk", "learned")
	write(t, filepath.Join(dir, "file"), "")
	write(t, filepath.Join(dir, "odd", ".opendesk"), "")
	write(t, filepath.Join(dir, "yml", ".opendesk", "eval.yml"), "")
	write(t, filepath.Join(dir, "bad", ".opendesk", "eval.yaml"), "retires: 1\nlocale: 5\n")
	mkdir(t, dir, "folder", ".opendesk", "eval.yaml")
	write(t, filepath.Join(dir, "large", ".opendesk", "eval.yaml"), strings.Repeat("#", maxConfigBytes+1))
	mkdir(t, dir, "dangling", ".opendesk")
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling", ".opendesk", "eval.yaml")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		filepath.Join(dir, "none"):     {"none: does not exist: name the folder that holds .opendesk"},
		filepath.Join(dir, "file"):     {"file: is no folder: name the folder that holds .opendesk"},
		dir:                            {": has no .opendesk folder: name the project's folder, or put programs into .opendesk/learned"},
		inside:                         {"inside/.opendesk/learned: is inside of a project: name the folder that holds .opendesk"},
		filepath.Join(dir, "odd"):      {"odd/.opendesk: is no folder: programs are in .opendesk/learned"},
		filepath.Join(dir, "yml"):      {"yml/.opendesk/eval.yml: is not read: rename it to eval.yaml"},
		filepath.Join(dir, "folder"):   {"folder/.opendesk/eval.yaml: cannot be read: it is not a regular file"},
		filepath.Join(dir, "large"):    {"large/.opendesk/eval.yaml: cannot be read: it has more than 64 KiB"},
		filepath.Join(dir, "dangling"): {"dangling/.opendesk/eval.yaml: cannot be read: it is a link to nothing"},
		filepath.Join(dir, "bad"): {
			`bad/.opendesk/eval.yaml:1:1: retires is unknown (did you mean "retries"?)`,
			"bad/.opendesk/eval.yaml:2:9: locale must be a text, not a number"},
	} {
		p, problems := Open(path)
		var got []string
		for _, problem := range problems {
			got = append(got, strings.ReplaceAll(strings.TrimPrefix(problem.String(), dir), dir+"/", ""))
		}
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "/")
		}
		if p != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", path, got, want)
		}
	}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, dir, ".opendesk")
	p, problems := Open(dir)
	if p == nil {
		t.Fatal(problems)
	}
	if p.LearnedDir() != filepath.Join(dir, ".opendesk/learned") || p.HomeSkeleton() != "" {
		t.Errorf("%s, %q", p.LearnedDir(), p.HomeSkeleton())
	}
	if home := mkdir(t, dir, ".opendesk", "eval", "home"); p.HomeSkeleton() != home {
		t.Errorf("home: %q", p.HomeSkeleton())
	}
	run, err := p.NewRunDir("r1")
	if err != nil || run != filepath.Join(dir, ".opendesk/eval/runs/r1") {
		t.Errorf("%s, %v", run, err)
	}
	for _, id := range []string{"r1", "", "..", "a/b", `a\b`} {
		if _, err := p.NewRunDir(id); err == nil {
			t.Errorf("a run %q", id)
		}
	}
}

func TestGitignoreIsWrittenOnce(t *testing.T) {
	p := &Project{Dir: t.TempDir()}
	file := filepath.Join(p.EvalDir(), ".gitignore")
	if err := p.WriteGitignore(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != gitignore {
		t.Errorf("%q, %v", got, err)
	}
	write(t, file, "mine\n")
	if err := p.WriteGitignore(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file); string(got) != "mine\n" {
		t.Errorf("overwritten: %q", got)
	}
}

func TestGitRoot(t *testing.T) {
	dir := t.TempDir()
	deep := mkdir(t, dir, "repo", "a", "b")
	if got := GitRoot(deep); got != "" {
		t.Errorf("without git: %q", got)
	}
	mkdir(t, dir, "repo", ".git")
	if got := GitRoot(deep); got != filepath.Join(dir, "repo") {
		t.Errorf("folder: %q", got)
	}
	write(t, filepath.Join(dir, "repo", "a", ".git"), "gitdir: elsewhere\n")
	if got := GitRoot(deep); got != filepath.Join(dir, "repo", "a") {
		t.Errorf("file: %q", got)
	}
}

func TestParseGeometry(t *testing.T) {
	for s, want := range map[string]Geometry{
		"1280x800": {1280, 800, 24}, "1280x800x24": {1280, 800, 24}, "100x16384": {100, 16384, 24},
	} {
		if got, err := ParseGeometry(s); err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "1280", "1280X800", "1280x", "x800", "99x100", "16385x100", "1280x800x16", "1280x800x24x1", "-1x5", "9999999x5", " 1280x800", "1280x800\n"} {
		if got, err := ParseGeometry(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
	if s := DefaultGeometry.String(); s != "1280x800x24" {
		t.Error(s)
	}
}
