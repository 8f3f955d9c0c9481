package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Where things are in the folder of a named session. The owner file is locked
// as long as the process lives that the session belongs to.

func controlOf(dir string) string { return filepath.Join(dir, "control") }
func recordOf(dir string) string  { return filepath.Join(dir, "session.json") }
func spoolOf(dir string) string   { return filepath.Join(dir, "spool") }
func logOf(dir string) string     { return filepath.Join(dir, "log") }

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$`)

// registry is the folder of our user's named sessions: below XDG_RUNTIME_DIR
// where that is a private folder of ours, else below the folder for temporary
// files. Nobody else can look into it, or have made it.
func registry() (string, error) {
	return ownFolder("sessions", func(string) error { return nil })
}

// PrivateFolder makes a folder beside that of named sessions, which nobody but
// our user gets into, and gives its path. The error says who else could.
func PrivateFolder(sub string) (string, error) { return ownFolder(sub, makeFolder) }

// makeRegistry makes the folder where it is missing. Who only looks for
// sessions leaves no folder behind.
func makeRegistry() (string, error) {
	return ownFolder("sessions", makeFolder)
}

// makeFolder makes a folder of ours where it is missing.
func makeFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// ownFolder gives the path of our user's folder for sessions, or displays, and
// an error where a folder on the way is open to others. prepare is called with
// each before it is looked at.
func ownFolder(sub string, prepare func(dir string) error) (string, error) {
	base := os.Getenv("XDG_RUNTIME_DIR")
	name := "opendesk"
	if base == "" || private(base) != nil {
		base, name = os.TempDir(), "opendesk-"+strconv.Itoa(os.Geteuid())
	}
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return "", fmt.Errorf("the folder for %s: %w", sub, err)
	}
	dir := filepath.Join(base, name)
	for _, dir := range []string{dir, filepath.Join(dir, sub)} {
		if err := prepare(dir); err != nil {
			return "", fmt.Errorf("the folder for %s: %w", sub, err)
		}
		if err := private(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the folder for %s: %w", sub, err)
		}
	}
	return filepath.Join(dir, sub), nil
}

// private says why the folder is not one that our user alone gets into.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case !ok || int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %o, not 700)", dir, info.Mode().Perm())
	}
	return nil
}

// endedLogs is the folder for the audit logs of sessions that have ended.
func endedLogs(prepare func(dir string) error) (string, error) {
	return ownFolder("ended", prepare)
}

// EndedLog is the audit log of the last session of that name that has ended, ""
// where there is none.
func EndedLog(name string) string {
	dir, err := endedLogs(func(string) error { return nil })
	if err != nil || !validName.MatchString(name) {
		return ""
	}
	if file := filepath.Join(dir, name+"."+AuditLog); exists(file) {
		return file
	}
	return ""
}

// removeNamed removes the folder of a session that has ended, without its audit
// log.
func removeNamed(dir string) error {
	if log := filepath.Join(dir, AuditLog); exists(log) {
		to, err := endedLogs(makeFolder)
		if err == nil {
			err = os.Rename(log, filepath.Join(to, filepath.Base(dir)+"."+AuditLog))
		}
		if err != nil {
			return errors.Join(fmt.Errorf("the session's audit log: %w", err), removeAll(dir))
		}
	}
	return removeAll(dir)
}

// readRecord reads what is known of a named session; false while it starts.
func readRecord(dir string) (Named, bool) {
	n := Named{Name: filepath.Base(dir), State: StateStarting}
	data, err := os.ReadFile(recordOf(dir))
	if err != nil {
		return n, false
	}
	var read Named
	if json.Unmarshal(data, &read) != nil {
		return n, false
	}
	read.Name = n.Name
	return read, true
}

// writeRecord writes it in one move.
func writeRecord(dir string, n Named) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.WriteFile(recordOf(dir)+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(recordOf(dir)+".new", recordOf(dir))
}

// sweepNamed removes what is left of named sessions whose process was killed.
func sweepNamed() (removed []string, err error) {
	root, err := registry()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var errs []error
	for _, entry := range entries {
		dir := filepath.Join(root, entry.Name())
		swept, err := sweepNamedFolder(dir)
		if err != nil {
			errs = append(errs, err)
		}
		if swept {
			removed = append(removed, dir)
		}
	}
	return removed, errors.Join(errs...)
}

func sweepNamedFolder(dir string) (swept bool, err error) {
	lock, err := os.OpenFile(ownerOf(dir), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		info, err := os.Lstat(dir)
		if err != nil || time.Since(info.ModTime()) < unfinishedAge {
			return false, nil // gone, or about to be made
		}
		return true, removeAll(dir)
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = lock.Close() }()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !sameFile(lock, ownerOf(dir)) {
		return false, nil // somebody's
	}
	// The keeper ends the session by itself; where it was killed as well, this
	// is the last that knows of it.
	if n, ok := readRecord(dir); ok && n.Info.Dir != "" {
		if _, err := sweepFolder(n.Info.Dir); err != nil {
			return false, err
		}
		if exists(n.Info.Dir) && !exists(ownerOf(n.Info.Dir)) {
			// Whoever was removing it was killed at that.
			if err := reclaim(n.Info.Dir, n.Info.Isolation, n.Info.Groups, sweepGrace); err != nil {
				return false, err
			}
		}
	}
	return true, removeNamed(dir)
}
