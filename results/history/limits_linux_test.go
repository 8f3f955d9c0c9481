package history_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/history"
)

// child tells a process of this test binary what to do with the history in
// childFile.
const child, childFile = "OPENDESK_TEST_CHILD", "OPENDESK_TEST_CHILD_FILE"

func init() {
	if what := os.Getenv(child); what != "" {
		if err := children[what](os.Getenv(childFile)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

var children = map[string]func(path string) error{
	// full writes where there is hardly any room left.
	"full": func(path string) error {
		limit := syscall.Rlimit{Cur: 200_000, Max: 200_000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		h, err := history.Open(context.Background(), path)
		if err != nil {
			return err
		}
		defer h.Close() //nolint:errcheck // it is full
		for n := range 1000 {
			if h.Record(context.Background(), bigRun(100+n), nil) != nil {
				return nil
			}
		}
		return errors.New("there was room for everything")
	},
	// readonly reads what it cannot write.
	"readonly": func(path string) error {
		h, err := history.Open(context.Background(), path)
		if err != nil {
			return err
		}
		defer h.Close() //nolint:errcheck // read only
		n := 0
		for _, err := range h.All(context.Background(), "").Runs() {
			if err != nil {
				return err
			}
			n++
		}
		err = h.Record(context.Background(), newRun(9, results.Passed), nil)
		if n != 1 || err == nil || !strings.Contains(err.Error(), "cannot be written to") {
			return fmt.Errorf("%d runs, recording: %v", n, err)
		}
		return nil
	},
}

// run has a process of this test binary do something.
func run(t *testing.T, what, path string, credential *syscall.Credential) {
	t.Helper()
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "child") // where others may run it
	if err := os.WriteFile(copied, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Env = append(os.Environ(), child+"="+what, childFile+"="+path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	cmd.Dir = filepath.Dir(path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// begun is a history with one run.
func begun(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	h, err := history.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	record(t, h, newRun(1, results.Passed))
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFull: what does not fit is an error, and what was there stays.
func TestFull(t *testing.T) {
	path := begun(t)
	run(t, "full", path, nil)
	h := open(t, path)
	if got := ids(t, h); h.Note() != "" || len(got) == 0 || got[len(got)-1] != "run-001" {
		t.Errorf("%q, %v", h.Note(), got)
	}
	record(t, h, newRun(2, results.Passed))
}

// TestReadOnly: a history in a folder that cannot be written to can be read.
func TestReadOnly(t *testing.T) {
	path := begun(t)
	var somebody *syscall.Credential
	if os.Getuid() == 0 {
		somebody = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o755) })
	if err := os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "readonly", path, somebody)
}
