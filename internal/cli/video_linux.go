package cli

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// becomeRecorder makes this process the recorder. It yields to what is filmed.
func becomeRecorder(path string, argv []string) error {
	if err := unix.Dup3(eventsFD, 0, 0); err != nil {
		return fmt.Errorf("file descriptor %d: %w (a recorder is started by a session host)", eventsFD, err)
	}
	if err := closeOnExec(eventsFD); err != nil {
		return err
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 10) // a machine that forbids it films as well
	return fmt.Errorf("%s: %w", path, unix.Exec(path, argv, os.Environ()))
}
