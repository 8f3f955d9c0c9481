//go:build !linux

package cli

import "errors"

// closeOnExec is for workers, which only Linux has.
func closeOnExec(uintptr) error { return errors.ErrUnsupported }
