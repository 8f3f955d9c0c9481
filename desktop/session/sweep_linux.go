package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unfinishedAge is how old a session folder without an owner file must be to
// count as abandoned where its maker is not known to have ended: nobody takes so
// long between making the two.
const unfinishedAge = 10 * time.Minute

// Sweep ends and removes what is left of sessions below tempDir
// (os.TempDir() for "", with what is left of named sessions) whose parent and
// keeper were both killed. It touches
// only folders of our own user that nobody owns any more, and only processes
// that carry the marker of such a folder. It gives the folders removed.
func Sweep(tempDir string) (removed []string, err error) {
	var errs []error
	if tempDir == "" {
		tempDir = os.TempDir()
		named, err := sweepNamed()
		if err != nil {
			errs = append(errs, err)
		}
		removed = append(removed, named...)
		sweepGroups(ownTrees(), time.Now().Add(-unfinishedAge))
	}
	if tempDir, err = filepath.EvalSymlinks(tempDir); err != nil {
		return removed, errors.Join(append(errs, err)...)
	}
	entries, err := os.ReadDir(tempDir)
	if err != nil {
		return removed, errors.Join(append(errs, err)...)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), folderPrefix) {
			continue
		}
		dir := filepath.Join(tempDir, entry.Name())
		swept, err := sweepFolder(dir)
		if err != nil {
			errs = append(errs, err)
		}
		if swept {
			removed = append(removed, dir)
		}
	}
	return removed, errors.Join(errs...)
}

// sweepFolder removes one folder if it is ours and abandoned.
func sweepFolder(dir string) (swept bool, err error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // another sweep was faster
	}
	if err != nil {
		return false, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(st.Uid) != os.Geteuid() {
		return false, nil
	}
	lock, err := os.OpenFile(ownerOf(dir), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if time.Since(info.ModTime()) < unfinishedAge && !makerGone(dir) {
			return false, nil
		}
		return true, removeAll(dir)
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = lock.Close() }()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false, nil // somebody's
	}
	// The lock is worth something only on the file that has the name.
	if !sameFile(lock, ownerOf(dir)) {
		return false, nil
	}
	o := ownerIn(dir)
	if err := reclaim(dir, o.Isolation, o.Groups, sweepGrace); err != nil {
		return false, err
	}
	return true, nil
}

// makerGone says whether the process that the folder's name tells of, which made
// it, has ended. Of one that cannot be told it is not known.
func makerGone(dir string) bool {
	number, _, found := strings.Cut(strings.TrimPrefix(filepath.Base(dir), folderPrefix), "-")
	pid, err := strconv.Atoi(number)
	return found && err == nil && pid > 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}

// ownerIn reads the folder's owner file. One that cannot be read is taken as
// that of a session without isolation: releaseDisplay makes sure for itself.
func ownerIn(dir string) owner {
	o := owner{Isolation: None}
	data, err := os.ReadFile(ownerOf(dir))
	if err != nil || json.Unmarshal(data, &o) != nil {
		return owner{Isolation: None}
	}
	return o
}

func sameFile(f *os.File, path string) bool {
	opened, err1 := f.Stat()
	named, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(opened, named)
}
