//go:build unix

package schedule

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestASlowLookKeepsNobodyOut: who looks at a lock has it, and on a busy machine
// may not go on for a while.
func TestASlowLookKeepsNobodyOut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	look, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(look.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = look.Close() })
	release, err := hold(name)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := holder(name); pid != os.Getpid() || err != nil {
		t.Error(pid, err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
