//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

const (
	// backgroundTime is how long a process may idle without any window before
	// it is asked to end, questionTime how long it may idle with a window that
	// came when it was asked to close.
	backgroundTime = time.Second
	questionTime   = 2 * time.Second
	// askAgainTime is when the windows that stay are asked to close once more:
	// while a dialog is open, its application does not hear for the others.
	askAgainTime = time.Second
	// signalTime is how long a process may idle, signalLimit how long it may
	// work on, after a signal that should end it.
	signalTime  = 2 * time.Second
	signalLimit = 10 * time.Second
)

// CloseApp implements desktop.Apps.
func (d *Desktop) CloseApp(ctx context.Context, name string, timeout time.Duration) (*desktop.Closed, error) {
	if timeout <= 0 {
		timeout = closeTime
	}
	s, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	c := &closing{d: d, name: name, targets: map[processKey]bool{}, asked: map[uint32]bool{}, before: map[uint32]bool{}}
	for _, w := range s.windows {
		c.before[w.ID] = true
	}
	apps, windows := d.of(s, name)
	for _, a := range apps {
		c.add(a.PID)
	}
	opened := d.opened.last(name)
	if opened != nil {
		for pid := range d.opened.family(opened) {
			c.add(pid)
		}
	}
	if len(windows) == 0 && len(c.targets) == 0 {
		return nil, &desktop.AppNotRunningError{Name: name}
	}
	for _, w := range windows {
		c.add(w.info.PID)
		if !w.Override {
			c.asked[w.ID] = true
		}
	}
	if err := c.ask(ctx, windows); err != nil {
		return nil, err
	}
	if err := c.finish(ctx, timeout); err != nil {
		return nil, err
	}
	if opened != nil {
		opened.closed = true
	}
	return &c.did, nil
}

// closing is an application on its way out.
type closing struct {
	d       *Desktop
	name    string
	targets map[processKey]bool
	asked   map[uint32]bool // the windows that were asked to close
	before  map[uint32]bool // the windows of all that were there then
	// shared are the processes that show windows of other applications, with
	// the name of one: they are left alone.
	shared map[int]string
	did    desktop.Closed

	began time.Time
	again bool // they were asked a second time
	idle  idleness
}

func (c *closing) add(pid int) {
	if pid == 0 || pid == os.Getpid() {
		return
	}
	if p, err := readProcess(pid); err == nil && p.alive() {
		c.targets[p.key()] = true
	}
}

