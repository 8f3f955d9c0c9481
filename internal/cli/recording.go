package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
)

// recordOrder says what to record: for which task, and where.
type recordOrder struct {
	// Task is the task's name, Title what the caller called it.
	Task        string `json:"task"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	// Project is the project's folder, File where the recording goes.
	Project string `json:"project"`
	File    string `json:"file"`
	// Force and Unlock say which programs may be replaced.
	Force  bool `json:"force,omitempty"`
	Unlock bool `json:"unlock,omitempty"`
	// Session is the session to record in; "" for Display, somebody's own.
	Session      string  `json:"session,omitempty"`
	Display      string  `json:"display,omitempty"`
	TimeoutScale float64 `json:"timeout_scale,omitempty"`
	// Own are the processes whose windows are no part of the task.
	Own []int `json:"own,omitempty"`
	// Foreground says that the command which records compiles as well.
	Foreground bool `json:"foreground,omitempty"`
}

// where names the place for people.
func (o recordOrder) where() string {
	if o.Session != "" {
		return "session " + o.Session
	}
	return "display " + o.Display
}

// key names the place for files. There is one recording at a place.
func (o recordOrder) key() string {
	return strings.NewReplacer("/", "_", ":", "_").Replace(strings.ReplaceAll(o.where(), " ", "-"))
}

// recording is what others find of one, in a file of its own that is locked as
// long as somebody records.
type recording struct {
	recordOrder
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"started_at"`
	// Events counts those that are written.
	Events int `json:"events"`
	// EndedAt is when it ended, nil before. Ended says why, where nobody asked
	// it to.
	EndedAt *time.Time `json:"ended_at,omitempty"`
	Ended   string     `json:"ended,omitempty"`

	// file is where this stands; running is whether somebody has it locked.
	file    string
	running bool
}

// recordingsFolder is beside that of named sessions.
const recordingsFolder = "recordings"

// claim is the lock on the place of a recording.
type claim struct {
	file *os.File
	path string
}

// runningError says that somebody records there already.
type runningError struct{ other recording }

func (e *runningError) Error() string {
	what := "something"
	if e.other.Task != "" {
		what = said(e.other.Task)
	}
	return fmt.Sprintf("%s is being recorded in %s already (by process %d): end that first, with 'opendesk learn stop'",
		what, e.other.where(), e.other.PID)
}

// claimRecording makes this process the one that records at a place. The error
// is a *runningError where another one does.
func claimRecording(o recordOrder) (*claim, error) {
	for {
		dir, err := session.PrivateFolder(recordingsFolder)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, o.key()+".json")
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the folder was removed by who had it
		}
		if err != nil {
			return nil, err
		}
		if !tryLock(file) {
			other, _ := readRecording(path)
			other.recordOrder.Session, other.recordOrder.Display = o.Session, o.Display
			return nil, errors.Join(&runningError{other}, file.Close())
		}
		if !isStill(file, path) {
			_ = file.Close()
			continue
		}
		return &claim{file, path}, nil
	}
}

// isStill reports whether the file is the one at the path.
func isStill(file *os.File, path string) bool {
	a, errA := file.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// write tells others of the recording.
func (c *claim) write(r recording) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := c.file.WriteAt(data, 0); err != nil {
		return err
	}
	return c.file.Truncate(int64(len(data)))
}

// release lets others record there, and leaves what was written to be found.
func (c *claim) release() error { return c.file.Close() }

// remove lets others record there, and leaves nothing.
func (c *claim) remove() error {
	err := os.Remove(c.path)
	_ = os.Remove(filepath.Dir(c.path)) // where it was the last
	return errors.Join(err, c.file.Close())
}

// readRecording reads what is known of a recording.
func readRecording(path string) (recording, error) {
	r := recording{file: path}
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return r, err
	}
	defer file.Close() //nolint:errcheck // nothing is written through it
	r.running = isLocked(file)
	return r, nil
}

// recordings lists those that run, and those that have ended without anybody
// having stopped them.
func recordings() ([]recording, error) {
	dir, err := session.PrivateFolder(recordingsFolder)
	if err != nil {
		return nil, err
	}
	defer os.Remove(dir) //nolint:errcheck // where there is none
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []recording
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		if r, err := readRecording(filepath.Join(dir, entry.Name())); err == nil && r.Task != "" {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b recording) int { return a.StartedAt.Compare(b.StartedAt) })
	return all, nil
}

// recordedIn is the task that is being recorded in the session, "" for none.
func recordedIn(name string) string {
	all, err := recordings()
	if err != nil {
		return ""
	}
	for _, r := range all {
		if r.Session == name && r.running {
			return r.Task
		}
	}
	return ""
}

// ancestors are this process and those above it.
func ancestors() (pids []int) {
	for pid := os.Getpid(); pid > 1 && len(pids) < 64; {
		pids = append(pids, pid)
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			break
		}
		var state string
		_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
		if n, _ := fmt.Sscan(rest, &state, &pid); n != 2 {
			break
		}
	}
	return pids
}
