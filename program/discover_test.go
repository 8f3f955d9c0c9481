package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// paths discovers the programs of a project and gives their paths below the
// learned folder, with the problem where there is one.
func paths(t *testing.T, project string) []string {
	t.Helper()
	found, err := Discover(project)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		at := strings.TrimPrefix(f.Path, LearnedDir+"/")
		if f.Problem != nil {
			at += ": " + f.Problem.Message
			if f.Problem.File != f.Path {
				t.Errorf("%s: the problem is located at %s", f.Path, f.Problem.File)
			}
			if prog, problems := Load(f.File, f.Path); prog != nil || !HasErrors(problems) {
				t.Errorf("%s loads", f.Path)
			}
		}
		got = append(got, at)
	}
	return got
}

func TestDiscover(t *testing.T) {
	project := t.TempDir()
	learned := filepath.Join(project, filepath.FromSlash(LearnedDir))
	outside := t.TempDir()
	for _, name := range []string{"b", "a", "sub/deep/c", "sub/b", "Ż ó"} {
		write(t, filepath.Join(learned, name+Suffix), oneStep)
	}
	write(t, filepath.Join(learned, "a.json"), "{}")
	write(t, filepath.Join(learned, "a.trajectory.json"), "{}")
	write(t, filepath.Join(learned, "folder"+Suffix, "d"+Suffix), oneStep)
	write(t, filepath.Join(outside, "e"+Suffix), oneStep)
	write(t, filepath.Join(outside, "again", "f"+Suffix), oneStep)
	link(t, outside, filepath.Join(learned, "outside"))
	link(t, outside, filepath.Join(outside, "again", "loop"))
	link(t, "..", filepath.Join(learned, "sub", "up"))
	link(t, "../../..", filepath.Join(learned, "sub", "project"))
	link(t, "/", filepath.Join(learned, "rootfs"))
	link(t, "deep", filepath.Join(learned, "sub", "alias"))
	link(t, "a"+Suffix, filepath.Join(learned, "linked"+Suffix))
	link(t, "sub", filepath.Join(learned, "dirlink"+Suffix))
	link(t, "nowhere", filepath.Join(learned, "gone"+Suffix))
	link(t, "nowhere", filepath.Join(learned, "gone-folder"))
	link(t, "a.json", filepath.Join(learned, "text"))

	got := paths(t, project)
	want := []string{
		"a" + Suffix, "b" + Suffix, "folder" + Suffix + "/d" + Suffix, `gone-folder: is a link to "nowhere", which does not exist`,
		"gone" + Suffix, "linked" + Suffix, "outside/again/f" + Suffix, "outside/e" + Suffix,
		"sub/b" + Suffix, "sub/deep/c" + Suffix, "Ż ó" + Suffix,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	found, err := Discover(project)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if _, err := os.Lstat(f.File); err != nil || !strings.HasPrefix(f.Path, LearnedDir+"/") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestDiscoverUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every folder")
	}
	project := t.TempDir()
	learned := filepath.Join(project, filepath.FromSlash(LearnedDir))
	write(t, filepath.Join(learned, "a"+Suffix), oneStep)
	closed := filepath.Dir(write(t, filepath.Join(learned, "closed", "b"+Suffix), oneStep))
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o755) })
	got := paths(t, project)
	if len(got) != 2 || !strings.HasPrefix(got[1], "closed: cannot be read by user ") {
		t.Errorf("got %q", got)
	}
}

func TestDiscoverWithoutLearnedFolder(t *testing.T) {
	if found, err := Discover(t.TempDir()); err != nil || found != nil {
		t.Errorf("%v, %v", found, err)
	}
	project := t.TempDir()
	write(t, filepath.Join(project, filepath.FromSlash(LearnedDir)), "")
	if _, err := Discover(project); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("a file: %v", err)
	}
	project = t.TempDir()
	link(t, "nowhere", filepath.Join(project, filepath.FromSlash(LearnedDir)))
	if _, err := Discover(project); err == nil || !strings.Contains(err.Error(), "is a link to") {
		t.Errorf("a link to nothing: %v", err)
	}
}

func TestDiscoverProcedures(t *testing.T) {
	dir := t.TempDir()
	learned := filepath.Join(dir, filepath.FromSlash(LearnedDir))
	for _, name := range []string{"a.json", "a.program.json", "a.trajectory.json", "sub/b.json", ".hidden.json", "c.txt"} {
		file := filepath.Join(learned, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(learned, "gone")); err != nil {
		t.Fatal(err)
	}
	found, err := DiscoverProcedures(dir)
	var paths []string
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	if want := []string{LearnedDir + "/a.json", LearnedDir + "/sub/b.json"}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("%v %v, want %v", paths, err, want)
	}
}
