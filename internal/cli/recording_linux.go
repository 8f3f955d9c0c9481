package cli

import (
	"net"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// socketPair is a connection between two processes of which either can tell
// that it has said everything.
func socketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(fds[1]), "recorder")
	file := os.NewFile(uintptr(fds[0]), "keeper")
	defer file.Close() //nolint:errcheck // FileConn has a copy
	conn, err := net.FileConn(file)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// detach has a command go on without the terminal that it was started from.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// tryLock locks a file unless another process has.
func tryLock(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }

// awaitLock locks a file once no other process has.
func awaitLock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR { //nolint:errorlint // a number
			return err
		}
	}
}

// askToEnd tells a process to end in good order.
func askToEnd(pid int) error { return unix.Kill(pid, unix.SIGTERM) }
