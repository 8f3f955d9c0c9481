//go:build linux && cgo

package input

import (
	"errors"
	"runtime"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// robot is the one thread that calls robotgo, which has no locks.
type robot struct {
	acts chan func()
	end  chan struct{}
}

func startRobot() *robot {
	r := &robot{acts: make(chan func()), end: make(chan struct{})}
	go func() {
		runtime.LockOSThread()
		for {
			select {
			case act := <-r.acts:
				act()
			case <-r.end:
				runtime.UnlockOSThread()
				return
			}
		}
	}()
	return r
}

// do runs act on the robot's thread. *desktop.EnvironmentError where it does
// not come back: the X server fell silent in the middle of it.
func (r *robot) do(act func()) error {
	done := make(chan struct{})
	timer := time.NewTimer(xconn.AnswerTime)
	defer timer.Stop()
	select {
	case r.acts <- func() { act(); close(done) }:
	case <-timer.C:
		return errSilent
	}
	select {
	case <-done:
		return nil
	case <-timer.C:
		return errSilent
	}
}

func (r *robot) stop() {
	if r != nil {
		close(r.end)
	}
}

var errSilent = &desktop.EnvironmentError{Part: desktop.PartDisplay,
	Err: errors.New("the X server fell silent during an input")}
