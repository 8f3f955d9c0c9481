package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Named is a session that outlives the command that started it. It belongs to
// a process of its own and is found by its name, by its own user only.
type Named struct {
	// Name is how it is called.
	Name string `json:"name"`
	// State is one of the State constants.
	State string `json:"state"`
	// Detail says more of the state, "" for nothing.
	Detail string `json:"detail,omitempty"`
	// PID is the process that it belongs to.
	PID int `json:"pid"`
	// StartedAt is when it was ready, in UTC.
	StartedAt time.Time `json:"started_at"`
	// Notes are what StartNamed was given to keep.
	Notes json.RawMessage `json:"notes,omitempty"`
	// Info describes the session.
	Info Info `json:"session"`
	// ProcessStarted tells PID from a later process of the same number.
	ProcessStarted uint64 `json:"process_started"`
	// IdleTimeout is after what time without a command in it the session ends
	// by itself, 0 for never.
	IdleTimeout time.Duration `json:"idle_timeout,omitempty"`
}

// Folder is the session's own folder, which goes with it.
func (n *Named) Folder() string { return filepath.Dir(n.Info.Spool) }

// AuditLog is the file in a session's folder in which commands write down what
// they do. It outlives the session, until another one of the same name ends:
// see EndedLog.
const AuditLog = "audit.ndjson"

// The states of a named session.
const (
	StateStarting = "starting"
	// StateIdle: every part answers, and no worker runs.
	StateIdle = "idle"
	// StateInUse: a worker runs in it.
	StateInUse = "in use"
	// StateFaulty: a part of it, or its process, does not answer.
	StateFaulty = "faulty"
)

// ErrNameTaken is wrapped by StartNamed where there is a session of that name.
var ErrNameTaken = errors.New("there is a session of that name already")

// UnknownNameError says that there is no session of that name.
type UnknownNameError struct{ Name string }

func (e *UnknownNameError) Error() string { return fmt.Sprintf("there is no session %q", e.Name) }
