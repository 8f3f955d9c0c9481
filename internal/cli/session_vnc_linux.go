package cli

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// becomeViewer makes this process the viewer.
func becomeViewer(path string, argv []string) error {
	if err := unix.Dup3(eventsFD, 1, 0); err != nil {
		return fmt.Errorf("file descriptor %d: %w (a viewer is started by a session host)", eventsFD, err)
	}
	if err := closeOnExec(eventsFD); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", path, unix.Exec(path, argv, os.Environ()))
}
