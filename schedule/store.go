package schedule

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Store is the schedules of one project, a JSON file that other programs write
// as well. What is not known of it is kept.
type Store struct {
	// File is the store itself, Dir a folder of ours for locks and for what the
	// daemon remembers; it is made where it is needed.
	File, Dir string
	// Now is the clock.
	Now func() time.Time
}

// ErrExists says that there is a schedule of this name.
var ErrExists = errors.New("there is a schedule of this name already")

// UnknownError says that there is no schedule of that name.
type UnknownError struct {
	Name string
	// Names are those that there are.
	Names []string
}

func (e *UnknownError) Error() string {
	if len(e.Names) == 0 {
		return fmt.Sprintf("there is no schedule %q: there are none", e.Name)
	}
	return fmt.Sprintf("there is no schedule %q (there is %q)", e.Name, e.Names)
}

// Load reads the store; none is an empty list. The error is a *BrokenError where
// the file is no list of schedules.
func (s *Store) Load() ([]Entry, error) {
	data, err := s.read()
	if data == nil || err != nil {
		return nil, err
	}
	return parse(s.File, data)
}

// read gives the file's bytes, nil where there is no file.
func (s *Store) read() ([]byte, error) {
	f, err := os.Open(s.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing is written
	data, err := io.ReadAll(io.LimitReader(f, maxStoreBytes+1))
	if err != nil {
		return nil, err
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// Find gives the schedule of that name or id.
func Find(entries []Entry, name string) (*Entry, error) {
	for _, means := range []func(*Entry) bool{
		func(e *Entry) bool { return e.Name == name }, func(e *Entry) bool { return e.ID != "" && e.ID == name },
	} {
		for i := range entries {
			if means(&entries[i]) {
				return &entries[i], nil
			}
		}
	}
	unknown := &UnknownError{Name: name}
	for _, e := range entries {
		unknown.Names = append(unknown.Names, e.Name)
	}
	return nil, unknown
}

// Add adds a schedule. Where there is one of this name, it is replaced if
// overwrite is set, and keeps what is not known of it; otherwise the error is
// ErrExists.
func (s *Store) Add(e Entry, overwrite bool) (added Entry, err error) {
	when, err := e.When()
	if err != nil {
		return e, err
	}
	if err := CheckZone(e.Timezone); err != nil {
		return e, err
	}
	if err := CheckName(e.Name); err != nil {
		return e, err
	}
	err = s.update(func(entries []Entry) ([]Entry, error) {
		at := slices.IndexFunc(entries, func(other Entry) bool { return other.Name == e.Name })
		switch {
		case at >= 0 && !overwrite:
			return nil, ErrExists
		case at >= 0:
			e.ID, e.fields = entries[at].ID, entries[at].fields
		}
		if e.ID == "" {
			e.ID = newID()
		}
		e.CreatedAt, e.Enabled = s.Now(), true
		var cron, seconds any
		if when.Cron != "" {
			cron = when.Cron
		} else {
			seconds = int64(when.Interval / time.Second)
		}
		for _, f := range []struct {
			name  string
			value any
		}{
			{"id", e.ID}, {"name", e.Name}, {"task", e.Task}, {"timing", e.Timing}, {"cron", cron},
			{"interval_seconds", seconds}, {"enabled", true}, {"created_at", e.CreatedAt},
			{"last_run", nil}, {"last_status", nil},
		} {
			if err := e.set(f.name, f.value); err != nil {
				return nil, err
			}
		}
		e.fields = slices.DeleteFunc(e.fields, func(f field) bool { return f.name == "timezone" })
		if e.Timezone != "" { // others stumble over fields that they do not know
			if err := e.set("timezone", e.Timezone); err != nil {
				return nil, err
			}
		}
		if err := s.forget(e.ID); err != nil {
			return nil, err
		}
		if at >= 0 {
			entries[at] = e
			return entries, nil
		}
		return append(entries, e), nil
	})
	return e, err
}

func newID() string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	return hex.EncodeToString(random)
}

// Remove removes the schedule.
func (s *Store) Remove(name string) error {
	return s.update(func(entries []Entry) ([]Entry, error) {
		e, err := Find(entries, name)
		if err != nil {
			return nil, err
		}
		gone := e.Name
		if pid, err := s.Running(e); pid == 0 && err == nil {
			_ = os.Remove(filepath.Join(s.Dir, s.taskLock(e))) // it may never have been run
		}
		err = s.forget(e.key())
		return slices.DeleteFunc(entries, func(e Entry) bool { return e.Name == gone }), err
	})
}

// Enable switches the schedule on or off. What was due while it was off is not
// made up for.
func (s *Store) Enable(name string, enabled bool) error {
	return s.update(func(entries []Entry) ([]Entry, error) {
		e, err := Find(entries, name)
		if err != nil {
			return nil, err
		}
		e.Enabled = enabled
		return entries, errors.Join(e.set("enabled", enabled), s.forget(e.key()))
	})
}

// Began notes that a run of the schedule has begun.
func (s *Store) Began(name string, at time.Time) error {
	return s.update(func(entries []Entry) ([]Entry, error) {
		e, err := Find(entries, name)
		if err != nil {
			return nil, err
		}
		return entries, errors.Join(e.set("last_run", at), e.set("last_status", StatusRunning))
	})
}

// Ended notes what came of the schedule's run. A schedule that was removed
// meanwhile stays so.
func (s *Store) Ended(name, status string) error {
	return s.update(func(entries []Entry) ([]Entry, error) {
		e, err := Find(entries, name)
		if err != nil {
			return entries, nil
		}
		return entries, e.set("last_status", status)
	})
}

// key names the schedule where the daemon remembers it.
func (e *Entry) key() string {
	if e.ID != "" {
		return e.ID
	}
	return e.Name
}

// update writes what change makes of the entries. Only one process at a time
// does so; readers see the file as it was or as it is. A file that is broken is
// left as it is, and the error is a *BrokenError.
func (s *Store) update(change func([]Entry) ([]Entry, error)) error {
	release, err := s.lock()
	if err != nil {
		return err
	}
	defer release()
	old, err := s.read()
	if err != nil {
		return err
	}
	var entries []Entry
	if old != nil {
		if entries, err = parse(s.File, old); err != nil {
			return err
		}
	}
	if entries, err = change(entries); err != nil {
		return err
	}
	data, err := format(entries)
	if err != nil || bytes.Equal(data, old) {
		return err
	}
	return replace(s.File, data)
}

// KeepAside moves a store that is broken out of the way, and gives the error
// with the name that it has then. Any other error is given as it is.
func (s *Store) KeepAside(err error) error {
	var broken *BrokenError
	if !errors.As(err, &broken) {
		return err
	}
	release, lockErr := s.lock()
	if lockErr != nil {
		return errors.Join(err, lockErr)
	}
	defer release()
	if _, now := s.Load(); now == nil {
		return err // somebody has mended it meanwhile
	}
	kept := s.File + ".broken-" + s.Now().UTC().Format("2006-01-02T15-04-05.000Z")
	if moveErr := os.Rename(s.File, kept); moveErr != nil {
		return errors.Join(err, moveErr)
	}
	with := *broken
	with.Kept = kept
	return &with
}

// lock keeps other processes from writing.
func (s *Store) lock() (release func(), err error) {
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(filepath.Join(s.Dir, "store.lock")).Lock()
}

// makeDir makes our folder, and keeps it out of git.
func (s *Store) makeDir() error {
	err := os.MkdirAll(s.Dir, 0o755)
	if ignore := filepath.Join(s.Dir, ".gitignore"); err == nil {
		if _, missing := os.Stat(ignore); missing != nil {
			err = os.WriteFile(ignore, []byte("*\n"), 0o644)
		}
	}
	if err != nil {
		return fmt.Errorf("the scheduler's own folder %s cannot be written to: %w", s.Dir, err)
	}
	return nil
}

// replace puts the data in the file's place in one move. A link stays, and the
// file that it leads to is written, with the mode that it had.
func replace(file string, data []byte) (err error) {
	mode := fs.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it may be closed already
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
