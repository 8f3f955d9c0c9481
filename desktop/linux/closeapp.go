//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

const (
	// backgroundTime is how long a process may go on without any window
	// before it is asked to end.
	backgroundTime = time.Second
	// signalTime is how long a process may take to end by a signal.
	signalTime = 2 * time.Second
)

// CloseApp implements desktop.Apps.
func (d *Desktop) CloseApp(ctx context.Context, name string, timeout time.Duration) error {
	if timeout <= 0 {
		timeout = closeTime
	}
	s, err := d.look(ctx)
	if err != nil {
		return err
	}
	c := &closing{d: d, name: name, targets: map[processKey]bool{}}
	apps, windows := d.of(s, name)
	for _, w := range windows {
		c.add(w.info.PID)
	}
	for _, a := range apps {
		c.add(a.PID)
	}
	if a := d.opened.last(name); a != nil {
		a.closed = true
		for pid := range d.opened.family(a) {
			c.add(pid)
		}
	}
	if len(windows) == 0 && len(c.targets) == 0 {
		return &desktop.AppNotRunningError{Name: name}
	}
	for _, w := range windows {
		if w.Override {
			continue
		}
		var gone *desktop.GoneError
		if err := d.x.CloseWindow(ctx, w.ID); err != nil && !errors.As(err, &gone) && ctx.Err() != nil {
			return err
		}
	}
	return c.finish(ctx, timeout)
}

// closing is an application on its way out.
type closing struct {
	d       *Desktop
	name    string
	targets map[processKey]bool

	windowless time.Time // since when it has no window, zero while it has one
}

func (c *closing) add(pid int) {
	if pid == 0 || pid == os.Getpid() {
		return
	}
	if p, err := readProcess(pid); err == nil && p.alive() {
		c.targets[p.key()] = true
	}
}

// finish waits until the application has gone, and ends what is left of it
// where that belongs to this session.
func (c *closing) finish(ctx context.Context, timeout time.Duration) error {
	ctxPolite, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := c.wait(ctxPolite, func(windows int, alive []processKey) bool {
		if windows > 0 {
			c.windowless = time.Time{}
			return false
		}
		if len(alive) == 0 {
			return true
		}
		if c.windowless.IsZero() {
			c.windowless = time.Now()
		}
		return time.Since(c.windowless) >= backgroundTime
	})
	if err != nil && (ctx.Err() != nil || ctxPolite.Err() == nil) {
		return err
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		ours := c.ours()
		if len(ours) == 0 {
			break
		}
		for _, p := range ours {
			end(p, sig)
		}
		waiting, cancel := context.WithTimeout(ctx, signalTime)
		err := c.wait(waiting, func(int, []processKey) bool { return len(c.ours()) == 0 })
		cancel()
		if ctx.Err() != nil {
			return err
		}
	}
	return c.verdict(ctx, timeout)
}

// verdict says whether the application has gone. The windows of a process
// that has just ended may stand for a moment.
func (c *closing) verdict(ctx context.Context, timeout time.Duration) error {
	windows := 0
	waiting, cancel := context.WithTimeout(ctx, signalTime)
	defer cancel()
	err := c.wait(waiting, func(n int, alive []processKey) bool {
		windows = n
		return n == 0 || len(alive) > 0
	})
	switch {
	case err != nil && (ctx.Err() != nil || waiting.Err() == nil):
		return err
	case len(c.ours()) > 0:
		return fmt.Errorf("app '%s' did not end, not even by SIGKILL", c.name)
	case windows > 0 && len(c.alive()) == 0:
		return fmt.Errorf("app '%s' has ended, but a window of its name stays", c.name)
	case windows > 0:
		return fmt.Errorf("app '%s' still has a window %d ms after it was asked to close, and its process is not one of this session's", c.name, timeout.Milliseconds())
	}
	return nil
}

// wait returns when done says so, which is asked at every change.
func (c *closing) wait(ctx context.Context, done func(windows int, alive []processKey) bool) error {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		windows, err := c.windows(ctx)
		if err != nil {
			return err
		}
		if done(windows, c.alive()) {
			return nil
		}
		select {
		case <-c.d.changes:
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// windows is how many managed windows the application has now.
func (c *closing) windows(ctx context.Context) (int, error) {
	s, err := c.d.look(ctx)
	if err != nil {
		return 0, err
	}
	_, windows := c.d.of(s, c.name)
	n := 0
	for _, w := range windows {
		if !w.Override {
			n++
		}
	}
	return n, nil
}

// alive are the application's processes that still run.
func (c *closing) alive() []processKey {
	var out []processKey
	for k := range c.targets {
		if k.running() {
			out = append(out, k)
		}
	}
	return out
}

// ours are the running processes that this session may end: those that bear
// its id, and those that were started here.
func (c *closing) ours() []processKey {
	var out []processKey
	id := c.d.options.SessionID
	for _, k := range c.alive() {
		if id != "" && variable(k.pid, SessionIDVariable) == id || c.d.opened.started(k.pid) {
			out = append(out, k)
		}
	}
	return out
}

// running reports whether it is still that process, and alive.
func (k processKey) running() bool {
	p, err := readProcess(k.pid)
	return err == nil && p.key() == k && p.alive()
}

// end sends a signal to exactly that process.
func end(k processKey, sig syscall.Signal) {
	p, err := os.FindProcess(k.pid) // holds on to the process, not the number
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if k.running() {
		_ = p.Signal(sig)
		_ = p.Signal(syscall.SIGCONT) // a stopped process ends only when it goes on
	}
}
