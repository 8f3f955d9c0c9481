package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

const (
	// hangTime is how long an application may take to take the keys that it
	// was sent.
	hangTime = 15 * time.Second
	// closeTime is how long it may when the keys are given back.
	closeTime = 3 * time.Second
	// idleTime is how long an application that cannot be asked is watched.
	idleTime = 2 * time.Second
	// graceTime is how long one gets that cannot be watched either.
	graceTime = 300 * time.Millisecond
	// idleLooks in a row, idlePause apart, are to find it waiting.
	idleLooks = 5
	idlePause = 4 * time.Millisecond
)

var errNoPong = errors.New("no answer")

// focused is the application that gets the keys.
type focused struct {
	window xproto.Window // 0 for none
	name   string        // of its class
	pid    int           // 0 where it is not known
	ping   uint32        // what it is asked, 0 where it cannot be
}

// settle waits until the focused application has taken all input so far: it
// answers a ping only after that. One that knows no pings has taken it when it
// waits for more. *desktop.HungError where the answer does not come.
func (d *Display) settle(ctx context.Context) error {
	changes, stop := d.listen()
	defer stop()
	began := time.Now()
	app, err := xconn.Do(ctx, d.conn, "asking the focused window", d.askForInput)
	switch {
	case err != nil:
		return err
	case app.window == 0:
		return nil
	case app.ping == 0:
		return d.idle(ctx, app.pid)
	}
	limited, cancel := context.WithTimeoutCause(ctx, hangTime, errNoPong)
	defer cancel()
	err = d.wait(limited, changes, "waiting for "+app.name+" to take its keys", func() (bool, error) {
		d.mu.Lock()
		answered := d.pong == app.ping
		d.mu.Unlock()
		if answered {
			return true, nil
		}
		_, err := xproto.GetWindowAttributes(d.conn.X, app.window).Reply()
		return err != nil && gone(err), nil
	})
	if errors.Is(err, errNoPong) {
		return &desktop.HungError{Name: app.name, After: time.Since(began)}
	}
	return err
}

// Taken waits until the focused application has taken all input so far. One
// that gives no sign of life for long is left alone: that is no error here.
func (d *Display) Taken(ctx context.Context) error {
	err := d.settle(ctx)
	var hung *desktop.HungError
	if errors.As(err, &hung) {
		return nil
	}
	return err
}

// askForInput finds out who has the focus and sends a ping.
func (d *Display) askForInput() (focused, error) {
	w, err := d.active()
	if err != nil || w == 0 {
		return focused{}, err
	}
	protocols := xproto.GetProperty(d.conn.X, false, w, d.conn.Known("WM_PROTOCOLS"), xproto.AtomAtom, 0, maxProperty)
	class := xproto.GetProperty(d.conn.X, false, w, xproto.AtomWmClass, xproto.GetPropertyTypeAny, 0, maxProperty)
	app := focused{window: w}
	if d.hasRes {
		spec := res.ClientIdSpec{Client: uint32(w), Mask: res.ClientIdMaskLocalClientPID}
		app.pid = clientPID(res.QueryClientIds(d.conn.X, 1, []res.ClientIdSpec{spec}).Reply())
	}
	_, app.name = classOf(d.text(class.Reply()))
	if !slices.Contains(cardinals(protocols.Reply()), uint32(d.conn.Known("_NET_WM_PING"))) {
		return app, nil
	}
	d.mu.Lock()
	d.pings++
	app.ping = d.pings
	d.mu.Unlock()
	d.send(w, w, "WM_PROTOCOLS", xproto.EventMaskNoEvent, uint32(d.conn.Known("_NET_WM_PING")), app.ping, uint32(w))
	return app, d.roundTrip()
}

// idle waits until no thread of the process wants to run, several times in a
// row: then it waits for input, which the server has sent it all.
func (d *Display) idle(ctx context.Context, pid int) error {
	if _, known := waiting(pid); !known {
		return pause(ctx, graceTime)
	}
	end := time.Now().Add(idleTime)
	for looks := 0; looks < idleLooks && time.Now().Before(end); looks++ {
		if err := pause(ctx, idlePause); err != nil {
			return err
		}
		if idle, known := waiting(pid); known && !idle {
			looks = -1
		}
	}
	return nil
}

// waiting reports whether all threads of the process wait; known is false
// where that cannot be read.
func waiting(pid int) (idle, known bool) {
	if pid <= 0 {
		return false, false
	}
	stats, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	for _, file := range stats {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// "123 (any name) S …"
		if i := bytes.LastIndexByte(b, ')'); i < 0 || i+2 >= len(b) || b[i+2] == 'R' || b[i+2] == 'D' {
			return false, true
		}
	}
	return true, len(stats) > 0
}

// pause waits, but no longer than ctx.
func pause(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the focused window: %w", context.Cause(ctx))
	}
}
