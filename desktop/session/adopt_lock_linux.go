package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// DisplayLock says that a display is taken over by this process.
type DisplayLock struct {
	file *os.File
	path string
}

// holder is the content of a display's lock file.
type holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// LockDisplay locks a display for this user. command is how the holder is called
// in the *BusyError that others get.
func LockDisplay(display, command string) (*DisplayLock, error) {
	for {
		dir, err := ownFolder("displays", makeFolder)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, strings.NewReplacer("/", "_", ":", "_").Replace(display)+".lock")
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the folder was removed by who had it
		}
		if err != nil {
			return nil, fmt.Errorf("the lock of display %s: %w", display, err)
		}
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			busy := &BusyError{Display: display}
			var h holder
			if data, err := io.ReadAll(file); err == nil && json.Unmarshal(data, &h) == nil {
				busy.PID, busy.Command, busy.Since = h.PID, h.Command, h.Since
			}
			return nil, errors.Join(busy, file.Close())
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the lock of display %s: %w", display, err), file.Close())
		}
		if !sameFile(file, path) { // removed by who had it
			_ = file.Close()
			continue
		}
		l := &DisplayLock{file: file, path: path}
		if err := l.write(holder{PID: os.Getpid(), Command: command, Since: time.Now().UTC()}); err != nil {
			return nil, errors.Join(err, l.Release())
		}
		return l, nil
	}
}

func (l *DisplayLock) write(h holder) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(data, 0)
	return err
}

// File is the locked file, for Adoption.Lock.
func (l *DisplayLock) File() *os.File { return l.file }

// Release lets others have the display. Its sessions must have ended.
func (l *DisplayLock) Release() error {
	err := errors.Join(os.Remove(l.path), l.file.Close())
	for dir := filepath.Dir(l.path); os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		if strings.HasPrefix(filepath.Base(dir), "opendesk") {
			break // what is above is not ours
		}
	}
	return err
}
