package learn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lockName is the file in a folder that whoever writes there has locked.
const lockName = ".opendesk.lock"

// lock waits for the folder's lock. The lock itself is the system's and ends
// with the process that holds it, however that ends; a file that is left behind
// keeps nobody from locking it again.
func lock(ctx context.Context, dir string) (release func(), err error) {
	type outcome struct {
		release func()
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		release, err := acquire(filepath.Join(dir, lockName))
		done <- outcome{release, err}
	}()
	select {
	case o := <-done:
		return o.release, o.err
	case <-ctx.Done():
		go func() { // a lock that comes too late is given back
			if o := <-done; o.err == nil {
				o.release()
			}
		}()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("%s: another process has been writing here for too long (it holds the lock %s)", dir, lockName)
		}
		return nil, ctx.Err()
	}
}

// acquire locks the file. Whoever releases the lock removes the file first: a
// lock on one that is gone from its place counts for nothing.
func acquire(name string) (release func(), err error) {
	for {
		f, err := lockedfile.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		_ = f.Chmod(0o666) // other users may lock it when it is left behind
		held, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Stat(name); err == nil && os.SameFile(held, there) {
			return func() {
				// Where it cannot be removed, the next one finds it.
				_ = os.Remove(name)
				_ = f.Close()
			}, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}
