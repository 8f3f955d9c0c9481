package learn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
	"github.com/rogpeppe/go-internal/lockedfile"
)

var builder = learn.Author{Kind: policy.Builder}

// TestMain makes the test binary a process that edits a program, where it is
// called as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "edit" {
		os.Exit(editor(os.Args[2], os.Args[3], os.Args[4]))
	}
	os.Exit(m.Run())
}

// limitVariable bounds the size of files that the editor may write, in bytes.
const limitVariable = "LEARN_TEST_LIMIT"

// editor appends n steps with the note to the task, or goes on without end
// where n is "forever".
func editor(project, task, n string) int {
	t, err := learn.Folder{Project: project}.Find(task)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if limit, err := strconv.ParseUint(os.Getenv(limitVariable), 10, 64); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	count, note := 0, ""
	if _, err := fmt.Sscanf(n, "%d:%s", &count, &note); err != nil {
		count, note = 1<<30, "x"
	}
	fmt.Println("ready")
	for i := range count {
		step := fmt.Sprintf(`{"tool": "wait", "note": "%s %d"}`, note, i)
		if count == 1<<30 {
			_, err = learn.Patch(context.Background(), t, program.Edit{StepID: "s1", Step: []byte(step)}, builder)
		} else {
			_, err = learn.Patch(context.Background(), t, program.Edit{Step: []byte(step)}, builder)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func editorCommand(t *testing.T, project, task, n string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "edit", project, task, n)
	cmd.Stderr = os.Stderr
	return cmd
}

func find(t *testing.T, f learn.Folder, name string) learn.Task {
	t.Helper()
	task, err := f.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// entries lists what is in the learned folder.
func entries(t *testing.T, f learn.Folder) string {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(f.Project, program.LearnedDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestTwoWritersLoseNothing(t *testing.T) {
	f := folder(t, map[string]string{"a.program.json": oneStep})
	a, b := editorCommand(t, f.Project, "a", "50:first"), editorCommand(t, f.Project, "a", "50:second")
	for _, cmd := range []*exec.Cmd{a, b} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range []*exec.Cmd{a, b} {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	prog, problems := program.Load(find(t, f, "a").ProgramFile(), "")
	if prog == nil || len(prog.Steps) != 101 {
		t.Fatalf("%d steps, want 101 (%v)", len(prog.Steps), problems)
	}
	for _, note := range []string{"first", "second"} {
		n := 0
		for _, s := range prog.Steps {
			if s.Note == fmt.Sprintf("%s %d", note, n) {
				n++
			}
		}
		if n != 50 {
			t.Errorf("%d steps of the %s writer are there in their order, want 50", n, note)
		}
	}
	if got := entries(t, f); got != "a.program.json" {
		t.Errorf("left behind: %s", got)
	}
}

// TestKilledWriter kills a process that writes again and again, at another
// moment each time: the file is whole, and the next writer is not kept waiting
// and clears up.
func TestKilledWriter(t *testing.T) {
	big := `{"version": 1, "steps": [{"id": "s1", "tool": "wait"}], "x": "` + strings.Repeat("x", 1<<20) + `"}`
	f := folder(t, map[string]string{"a.program.json": big})
	task := find(t, f, "a")
	left := 0
	for round := range 12 {
		cmd := editorCommand(t, f.Project, "a", "forever")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fscanln(out, new(string)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round*round) * 400 * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if prog, problems := program.Load(task.ProgramFile(), ""); prog == nil || !bytes.HasSuffix(prog.Raw, []byte(`x"}`)) {
			t.Fatalf("round %d: the file is torn: %v", round, problems)
		}
		if entries(t, f) != "a.program.json" {
			left++
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err = learn.Patch(ctx, task, program.Edit{StepID: "s1", Step: []byte(`{"tool": "wait"}`)}, builder)
		cancel()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if got := entries(t, f); got != "a.program.json" {
			t.Errorf("round %d: left behind: %s", round, got)
		}
	}
	if left == 0 {
		t.Error("no process was killed while it was writing: the test proves nothing")
	}
}

// TestWriterThatDiesInMidWrite has the system end a process, or its writing, at
// a certain byte of the file.
func TestWriterThatDiesInMidWrite(t *testing.T) {
	f := folder(t, map[string]string{"a.program.json": oneStep})
	task := find(t, f, "a")
	for _, limit := range []int{0, 1, len(oneStep), len(oneStep) + 20} {
		cmd := editorCommand(t, f.Project, "a", "1:x")
		cmd.Stderr = nil // the runtime says what ended it
		cmd.Env = append(os.Environ(), fmt.Sprint(limitVariable, "=", limit))
		if err := cmd.Run(); err == nil {
			t.Errorf("limit %d: it ended well", limit)
		}
		if data, err := os.ReadFile(task.ProgramFile()); err != nil || string(data) != oneStep {
			t.Fatalf("limit %d: the file is %q, %v", limit, data, err)
		}
	}
	if _, err := learn.Patch(t.Context(), task, program.Edit{Step: []byte(`{"tool": "wait"}`)}, builder); err != nil {
		t.Error(err)
	}
	if got := entries(t, f); got != "a.program.json" {
		t.Errorf("left behind: %s", got)
	}
}

func TestPatchWaitsForTheLockWithinItsTime(t *testing.T) {
	f := folder(t, map[string]string{"a.program.json": oneStep, ".opendesk.lock": "", ".opendesk.tmp": "half"})
	task := find(t, f, "a")
	edit := program.Edit{Step: []byte(`{"tool": "wait"}`)}
	if _, err := learn.Patch(t.Context(), task, edit, builder); err != nil {
		t.Fatalf("a lock file that nobody holds: %v", err)
	}
	lock := filepath.Join(f.Project, program.LearnedDir, ".opendesk.lock")
	held, err := lockedfile.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = learn.Patch(ctx, task, edit, builder)
	var failed *learn.WriteError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "another process has been writing here for too long") {
		t.Error(err)
	}
	done := make(chan error)
	go func() {
		_, err := learn.Patch(t.Context(), task, edit, builder)
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	prog, _ := program.Load(task.ProgramFile(), "")
	if prog == nil || len(prog.Steps) != 3 {
		t.Errorf("%+v", prog)
	}
}

func TestRefusedPatchLeavesTheFile(t *testing.T) {
	f := folder(t, map[string]string{"a.program.json": oneStep})
	task := find(t, f, "a")
	before, err := os.Stat(task.ProgramFile())
	if err != nil {
		t.Fatal(err)
	}
	var invalid *program.InvalidError
	if _, err := learn.Patch(t.Context(), task, program.Edit{StepID: "s1", Step: []byte(`{"tool": "wat"}`)}, builder); !errors.As(err, &invalid) {
		t.Error(err)
	}
	after, err := os.Stat(task.ProgramFile())
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("the file was written", err)
	}
	if got := entries(t, f); got != "a.program.json" {
		t.Errorf("left behind: %s", got)
	}
}

func TestPatchKeepsLinksAndModes(t *testing.T) {
	f := folder(t, nil)
	elsewhere := filepath.Join(t.TempDir(), "real.json")
	if err := os.WriteFile(elsewhere, []byte(oneStep), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(elsewhere, 12345, 54321); err != nil {
		if os.Geteuid() == 0 {
			t.Fatal(err)
		}
	}
	learned := filepath.Join(f.Project, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(learned, "a.program.json")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	if _, err := learn.Patch(t.Context(), find(t, f, "a"), program.Edit{Step: []byte(`{"tool": "wait"}`)}, builder); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != elsewhere {
		t.Errorf("the link: %q %v", to, err)
	}
	info, err := os.Stat(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	if info.Mode() != 0o640 || os.Geteuid() == 0 && (stat.Uid != 12345 || stat.Gid != 54321) {
		t.Errorf("mode %v, owner %d:%d", info.Mode(), stat.Uid, stat.Gid)
	}
	if prog, _ := program.Load(elsewhere, ""); prog == nil || len(prog.Steps) != 2 {
		t.Error("the file was not written")
	}
	if err := os.Remove(elsewhere); err != nil {
		t.Fatal(err)
	}
	task, err := f.Place("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := learn.Compile(t.Context(), task, "a", "", []byte(`[{"tool":"wait"}]`), true, builder); err == nil || !strings.HasSuffix(err.Error(), "is a link to "+elsewhere+", which does not exist") {
		t.Error(err)
	}
}

// TestWithoutPermission has an ordinary user write where it may not.
func TestWithoutPermission(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	open, err := os.MkdirTemp("", "learn-") // t.TempDir may not be entered by others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(open); err != nil {
			t.Error(err)
		}
	})
	learned := filepath.Join(open, program.LearnedDir)
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.Chmod(open, 0o755), os.MkdirAll(learned, 0o755),
		os.WriteFile(filepath.Join(open, "editor"), binary, 0o755),
		os.WriteFile(filepath.Join(learned, "a.program.json"), []byte(oneStep), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	asNobody := func() string {
		cmd := exec.Command(filepath.Join(open, "editor"), "edit", open, "a", "1:x")
		cmd.Dir = open
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, _ := cmd.CombinedOutput()
		return strings.TrimPrefix(strings.TrimSpace(string(out)), "ready\n")
	}
	file := filepath.Join(learned, "a.program.json")
	for _, c := range []struct {
		folder, file fs.FileMode
		owner        int
		want         string
	}{
		{0o755, 0o644, 0, file + ": " + learned + " may not be written by user nobody (id 65534): its mode is drwxr-xr-x (0755)"},
		{0o777, 0o644, 0, file + ": " + file + " may not be written by user nobody (id 65534): its mode is -rw-r--r-- (0644)"},
		{0o777, 0o444, 65534, file + ": " + file + " may not be written by user nobody (id 65534): its mode is -r--r--r-- (0444)"},
		{0o777, 0o666, 0, "ready"},
	} {
		if err := errors.Join(os.Chmod(learned, c.folder), os.Chmod(file, c.file), os.Chown(file, c.owner, 0)); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := asNobody(); got != c.want {
			t.Errorf("%v %v: got %s\nwant %s", c.folder, c.file, got, c.want)
		}
		after, err := os.ReadFile(file)
		if err != nil || bytes.Equal(before, after) != (c.want != "ready") {
			t.Errorf("%v %v: %v, the file is %s", c.folder, c.file, err, after)
		}
		if list, _ := os.ReadDir(learned); len(list) != 1 {
			t.Errorf("left behind: %v", list)
		}
	}
}

func TestCompile(t *testing.T) {
	f := folder(t, nil)
	task, err := f.Place("reports/Week 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := learn.Compile(t.Context(), task, learn.Title("reports/Week 1"), "d", []byte(`[{"tool": "wat"}]`), false, builder); err == nil {
		t.Error("an invalid program was accepted")
	}
	if _, err := os.Stat(filepath.Dir(task.ProgramFile())); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder was made for nothing", err)
	}
	if _, err := learn.Compile(t.Context(), task, learn.Title("reports/Week 1"), "d", []byte(`[{"tool": "wait"}]`), false, builder); err != nil {
		t.Fatal(err)
	}
	prog, problems := program.Load(task.ProgramFile(), "")
	if prog == nil || prog.Name != "Week 1" || prog.Description != "d" || prog.Source != "agent" || len(problems) > 0 {
		t.Errorf("%+v %v", prog, problems)
	}
	var exists *learn.ExistsError
	if _, err := learn.Compile(t.Context(), task, "x", "", []byte(`[{"tool": "wait"}]`), false, builder); !errors.As(err, &exists) {
		t.Error(err)
	}
	if _, err := learn.Compile(t.Context(), task, "x", "", []byte(`[{"tool": "wait"}, {"tool": "wait"}]`), true, builder); err != nil {
		t.Error(err)
	}
}
