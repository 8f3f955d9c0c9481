package cli

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// closeOnExec keeps a file descriptor from child processes. The error says
// that it is not open.
func closeOnExec(fd uintptr) error {
	_, err := unix.FcntlInt(fd, unix.F_SETFD, unix.FD_CLOEXEC)
	return err
}

// lockFile locks a file that only this process writes to, as long as it has it
// open. Who looks whether it is locked has it for a moment: that is waited for.
// Where the file system has no locks, it does nothing.
func lockFile(f *os.File) {
	const lookTime = 5 * time.Second
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for began := time.Now(); time.Since(began) < lookTime; <-again.C {
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return
		}
	}
}

// isLocked says whether another process has locked the file.
func isLocked(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}

// isUnlocked says whether nobody has locked the file exclusively; false where
// the file system has no locks.
func isUnlocked(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil
}
