package schedule

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
)

// HeldError says that another process is doing what may be done once only.
type HeldError struct {
	// What is done.
	What string
	// PID is the process, 0 where it is unknown.
	PID int
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s already (process %d)", e.What, e.PID)
}

// Hold makes this process the project's daemon until release is called, or the
// process ends. Where there is one already, the error is a *HeldError.
func (s *Store) Hold() (release func() error, err error) {
	return s.hold("daemon.lock", "the scheduler of this project is running")
}

// Daemon is the process that is the project's daemon, 0 for none.
func (s *Store) Daemon() (pid int, err error) {
	return holder(filepath.Join(s.Dir, "daemon.lock"))
}

// HoldTask keeps the schedule from being run a second time meanwhile. Where it
// is being run, the error is a *HeldError.
func (s *Store) HoldTask(e *Entry) (release func() error, err error) {
	return s.hold(s.taskLock(e), fmt.Sprintf("%q is being run", e.Name))
}

// Running is the process that runs the schedule, 0 for none.
func (s *Store) Running(e *Entry) (pid int, err error) {
	return holder(filepath.Join(s.Dir, s.taskLock(e)))
}

func (s *Store) taskLock(e *Entry) string {
	key := e.key()
	if len(key) > 2*sha256.Size { // names of files are limited, and those of others' schedules are not
		sum := sha256.Sum256([]byte(key))
		key = string(sum[:])
	}
	return fmt.Sprintf("run-%x.lock", key)
}

func (s *Store) hold(name, what string) (func() error, error) {
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	release, err := hold(filepath.Join(s.Dir, name))
	if held, ok := err.(*HeldError); ok {
		held.What = what
	}
	return release, err
}
