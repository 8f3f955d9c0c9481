package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// closeOnExec keeps a file descriptor from child processes. The error says
// that it is not open.
func closeOnExec(fd uintptr) error {
	_, err := unix.FcntlInt(fd, unix.F_SETFD, unix.FD_CLOEXEC)
	return err
}

// lockFile locks a file as long as this process has it open. Where the file
// system has no locks, it does nothing.
func lockFile(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// isLocked says whether another process has locked the file.
func isLocked(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}

// isUnlocked says whether nobody has locked the file exclusively; false where
// the file system has no locks.
func isUnlocked(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil
}
