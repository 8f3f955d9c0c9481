package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// TakeTurn waits until no other command works in the named session, and keeps
// others out until release is called or this process ends. waiting is called
// once where somebody else is at work. The error is ctx's, or that the session
// has ended.
func TakeTurn(ctx context.Context, n *Named, waiting func()) (release func(), err error) {
	file, err := os.OpenFile(filepath.Join(n.Folder(), "turn"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("session %q has ended: %w", n.Name, err)
	}
	release = func() { _ = file.Close() }
	err = flock(file, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		waiting()
		done := make(chan error, 1)
		go func() { done <- flock(file, unix.LOCK_EX) }()
		select {
		case err = <-done:
		case <-ctx.Done():
			go func() { // a turn that comes too late is given back
				<-done
				_ = file.Close()
			}()
			return nil, context.Cause(ctx)
		}
	}
	if err == nil && !exists(n.Folder()) {
		err = errors.New("its folder is gone")
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("session %q has ended: %w", n.Name, err)
	}
	return release, nil
}

// flock locks the file, however often a signal comes between.
func flock(file *os.File, how int) error {
	for {
		if err := unix.Flock(int(file.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
