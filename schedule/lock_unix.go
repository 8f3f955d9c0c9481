//go:build unix

package schedule

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// hold locks a file as long as this process lives, and writes the process's id
// into it. Where another one has it, the error is a *HeldError.
func hold(name string) (release func() error, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lockExclusively(int(f.Fd())); err != nil {
		held := &HeldError{PID: readPID(f)}
		if closeErr := f.Close(); closeErr != nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s cannot be locked: %w", name, errors.Join(err, closeErr))
		}
		return nil, held
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(f.Truncate(0), f.Close()) }, nil
}

// lookTime is how long those who only look may have a lock: no more than a
// moment, but on a busy machine they may not go on for a while.
const lookTime = 10 * time.Second

// lockExclusively locks the file, unless somebody else has it. Those who only look
// whether it is locked have it for a moment, and do not count.
func lockExclusively(fd int) error {
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for began := time.Now(); ; <-again.C {
		err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Since(began) >= lookTime {
			return err
		}
		if unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) != nil {
			return err
		}
		// Only those who look have it. To go on looking would be to be one of them.
		if err := unix.Flock(fd, unix.LOCK_UN); err != nil {
			return err
		}
	}
}

// holder is the process that has the file locked, 0 for nobody.
func holder(name string) (pid int, err error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // nothing is written
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case err == nil:
		return 0, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return max(readPID(f), 1), nil
	default:
		return 0, err
	}
}

func readPID(f *os.File) int {
	text := make([]byte, 20)
	n, _ := f.ReadAt(text, 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	return pid
}
