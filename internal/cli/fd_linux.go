package cli

import "golang.org/x/sys/unix"

// closeOnExec keeps a file descriptor from child processes. The error says
// that it is not open.
func closeOnExec(fd uintptr) error {
	_, err := unix.FcntlInt(fd, unix.F_SETFD, unix.FD_CLOEXEC)
	return err
}
