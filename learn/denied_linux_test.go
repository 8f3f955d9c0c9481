package learn_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
)

// deniedProject names the project in which TestDenied looks as another user.
const deniedProject = "LEARN_TEST_DENIED_PROJECT"

// TestDenied: where the folder that a task may be in cannot be read, nobody
// says that there is no such task.
func TestDenied(t *testing.T) {
	if dir := os.Getenv(deniedProject); dir != "" {
		lookAround(t, dir)
		return
	}
	open, err := os.MkdirTemp("", "learn-") // t.TempDir may not be entered by others
	if err != nil {
		t.Fatal(err)
	}
	reports := filepath.Join(open, program.LearnedDir, "reports")
	t.Cleanup(func() {
		if err := errors.Join(os.Chmod(reports, 0o700), os.RemoveAll(open)); err != nil {
			t.Error(err)
		}
	})
	err = errors.Join(os.Chmod(open, 0o755), os.MkdirAll(reports, 0o755),
		os.WriteFile(filepath.Join(open, program.LearnedDir, "plain.program.json"), []byte(oneStep), 0o644),
		os.WriteFile(filepath.Join(reports, "weekly.program.json"), []byte(oneStep), 0o644),
		os.Chmod(reports, 0))
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		lookAround(t, open)
		return
	}
	binary, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(filepath.Join(open, "look"), binary, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(open, "look"), "-test.run=^TestDenied$")
	cmd.Dir, cmd.Env = open, []string{"PATH=/usr/bin:/bin", deniedProject + "=" + open}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func lookAround(t *testing.T, project string) {
	f := learn.Folder{Project: project}
	for _, name := range []string{"reports/weekly", "weekly", "something else"} {
		_, err := f.Find(name)
		var denied *learn.DeniedError
		if !errors.As(err, &denied) || denied.Problem.Code != program.CodePermission {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Find("plain"); err != nil {
		t.Error(err)
	}
}
