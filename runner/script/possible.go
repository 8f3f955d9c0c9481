package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Possible says why scripts cannot be run here, nil where they can: it runs one
// that does nothing. The error is an *UnavailableError, or the context's.
func Possible(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "opendesk-script-")
	if err != nil {
		return fmt.Errorf("try a script: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// The script is read by nobody in particular.
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // there is nothing in it to hide
		return fmt.Errorf("try a script: %w", err)
	}
	const name = "nothing.py"
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil { //nolint:gosec // as above
		return fmt.Errorf("try a script: %w", err)
	}
	o, err := Sandbox{}.Run(ctx, Job{Code: dir, File: name})
	if err == nil && o.ExitCode != 0 {
		err = &UnavailableError{Reason: fmt.Sprintf("a script that does nothing ends with exit code %d: %s", o.ExitCode, o.Stderr)}
	}
	return err
}
