package program

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, to, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "a.program.json"), oneStep)
	prog, problems := Load(file, "learned/a.program.json")
	if prog == nil || prog.Path != "learned/a.program.json" {
		t.Errorf("%+v %v", prog, problems)
	}
	if prog, _ := Load(file, ""); prog == nil || prog.Path != file {
		t.Errorf("without a path: %+v", prog)
	}
}

// TestLoadWithContent: what was read is given even where it is no program, but
// not where it was not read to its end.
func TestLoadWithContent(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string][]byte{
		write(t, filepath.Join(dir, "good"), oneStep):                              []byte(oneStep),
		write(t, filepath.Join(dir, "bad"), "{"):                                   []byte("{"),
		write(t, filepath.Join(dir, "empty"), ""):                                  {},
		write(t, filepath.Join(dir, "large"), strings.Repeat(" ", MaxFileBytes+1)): nil,
		filepath.Join(dir, "missing"):                                              nil,
	} {
		prog, content, problems := LoadWithContent(file, "x")
		if (content == nil) != (want == nil) || !bytes.Equal(content, want) {
			t.Errorf("%s: %q", filepath.Base(file), content)
		}
		if (prog == nil) == (len(problems) == 0) || prog != nil && !bytes.Equal(prog.Raw, content) {
			t.Errorf("%s: %v, %v", filepath.Base(file), prog, problems)
		}
	}
}

func TestLoadTellsCausesApart(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for file, want := range map[string]string{
		filepath.Join(dir, "missing"):                             "missing-file x: does not exist",
		link(t, "nowhere", filepath.Join(dir, "dangling")):        `missing-file x: is a link to "nowhere", which does not exist`,
		link(t, "loop", filepath.Join(dir, "loop")):               "unreadable x: cannot be read: too many levels of symbolic links",
		filepath.Join(write(t, filepath.Join(dir, "f"), ""), "g"): "unreadable x: cannot be read: not a directory",
		dir:    "not-a-regular-file x: is a folder, not a file",
		socket: "not-a-regular-file x: is a socket, not a file",
		write(t, filepath.Join(dir, "large"), strings.Repeat(" ", MaxFileBytes+1)): "file-too-large x:1:1: the file has more than 8 MiB",
		write(t, filepath.Join(dir, "empty"), ""):                                  "empty-file x:1:1: the file is empty: a program is an object with steps",
	} {
		prog, problems := Load(file, "x")
		if got := strings.TrimSpace(describe(problems)); prog != nil || got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", filepath.Base(file), got, want)
		}
	}
}

func TestPermissionNamesUserAndMode(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "a.program.json"), oneStep)
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
	p := fileProblem(file, fs.ErrPermission)
	if p.Code != CodePermission || !strings.Contains(p.Message, "cannot be read by user ") || !strings.HasSuffix(p.Message, "its mode is ---------- (0000)") {
		t.Errorf("%+v", p)
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		return // the mode does not bind this user
	}
	if _, problems := Load(file, "x"); len(problems) != 1 || problems[0].Code != CodePermission {
		t.Errorf("%v", problems)
	}
}

func TestOtherCausesAreNamed(t *testing.T) {
	p := fileProblem("x", &fs.PathError{Op: "read", Path: "x", Err: errors.New("input/output error")})
	if p.Code != CodeUnreadable || p.Message != "cannot be read: input/output error" {
		t.Errorf("%+v", p)
	}
}

func TestProcedure(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "a.program.json"), oneStep)
	if got := Procedure(file); got != nil {
		t.Errorf("without one: %q", got)
	}
	write(t, filepath.Join(dir, "a.json"), `{"task_name": "a"}`)
	if got := Procedure(file); string(got) != `{"task_name": "a"}` {
		t.Errorf("got %q", got)
	}
	if got := Procedure(filepath.Join(dir, "a.json")); got != nil {
		t.Errorf("of a file that is no program: %q", got)
	}
}
