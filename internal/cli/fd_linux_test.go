package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLockFileWaitsForLooks: who looks whether a run is under way does not make
// it look as if it were not.
func TestLockFileWaitsForLooks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "events.ndjson")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing is written
	look, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if isLocked(look) || !isUnlocked(look) {
		t.Error("it is locked by nobody")
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = look.Close() })
	lockFile(f)
	again, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close() //nolint:errcheck // nothing is written
	if !isLocked(again) || isUnlocked(again) {
		t.Error("it is not locked")
	}
}