// ask asks those windows to close that were there at the beginning. A
// question that has come since is not asked: to close it is to answer it.
func (c *closing) ask(ctx context.Context, windows []seenWindow) error {
	for _, w := range windows {
		if !c.asked[w.ID] {
			continue
		}
		var gone *desktop.GoneError
		if err := c.d.x.CloseWindow(ctx, w.ID); err != nil && !errors.As(err, &gone) && ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// finish waits until the application has gone, and ends what is left of it
// where that belongs to this session.
func (c *closing) finish(ctx context.Context, timeout time.Duration) error {
	c.began = time.Now()
	polite, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	left, err := c.wait(polite, c.politely)
	switch {
	case err != nil && (ctx.Err() != nil || polite.Err() == nil):
		return err
	case err != nil:
		c.did.Why = "it still ran when its time was up" + titles(left)
	}
	for _, sig := range []struct {
		syscall.Signal
		name string
	}{{syscall.SIGTERM, "SIGTERM"}, {syscall.SIGKILL, "SIGKILL"}} {
		ours := c.ours()
		if len(ours) == 0 {
			break
		}
		c.did.Forced = append(c.did.Forced, sig.name)
		for _, p := range ours {
			end(p, sig.Signal)
		}
		waiting, cancel := context.WithTimeout(ctx, signalLimit)
		var idle idleness
		_, err := c.wait(waiting, func(_ context.Context, _ []seenWindow, alive []process) (bool, error) {
			return len(c.ours()) == 0 || idle.since(time.Now(), nil, alive) >= signalTime, nil
		})
		cancel()
		if ctx.Err() != nil {
			return err
		}
	}
	if len(c.did.Forced) == 0 {
		c.did.Why = ""
	}
	return c.verdict(ctx, timeout)
}

// politely reports whether the application has gone, or is not going to by
// itself; then did.Why says why.
func (c *closing) politely(ctx context.Context, windows []seenWindow, alive []process) (bool, error) {
	now := time.Now()
	switch idle := c.idle.since(now, windows, alive); {
	case len(alive) == 0 || len(windows) == 0 && c.allShared(alive):
		return len(windows) == 0, nil
	case allStopped(alive):
		c.did.Why = "its process was stopped"
		return true, nil
	case len(windows) == 0:
		c.did.Why = "it went on without a window"
		return idle >= backgroundTime, nil
	case idle >= questionTime && c.newest(windows) != nil:
		c.did.Why = fmt.Sprintf("it asked back: window '%s'", c.newest(windows).Title)
		return true, nil
	case !c.again && now.Sub(c.began) >= askAgainTime:
		c.again = true
		return false, c.ask(ctx, windows)
	}
	return false, nil
}

// newest is a window that came after the others were asked to close.
func (c *closing) newest(windows []seenWindow) *seenWindow {
	for i := range windows {
		if !c.asked[windows[i].ID] {
			return &windows[i]
		}
	}
	return nil
}

func allStopped(alive []process) bool {
	return !slices.ContainsFunc(alive, func(p process) bool { return !p.stopped() })
}

// titles names the windows that stay.
func titles(windows []seenWindow) string {
	var quoted []string
	for _, w := range windows {
		quoted = append(quoted, "'"+w.Title+"'")
	}
	if len(quoted) == 0 {
		return ""
	}
	return ", with window " + strings.Join(quoted, " and ")
}

// idleness tells since when nothing has happened: the windows are the same,
// and the processes have hardly worked. A little work is no sign of life: a
// caret blinks, and to be looked at costs an application a tenth of a
// millisecond, which on a busy machine may be seen, or counted as a whole tick.
type idleness struct {
	windows    int
	cpu        time.Duration // that they had used at from
	from, last time.Time
	// worked is the part of the looks' distances at whose end a process waited
	// for a processor or a device.
	worked time.Duration
}

const (
	// idleWork is how much of the time, in percent, an idle application may use
	// of a processor, beside one tick; idleWaits is how much of it, in percent,
	// it may seem to wait for a processor or a device.
	idleWork, idleWaits = 1, 10
)

// since is for how long nothing has changed at this moment.
func (i *idleness) since(now time.Time, windows []seenWindow, alive []process) time.Duration {
	var cpu time.Duration
	works := false
	for _, p := range alive {
		cpu += p.cpu
		works = works || p.state == 'R' || p.state == 'D'
	}
	if works && !i.last.IsZero() {
		i.worked += now.Sub(i.last)
	}
	i.last = now
	idle := now.Sub(i.from)
	if i.from.IsZero() || i.windows != len(windows) || i.cpu > cpu ||
		cpu-i.cpu > clockTick+idle*idleWork/100 || i.worked > idle*idleWaits/100 {
		*i = idleness{windows: len(windows), cpu: cpu, from: now, last: now}
	}
	return now.Sub(i.from)
}

// verdict says whether the application has gone. The windows of a process
// that has just ended may stand for a moment.
func (c *closing) verdict(ctx context.Context, timeout time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, signalTime)
	defer cancel()
	windows, err := c.wait(waiting, func(_ context.Context, windows []seenWindow, alive []process) (bool, error) {
		return len(windows) == 0 || len(alive) > 0, nil
	})
	switch {
	case err != nil && (ctx.Err() != nil || waiting.Err() == nil):
		return err
	case len(windows) > 0 && c.shared[windows[0].info.PID] != "":
		return fmt.Errorf("app '%s' still has a window %d ms after it was asked to close, and its process is that of '%s' too",
			c.name, timeout.Milliseconds(), c.shared[windows[0].info.PID])
	case len(c.ours()) > 0:
		return fmt.Errorf("app '%s' did not end, not even by SIGKILL", c.name)
	case len(windows) > 0 && len(c.alive()) == 0:
		return fmt.Errorf("app '%s' has ended, but a window of its name stays", c.name)
	case len(windows) > 0:
		return fmt.Errorf("app '%s' still has a window %d ms after it was asked to close, and its process is not one of this session's", c.name, timeout.Milliseconds())
	}
	return nil
}

// wait returns when done says so, which is asked at every change, with the
// windows that were there last.
func (c *closing) wait(ctx context.Context, done func(context.Context, []seenWindow, []process) (bool, error)) ([]seenWindow, error) {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	var windows []seenWindow
	for {
		before := c.alive()
		now, err := c.windows(ctx)
		if err != nil {
			return windows, err
		}
		windows = now
		if ok, err := done(ctx, windows, asBefore(c.alive(), before)); ok || err != nil {
			return windows, err
		}
		select {
		case <-c.d.changes:
		case <-ticker.C:
		case <-ctx.Done():
			return windows, context.Cause(ctx)
		}
	}
}

// windows are the managed windows that the application has now, with those
// that its processes have shown since it was asked to close. Their processes
// are the application's too.
func (c *closing) windows(ctx context.Context) ([]seenWindow, error) {
	s, err := c.d.look(ctx)
	if err != nil {
		return nil, err
	}
	_, named := c.d.of(s, c.name)
	own := map[uint32]bool{}
	for _, w := range named {
		own[w.ID] = true
		c.add(w.info.PID)
	}
	pids := map[int]bool{}
	for k := range c.targets {
		pids[k.pid] = true
	}
	c.shared = map[int]string{}
	var windows []seenWindow
	for _, w := range s.windows {
		switch {
		case w.Override:
		case own[w.ID] || pids[w.info.PID] && !c.before[w.ID]:
			windows = append(windows, w)
		case pids[w.info.PID] && w.Transient == 0:
			c.shared[w.info.PID] = w.info.Display()
		}
	}
	return windows, nil
}

func (c *closing) allShared(alive []process) bool {
	return !slices.ContainsFunc(alive, func(p process) bool { return c.shared[p.pid] == "" })
}

// alive are the application's processes that still run.
func (c *closing) alive() []process {
	var out []process
	for k := range c.targets {
		if p, err := readProcess(k.pid); err == nil && p.key() == k && p.alive() {
			out = append(out, p)
		}
	}
	return out
}

// asBefore are the living processes as they were before the windows were looked
// for: that asks the application, which may be seen to work for nothing else.
func asBefore(alive, before []process) []process {
	for i, p := range alive {
		if j := slices.IndexFunc(before, func(b process) bool { return b.key() == p.key() }); j >= 0 {
			alive[i] = before[j]
		}
	}
	return alive
}

// ours are the running processes that this session may end: those that bear
// its id, and those that were started here, but none that shows windows of
// another application.
func (c *closing) ours() []processKey {
	var out []processKey
	id := c.d.options.SessionID
	for _, p := range c.alive() {
		if c.shared[p.pid] != "" {
			continue
		}
		if id != "" && variable(p.pid, SessionIDVariable) == id || c.d.opened.started(p.pid) {
			out = append(out, p.key())
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
