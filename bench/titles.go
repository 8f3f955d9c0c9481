//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

// titleRounds is how many titles are watched for in each round.
const titleRounds = 5

// titles measures the time from a change of a window's title to the verdict on
// it, by turns with scripts that poll or listen.
func (b *bench) titles() error {
	r, err := b.rig()
	if err != nil {
		return err
	}
	defer r.close() //nolint:errcheck // nothing is lost
	d, err := r.desktop()
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // read only
	app, err := r.talk("titles.py")
	if err != nil {
		return err
	}
	defer app.end()
	if _, err := linuxWindow(b.ctx, d, "Titles"); err != nil {
		return err
	}
	watchers := []struct{ who, how string }{
		{"pyatspi, 250 ms", "0.25"}, {"pyatspi, 20 ms", "0.02"}, {"pyatspi, events", "events"},
	}
	var peers []*talker
	for _, w := range watchers {
		p, err := r.talk("title_watch.py", w.how)
		if err != nil {
			return err
		}
		defer p.end()
		if w.how == "events" {
			if _, err := p.hear(); err != nil {
				return err
			}
		}
		peers = append(peers, p)
	}
	for i := range b.rounds * titleRounds {
		title := fmt.Sprintf("Title %d of opendesk", i)
		changed, seen, err := b.titleByUs(d, app, title)
		if err != nil {
			return err
		}
		b.book.took("title", us, seen-changed)
		for k, w := range watchers {
			title := fmt.Sprintf("Title %d for %s", i, w.who)
			changed, seen, err := titleByPeer(peers[k], app, title)
			if err != nil {
				return fmt.Errorf("%s: %w", w.who, err)
			}
			b.book.took("title", w.who, seen-changed)
		}
	}
	return nil
}

// linuxWindow waits for a window of that title.
func linuxWindow(ctx context.Context, d *linux.Desktop, title string) (*desktop.Window, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		windows, err := d.Windows(ctx)
		if err != nil {
			return nil, err
		}
		for _, w := range windows {
			if w.Title == title && w.Focused {
				return &w, nil
			}
		}
		select {
		case <-d.Changes():
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("no window %q: %w", title, ctx.Err())
		}
	}
}

// moment is now on the monotonic clock.
func moment() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // the clock is always there
	return time.Duration(t.Nano())
}

func parseMoment(s string) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return time.Duration(seconds * float64(time.Second)), err
}

// someTime is how long before the change the wait for it begins.
func someTime() <-chan time.Time {
	return time.After(300*time.Millisecond + rand.N(250*time.Millisecond))
}

// titleByUs runs a program whose only condition is the title.
func (b *bench) titleByUs(d *linux.Desktop, app *talker, title string) (changed, seen time.Duration, err error) {
	source := fmt.Sprintf(`{"name": "title", "version": 1, "steps": [
		{"id": "s1", "tool": "wait", "params": {"duration": 0},
		 "postcondition": {"kind": "window_title_contains", "value": %q, "timeout_ms": 5000}}]}`, title)
	p, problems := program.Parse("title.program.json", []byte(source))
	if p == nil {
		return 0, 0, fmt.Errorf("the program does not load: %v", problems)
	}
	type moments struct {
		changed time.Duration
		err     error
	}
	said := make(chan moments, 1)
	go func() {
		<-someTime()
		line, err := app.ask(title)
		if err != nil {
			said <- moments{err: err}
			return
		}
		at, err := parseMoment(line)
		said <- moments{at, err}
	}()
	a := runner.Run(b.ctx, runner.Request{Program: p, Desktop: d, Virtual: true, Emit: func(e results.Event) {
		if e.Type == results.EventStepFinished {
			seen = moment()
		}
	}})
	m := <-said
	if a.Status != results.Passed {
		return 0, 0, fmt.Errorf("the verdict is %s: %s", a.Status, a.Reason)
	}
	return m.changed, seen, m.err
}

// titleByPeer has the peer wait for the title.
func titleByPeer(peer, app *talker, title string) (changed, seen time.Duration, err error) {
	if err := peer.say(title); err != nil {
		return 0, 0, err
	}
	<-someTime()
	line, err := app.ask(title)
	if err != nil {
		return 0, 0, err
	}
	if changed, err = parseMoment(line); err != nil {
		return 0, 0, err
	}
	if line, err = peer.hear(); err != nil {
		return 0, 0, err
	}
	seen, err = parseMoment(line)
	return changed, seen, err
}
