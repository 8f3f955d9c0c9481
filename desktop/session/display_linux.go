package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Where X servers keep their sockets and lock files. The folder is fixed in
// the X libraries.
const (
	socketFolder = "/tmp/.X11-unix"
	lockFolder   = "/tmp"
)

// lastDisplay is the highest display number that is tried.
const lastDisplay = 9999

// reservation is a display number that is ours. Three things make it so, since
// no single one does: Xvfb with -displayfd takes no lock file, and without an
// abstract socket ("-nolisten local") it replaces another server's socket.
//
//   - an abstract socket of the server's name, bound and never listened on:
//     it is shared by all that share the network, sandboxes included, and
//     goes when we go. Clients that try it are refused and take the next.
//   - a lock file, which every other X server honours.
//   - no socket file of that number before.
type reservation struct {
	number   int
	abstract int // file descriptor
}

// displayRecord is what the session's folder says about the display, for who
// has to clear up after the host was killed.
type displayRecord struct {
	Number int `json:"number"`
	// Lock is the content of our lock file.
	Lock string `json:"lock"`
}

func lockFile(n int) string   { return filepath.Join(lockFolder, fmt.Sprintf(".X%d-lock", n)) }
func socketFile(n int) string { return filepath.Join(socketFolder, "X"+strconv.Itoa(n)) }

// reserveDisplay takes the first free display number from the given one on.
func reserveDisplay(first int, dir string) (*reservation, error) {
	if err := os.Mkdir(socketFolder, 0o777); err == nil {
		if err := os.Chmod(socketFolder, 0o777|fs.ModeSticky); err != nil {
			return nil, err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	taken, err := abstractDisplays()
	if err != nil {
		return nil, err
	}
	for n := first; n <= lastDisplay; n++ {
		if taken[n] || exists(lockFile(n)) || exists(socketFile(n)) {
			continue
		}
		r, err := reserve(n, dir)
		if err == nil {
			return r, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.EADDRINUSE) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no free display number between %d and %d", first, lastDisplay)
}

// reserve takes one number, or fails with fs.ErrExist or EADDRINUSE.
func reserve(n int, dir string) (*reservation, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	r := &reservation{number: n, abstract: fd}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "@" + socketFile(n)}); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("reserve display %d: %w", n, err)
	}
	if err := takeLockFile(n, dir); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return r, nil
}

// takeLockFile makes the lock file as X servers make it: complete, then
// linked to its name. The folder's record is written before.
func takeLockFile(n int, dir string) error {
	record := displayRecord{Number: n, Lock: fmt.Sprintf("%10d\n", os.Getpid())}
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if err := os.WriteFile(displayOf(dir), data, 0o600); err != nil {
		return err
	}
	draft := filepath.Join(dir, "lock")
	if err := os.WriteFile(draft, []byte(record.Lock), 0o444); err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft) }()
	err = os.Link(draft, lockFile(n))
	if !errors.Is(err, unix.EXDEV) && !errors.Is(err, unix.EPERM) {
		return err
	}
	// The folder is on another file system than the lock.
	f, err := os.OpenFile(lockFile(n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	_, err = f.WriteString(record.Lock)
	return errors.Join(err, f.Close())
}

// releaseDisplay removes the lock file and the socket of the display that the
// session's folder names, if the lock is still the session's own.
func releaseDisplay(dir string) {
	data, err := os.ReadFile(displayOf(dir))
	if err != nil {
		return
	}
	var record displayRecord
	if json.Unmarshal(data, &record) != nil || record.Lock == "" {
		return
	}
	lock, err := os.ReadFile(lockFile(record.Number))
	if err != nil || string(lock) != record.Lock {
		return
	}
	_ = os.Remove(socketFile(record.Number))
	_ = os.Remove(lockFile(record.Number))
}

// abstractDisplays are the numbers of the X servers that listen on an
// abstract socket, wherever their /tmp is.
func abstractDisplays() (map[int]bool, error) {
	data, err := os.ReadFile("/proc/net/unix")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	taken := map[int]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		_, number, found := strings.Cut(lines.Text(), " @"+socketFolder+"/X")
		if n, err := strconv.Atoi(number); found && err == nil {
			taken[n] = true
		}
	}
	return taken, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
