//go:build !linux

package session

import (
	"context"
	"encoding/json"
	"os"
	"runtime"

	"github.com/opendesk/opendesk/desktop"
)

func unsupported() *StartError {
	return &StartError{Part: PartHost, Reason: "display sessions need Linux; this build is for " + runtime.GOOS}
}

// Session is a running display session; there are none on this system.
type Session struct{}

// Worker is a process in a session; there are none on this system.
type Worker struct{}

// HostOptions are what the host needs from the program that it runs in.
type HostOptions struct {
	// ControlFD is the file descriptor of the control socket, 3.
	ControlFD uintptr
	// Capture writes a PNG picture of the whole display to path.
	Capture func(ctx context.Context, display, path string) error
	// Probe asks every part whether it answers.
	Probe func(ctx context.Context, env Info) desktop.Health
	// Remember describes a display, and PutBack makes it like that again.
	Remember func(ctx context.Context, display string) (json.RawMessage, error)
	PutBack  func(ctx context.Context, display string, state json.RawMessage) (hold func(context.Context), err error)
	// SetIdentity marks the display with the session's id.
	SetIdentity func(ctx context.Context, display, id string) error
	// Errand does what a worker asks the keeper for.
	Errand func(ctx context.Context, e *Errand) (answer json.RawMessage)
}

// Errand is something that a worker has the keeper do; there are none on this
// system.
type Errand struct{}

// Start gives the error that this system has no display sessions.
func Start(context.Context, Options) (*Session, error) { return nil, unsupported() }

// Possible gives the error that this system has no display sessions.
func Possible(Options) error { return unsupported() }

// DisplayLock says that a display is taken over; there is none on this system.
type DisplayLock struct{}

// LockDisplay gives the error that this system has no display sessions.
func LockDisplay(string, string) (*DisplayLock, error) { return nil, unsupported() }

// File is nil.
func (*DisplayLock) File() *os.File { return nil }

// Release does nothing.
func (*DisplayLock) Release() error { return nil }

// HostMain gives exit code 1: this system has no display sessions.
func HostMain(context.Context, HostOptions) int { return 1 }

// Sweep finds nothing: this system has no display sessions.
func Sweep(string) ([]string, error) { return nil, nil }

// Info is empty.
func (s *Session) Info() Info { return Info{} }

// RunWorker gives the error that this system has no display sessions.
func (s *Session) RunWorker(context.Context, WorkerSpec) (*Worker, error) {
	return nil, unsupported()
}

// Screenshot gives the error that this system has no display sessions.
func (s *Session) Screenshot(context.Context, string) error { return unsupported() }

// Probe gives the error that this system has no display sessions.
func (s *Session) Probe(context.Context) (desktop.Health, error) { return nil, unsupported() }

// Reached is empty.
func (s *Session) Reached() []Reached { return nil }

// LimitSupport says that nothing can be limited on this system.
func LimitSupport(Isolation) []Limit {
	limits := make([]Limit, 0, 3)
	for _, name := range []string{LimitMemory, LimitProcesses, LimitHome} {
		limits = append(limits, Limit{Name: name, Unavailable: "display sessions need Linux"})
	}
	return limits
}

// Died is never closed.
func (s *Session) Died() <-chan struct{} { return nil }

// HostExit is empty.
func (s *Session) HostExit() string { return "" }

// Close does nothing.
func (s *Session) Close(context.Context) error { return nil }

// Wait gives the error that this system has no display sessions.
func (w *Worker) Wait(context.Context) (Exit, error) { return Exit{}, unsupported() }

// Kill does nothing.
func (w *Worker) Kill() {}
