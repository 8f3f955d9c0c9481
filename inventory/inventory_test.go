package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/inventory"
	"github.com/opendesk/opendesk/results"
)

// fake is a machine's packages.
type fake struct {
	installed []inventory.Installed
	owners    map[string]string
	err       error
}

func (f fake) Installed(context.Context) ([]inventory.Installed, error) { return f.installed, f.err }

func (f fake) Owners(_ context.Context, files []string) ([]string, error) {
	var names []string
	for _, file := range files {
		if owner, known := f.owners[file]; known {
			names = append(names, owner)
		}
	}
	return names, nil
}

func TestPackages(t *testing.T) {
	machine := fake{
		installed: []inventory.Installed{
			{Name: "zsh", Version: "5.9"},
			{Name: "xvfb", Version: "2:21.1.7"},
			{Name: "mousepad", Version: "0.5.10-2", Depends: []string{"libmousepad0", "libgtk-3-0", "dconf"}},
			{Name: "libmousepad0", Version: "0.5.10-2", Depends: []string{"libgspell-1-2"}},
			{Name: "libgspell-1-2", Version: "1.12"},
			{Name: "libgtk-3-0", Version: "3.24.38"},
			{Name: "libgtk-3-dev", Version: "3.24.38"},
			{Name: "fonts-dejavu-core", Version: "2.37"},
			{Name: "libc6", Version: "2.36"}, {Name: "libc6", Version: "2.36"}, // amd64 and i386
			{Name: "kcalc", Version: "22.12"},
		},
		owners: map[string]string{"/usr/bin/mousepad": "mousepad"},
	}
	got, err := inventory.Packages(t.Context(), machine, []string{"/usr/bin/mousepad", "/home/ann/tool"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range got {
		names = append(names, p.Name+"="+p.Version)
	}
	want := "fonts-dejavu-core=2.37 libc6=2.36 libgtk-3-0=3.24.38 libmousepad0=0.5.10-2 mousepad=0.5.10-2 xvfb=2:21.1.7"
	if strings.Join(names, " ") != want {
		t.Errorf("%s\nwant %s", strings.Join(names, " "), want)
	}
	if _, err := inventory.Packages(t.Context(), fake{err: errors.New("locked")}, nil); err == nil {
		t.Error("an error was lost")
	}
}

// A script is its interpreter's package as well, and a link's own.
func TestFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	python := write("python3.11", "\x7fELF")
	link := filepath.Join(dir, "python3")
	if err := os.Symlink("python3.11", link); err != nil {
		t.Fatal(err)
	}
	tool := write("tool", "#!/usr/bin/env -S FOO=1 python3 -u\nprint()\n")
	shell := write("shell", "#! "+python+" -e\n")
	loop := write("loop", "#!"+filepath.Join(dir, "loop")+"\n")
	data := write("data.py", "x")
	look := func(name string) string {
		if name == "python3" {
			return link
		}
		return ""
	}
	got := inventory.Files([][]string{{tool}, {shell}, {loop}, nil, {link, data, dir, "--x", "/not/there"}}, look)
	want := []string{tool, link, python, shell, loop, data}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// On this machine dpkg says of sh what it is from.
func TestSystem(t *testing.T) {
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		t.Skip("no dpkg here")
	}
	source, err := inventory.System()
	if err != nil {
		t.Fatal(err)
	}
	files := inventory.Files([][]string{{"/bin/sh"}, {"/usr/bin/nothing-of-the-kind"}}, func(string) string { return "" })
	first, err := inventory.Packages(t.Context(), source, files)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(first, func(p results.Package) bool { return p.Name == "dash" || p.Name == "bash" }) {
		t.Errorf("sh has no package in %v", first)
	}
	second, err := inventory.Packages(t.Context(), source, files)
	if err != nil || !slices.Equal(first, second) {
		t.Errorf("another time %v, %v", second, err)
	}
}

func TestGit(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	check := func(what, wantCommit string, wantDirty bool) {
		t.Helper()
		commit, dirty, err := inventory.Git(t.Context(), dir)
		if err != nil || commit != wantCommit || dirty != wantDirty {
			t.Errorf("%s: %q, %t, %v", what, commit, dirty, err)
		}
	}
	if _, _, err := inventory.Git(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("no repository: %v", err)
	}
	git("init", "-q")
	check("no commit", "", false)
	file := filepath.Join(dir, "a")
	for _, text := range []string{"one", "two"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if text == "one" {
			git("add", "a")
			git("commit", "-qm", "a")
			check("clean", git("rev-parse", "HEAD"), false)
		}
	}
	check("changed", git("rev-parse", "HEAD"), true)
	git("commit", "-qam", "b")
	if err := os.WriteFile(filepath.Join(dir, "unknown"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check("an untracked file", git("rev-parse", "HEAD"), false)
}

func BenchmarkPackages(b *testing.B) {
	source, err := inventory.System()
	if err != nil {
		b.Skip(err)
	}
	files := inventory.Files([][]string{{"/usr/bin/python3"}, {"/usr/bin/xterm"}, {"/usr/bin/mousepad"}}, func(string) string { return "" })
	for b.Loop() {
		packages, err := inventory.Packages(b.Context(), source, files)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(packages)), "packages")
	}
}

func ExamplePackages() {
	machine := fake{
		installed: []inventory.Installed{{Name: "xterm", Version: "379-1"}, {Name: "vim", Version: "9.0"}},
		owners:    map[string]string{"/usr/bin/xterm": "xterm"},
	}
	packages, err := inventory.Packages(context.Background(), machine, []string{"/usr/bin/xterm"})
	fmt.Println(packages, err)
	// Output: [{xterm 379-1}] <nil>
}
