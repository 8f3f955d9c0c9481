//go:build linux

package session

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLockDisplay(t *testing.T) {
	runtime := t.TempDir()
	if err := os.Chmod(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	l, err := LockDisplay(":7", "opendesk eval run")
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockDisplay(":7", "another")
	var busy *BusyError
	if !errors.As(err, &busy) || busy.PID != os.Getpid() || busy.Command != "opendesk eval run" || !strings.HasPrefix(err.Error(), "display :7 is in use by process ") {
		t.Errorf("%v", err)
	}
	other, err := LockDisplay(":8", "another")
	if err != nil {
		t.Error("another display:", err)
	}
	if err := errors.Join(l.Release(), other.Release()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(runtime); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
	// What a killed process has left is nobody's.
	if l, err = LockDisplay(":7", "x"); err != nil {
		t.Fatal(err)
	}
	path := l.path
	if err := l.file.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = LockDisplay(":7", "y"); err != nil {
		t.Fatal(err)
	}
	// It is held as long as somebody has the file.
	held := exec.Command("sleep", "60")
	held.ExtraFiles = []*os.File{l.File()}
	if err := held.Start(); err != nil {
		t.Fatal(err)
	}
	if err := l.file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = LockDisplay(":7", "z"); !errors.As(err, &busy) {
		t.Errorf("the lock was given up: %v", err)
	}
	_ = held.Process.Kill()
	_ = held.Wait()
	if l, err = LockDisplay(":7", "z"); err != nil || l.path != path || filepath.Base(path) != "_7.lock" {
		t.Errorf("%v", err)
	}
	_ = l.Release()
}

func TestAdoptedEnvironment(t *testing.T) {
	env := adoptedEnvironment(Options{
		ID: "x", Environment: []string{"MODE=test"},
		Adopt: &Adoption{Display: ":0", SessionBus: "unix:path=/bus", Environment: []string{
			"HOME=/home/ann", "LANG=de_DE.UTF-8", "DISPLAY=:9", "AT_SPI_BUS_ADDRESS=x", "GTK_MODULES=canberra", MarkerDir + "=/elsewhere",
		}},
	}, "/dir")
	for _, want := range []string{
		"HOME=/home/ann", "LANG=de_DE.UTF-8", "DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=unix:path=/bus", "MODE=test",
		"GTK_MODULES=canberra:gail:atk-bridge", MarkerDir + "=/dir", MarkerID + "=x", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not in %v", want, env)
		}
	}
	if valueOf(env, "AT_SPI_BUS_ADDRESS") != "" {
		t.Error("Qt 6 publishes nothing where AT_SPI_BUS_ADDRESS is set")
	}
}

// What cannot be put back is said, and the folder goes.
func TestPutBackSaysWhatItCannot(t *testing.T) {
	dir := t.TempDir()
	if err := putBack(dir); err != nil {
		t.Error("nothing was to be put back:", err)
	}
	for _, row := range []struct {
		a    adopted
		says string
	}{
		{adopted{}, "nothing is known that puts the display back"},
		{adopted{Command: []string{"/nowhere"}}, "start what puts the display back"},
		{adopted{Command: []string{"/bin/true"}}, "ended without a word"},
	} {
		if err := writeAdopted(dir, row.a); err != nil {
			t.Fatal(err)
		}
		if err := putBack(dir); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%v, want %q", err, row.says)
		}
		if err := putBack(dir); err != nil {
			t.Error("it is put back twice:", err)
		}
	}
}
