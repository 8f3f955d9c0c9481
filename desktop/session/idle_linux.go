package session

import (
	"sync"
	"time"
)

// idle ends a named session once nobody has worked in it for a time. It never
// does so while anybody is in it.
type idle struct {
	timeout time.Duration // 0 for never
	end     func()

	mu     sync.Mutex
	inside int
	since  time.Time // when the last who worked in it left
	ended  bool
	timer  *time.Timer
}

func newIdle(timeout time.Duration, end func()) *idle {
	i := &idle{timeout: timeout, end: end, since: time.Now()}
	if timeout > 0 {
		i.timer = time.AfterFunc(timeout, i.check)
	}
	return i
}

// enter lets a command in; false where the session is about to end.
func (i *idle) enter() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return false
	}
	i.inside++
	return true
}

// leave tells that a command has gone, and whether it had worked in the session.
func (i *idle) leave(worked bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.inside--
	if worked {
		i.since = time.Now()
	}
	if i.timer != nil && i.inside == 0 && !i.ended {
		i.timer.Reset(time.Until(i.since.Add(i.timeout)))
	}
}

// check ends the session where it is time to.
func (i *idle) check() {
	i.mu.Lock()
	due := i.inside == 0 && !i.ended && time.Since(i.since) >= i.timeout
	i.ended = i.ended || due
	i.mu.Unlock()
	if due {
		i.end()
	}
}
