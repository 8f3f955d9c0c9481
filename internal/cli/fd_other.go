//go:build !linux

package cli

import (
	"errors"
	"os"
)

// closeOnExec is for workers, which only Linux has.
func closeOnExec(uintptr) error { return errors.ErrUnsupported }

// lockFile, isLocked and isUnlocked are for runs, which only Linux has.
func lockFile(*os.File) {}

func isLocked(*os.File) bool { return false }

func isUnlocked(*os.File) bool { return false }
