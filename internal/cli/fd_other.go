//go:build !linux

package cli

import (
	"errors"
	"os"
)

// closeOnExec is for workers, which only Linux has.
func closeOnExec(uintptr) error { return errors.ErrUnsupported }

// lockFile and isLocked are for runs, which only Linux has.
func lockFile(*os.File) {}

func isLocked(*os.File) bool { return false }
