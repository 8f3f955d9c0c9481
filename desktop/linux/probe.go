//go:build linux

package linux

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
	"github.com/opendesk/opendesk/desktop/x11"
)

// probeTime bounds the probe of one part that has to be connected to first.
const probeTime = 8 * time.Second

// Probe asks every part of an environment whether it answers, over
// connections of its own: for those who have no Desktop open, or whose Desktop
// has lost its connections.
func Probe(ctx context.Context, o Options) desktop.Health {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var (
		wg                          sync.WaitGroup
		server, accessible, session []desktop.Probe
	)
	wg.Go(func() { server = probeServer(ctx, o.Display) })
	wg.Go(func() { session = []desktop.Probe{probeSessionBus(ctx, o.SessionBus)} })
	wg.Go(func() { accessible = probeAccessibility(ctx, o.A11yBus) })
	wg.Wait()
	return inOrder(server, session, accessible)
}

func probeServer(ctx context.Context, display string) []desktop.Probe {
	began := time.Now()
	x, err := x11.Open(ctx, display)
	if err != nil {
		return silent(began, err, desktop.PartDisplay, desktop.PartWindowManager)
	}
	defer x.Close() //nolint:errcheck // a connection that only asked
	return []desktop.Probe{x.ProbeDisplay(ctx), x.ProbeWindowManager(ctx)}
}

func probeAccessibility(ctx context.Context, address string) []desktop.Probe {
	began := time.Now()
	bus, err := atspi.Open(ctx, atspi.Options{Address: address})
	var fault *desktop.EnvironmentError
	switch {
	case err == nil:
		defer bus.Close() //nolint:errcheck // a connection that only asked
		return bus.Probe(ctx)
	case errors.As(err, &fault) && fault.Part == desktop.PartRegistry:
		return append([]desktop.Probe{{Part: desktop.PartA11yBus, OK: true, Millis: time.Since(began).Milliseconds()}},
			silent(began, err, desktop.PartRegistry)...)
	}
	return silent(began, err, desktop.PartA11yBus, desktop.PartRegistry)
}

// silent is the answer of parts that could not be asked.
func silent(began time.Time, err error, parts ...desktop.Part) []desktop.Probe {
	var probes []desktop.Probe
	for _, part := range parts {
		probes = append(probes, desktop.Probe{Part: part, Detail: err.Error(), Millis: time.Since(began).Milliseconds()})
	}
	return probes
}

// inOrder brings the answers into the order of desktop.Parts.
func inOrder(answers ...[]desktop.Probe) desktop.Health {
	var health desktop.Health
	for _, part := range desktop.Parts {
		for _, probes := range answers {
			for _, p := range probes {
				if p.Part == part {
					health = append(health, p)
				}
			}
		}
	}
	return health
}
