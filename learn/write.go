package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/opendesk/opendesk/program"
)

// patience bounds the wait for somebody else who writes in the same folder.
const patience = 30 * time.Second

// WriteError says that a file could not be written: the file is as it was.
type WriteError struct {
	File string
	Err  error
}

func (e *WriteError) Error() string { return e.File + ": " + e.Err.Error() }

func (e *WriteError) Unwrap() error { return e.Err }

// update writes what change makes of a file (of nil where there is none). Only
// one process at a time does so in a folder; readers see the file as it was or
// as it is, never half of it, also where the process is killed or the machine
// stops. A link stays, and the file that it leads to is written, with the mode
// and the owner that it had.
func update(ctx context.Context, file string, change func(old []byte) ([]byte, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	real, err := realFile(file)
	if err != nil {
		return &WriteError{file, err}
	}
	dir := filepath.Dir(real)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &WriteError{file, fault(dir, err)}
	}
	release, err := lock(ctx, dir)
	if err != nil {
		return &WriteError{file, fault(dir, err)}
	}
	defer release()
	temp := filepath.Join(dir, tempName)
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &WriteError{file, fault(dir, err)}
	}
	old, info, err := read(real)
	if err != nil {
		return &WriteError{file, fault(dir, err)}
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	if info != nil && bytes.Equal(old, data) {
		return nil
	}
	if err := replace(real, temp, data, info); err != nil {
		return &WriteError{file, fault(dir, err)}
	}
	return nil
}

// realFile follows links to the file, which need not be there yet.
func realFile(file string) (string, error) {
	real, err := filepath.EvalSymlinks(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if to, err := os.Readlink(file); err == nil {
		return "", fmt.Errorf("is a link to %s, which does not exist", to)
	}
	return file, nil
}

// read gives the file and what is to be kept of it; nothing where there is none.
func read(file string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("is no regular file")
	}
	if info.Size() > program.MaxFileBytes {
		return nil, nil, fmt.Errorf("has more than %d MiB", program.MaxFileBytes>>20)
	}
	// A file that may not be written is not replaced either.
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Close(); err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(file)
	return data, info, err
}

// tempName is the file in a folder that is being written. The folder is locked
// meanwhile, so one that is there already was left by a process that was killed.
const tempName = ".opendesk.tmp"

// replace writes the data to temp and puts that in the file's place in one move.
func replace(file, temp string, data []byte, was fs.FileInfo) (err error) {
	mode := fs.FileMode(0o666) // less the umask
	if was != nil {
		mode = 0o600 // until the owner is right
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it may be closed already
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	if was != nil {
		keepOwner(f, was)
		if err := f.Chmod(was.Mode().Perm()); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp, file); err != nil {
		return err
	}
	syncFolder(filepath.Dir(file))
	return nil
}

// syncFolder makes the move last. Where a system cannot do so, the file is in
// its place all the same.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// fault says in words why nothing can be written.
func fault(dir string, err error) error {
	var at *fs.PathError
	var link *os.LinkError
	what, cause := dir, err
	switch {
	case errors.As(err, &at):
		what, cause = at.Path, at.Err
	case errors.As(err, &link):
		cause = link.Err
	}
	if _, err := os.Lstat(what); err != nil {
		what = dir // it is the folder that does not let our own files be
	}
	if !errors.Is(err, fs.ErrPermission) {
		return cause
	}
	who := fmt.Sprintf("user id %d", os.Geteuid())
	if u, err := user.Current(); err == nil {
		who = fmt.Sprintf("user %s (id %s)", u.Username, u.Uid)
	}
	info, err := os.Stat(what)
	if err != nil {
		return fmt.Errorf("%s may not be entered by %s", what, who)
	}
	return fmt.Errorf("%s may not be written by %s: its mode is %s (%04o)", what, who, info.Mode(), info.Mode().Perm())
}
