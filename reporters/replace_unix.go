//go:build !windows

package reporters

import (
	"errors"
	"io"

	"github.com/google/renameio/v2"
)

// replace writes a file next to its place and moves it there once it is whole.
func replace(path string, write func(io.Writer) error) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	if err := buffered(f, write); err != nil {
		return errors.Join(err, f.Cleanup())
	}
	return errors.Join(f.CloseAtomicallyReplace(), f.Cleanup())
}
