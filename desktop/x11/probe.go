package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// probeTime is each probe's deadline.
const probeTime = 5 * time.Second

// askAgain is when a window manager is asked again: one that is about to
// start does not hear the first time.
const askAgain = lookAgain * 3 / 4

// ProbeDisplay asks the X server for a round trip.
func (d *Display) ProbeDisplay(ctx context.Context) desktop.Probe {
	return probe(ctx, desktop.PartDisplay, func(ctx context.Context) (string, error) {
		size, err := d.Size(ctx)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s of %s answered (%d×%d)", d.Name(), d.conn.Setup.Vendor, size.Width, size.Height), nil
	})
}

// ProbeWindowManager asks the window manager to say how wide a frame it would
// draw around a window, which only a running one answers. A manager that does
// not offer that is taken to run if its window exists.
func (d *Display) ProbeWindowManager(ctx context.Context) desktop.Probe {
	return probe(ctx, desktop.PartWindowManager, d.probeWindowManager)
}

func probe(ctx context.Context, part desktop.Part, ask func(context.Context) (string, error)) desktop.Probe {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTime, fmt.Errorf("no answer within %v", probeTime))
	defer cancel()
	began := time.Now()
	detail, err := ask(ctx)
	if err != nil {
		detail = err.Error()
		var fault *desktop.EnvironmentError
		if errors.As(err, &fault) {
			detail = fault.Err.Error()
		}
	}
	return desktop.Probe{Part: part, OK: err == nil, Detail: detail, Millis: time.Since(began).Milliseconds()}
}

func (d *Display) probeWindowManager(ctx context.Context) (string, error) {
	type manager struct {
		name    string
		answers bool
	}
	changes, stop := d.listen()
	defer stop()
	wm, err := xconn.Do(ctx, d.conn, "looking for the window manager", func() (manager, error) {
		own := d.supporting()
		if own == 0 {
			return manager{}, errors.New("no window manager runs (_NET_SUPPORTING_WM_CHECK)")
		}
		name := d.text(d.property(own, "_NET_WM_NAME").Reply())
		supported := cardinals(d.property(d.conn.Root, "_NET_SUPPORTED").Reply())
		answers := slices.Contains(supported, uint32(d.conn.Known("_NET_REQUEST_FRAME_EXTENTS")))
		xproto.DeleteProperty(d.conn.X, d.helper, d.conn.Known("_NET_FRAME_EXTENTS"))
		return manager{name, answers}, nil
	})
	if err != nil {
		return "", err
	}
	if !wm.answers {
		return wm.name + " runs (it offers nothing to answer)", nil
	}
	var asked time.Time
	err = d.wait(ctx, changes, "asking "+wm.name+" for its frame's width", func() (bool, error) {
		reply, err := d.property(d.helper, "_NET_FRAME_EXTENTS").Reply()
		if err == nil && reply.Format != 32 && time.Since(asked) > askAgain {
			asked = time.Now()
			d.tellWM(d.helper, "_NET_REQUEST_FRAME_EXTENTS")
		}
		return err == nil && reply.Format == 32, err
	})
	if err != nil {
		return "", err
	}
	return wm.name + " answered", nil
}
