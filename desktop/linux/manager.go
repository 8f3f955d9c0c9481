//go:build linux

package linux

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

const (
	// managerGrace is how long an application may show no window before the
	// window manager is asked whether it still answers.
	managerGrace = 2 * time.Second
	// managerProbes is how many probes in a row it may leave unanswered, each
	// for its whole deadline: on a starved machine everybody is silent for a
	// while.
	managerProbes = 2
	// managerPause is between two probes.
	managerPause = time.Second
)

// watchManager sends an error once the window manager stays silent: no window
// is shown then, however long one waits. It returns when ctx ends.
func (d *Desktop) watchManager(ctx context.Context, silent chan<- error) {
	pause := time.NewTimer(managerGrace)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		if err := d.managerSilent(ctx, managerProbes); err != nil {
			silent <- err
			return
		}
		pause.Reset(managerPause)
	}
}

// managerSilent is a *desktop.EnvironmentError where the window manager leaves
// that many probes in a row unanswered. One that does not run at all is not
// silent: windows are shown without it.
func (d *Desktop) managerSilent(ctx context.Context, probes int) error {
	for {
		p := d.x.ProbeWindowManager(ctx)
		if p.OK || ctx.Err() != nil || time.Duration(p.Millis)*time.Millisecond < managerPause {
			return nil
		}
		if probes--; probes <= 0 {
			return &desktop.EnvironmentError{Part: desktop.PartWindowManager, Err: errors.New(p.Detail)}
		}
	}
}
