package session

import (
	"fmt"
	"slices"

	"github.com/opendesk/opendesk/desktop"
)

// parts are the processes that make up the environment.
type parts struct {
	xvfb, sessionBus, a11yBus, registry, windowManager *child
}

// named pairs the processes with the parts that are probed, in the order of
// desktop.Parts.
func (p *parts) named() []struct {
	part  desktop.Part
	child *child
} {
	return []struct {
		part  desktop.Part
		child *child
	}{
		{desktop.PartDisplay, p.xvfb},
		{desktop.PartWindowManager, p.windowManager},
		{desktop.PartSessionBus, p.sessionBus},
		{desktop.PartA11yBus, p.a11yBus},
		{desktop.PartRegistry, p.registry},
	}
}

// all lists the processes that were started.
func (p *parts) all() []*child {
	var all []*child
	for _, n := range p.named() {
		if n.child != nil {
			all = append(all, n.child)
		}
	}
	return all
}

// correct completes a health: every part is in it, and none whose process has
// ended is well.
func (p *parts) correct(health desktop.Health) desktop.Health {
	for _, n := range p.named() {
		i := slices.IndexFunc(health, func(probe desktop.Probe) bool { return probe.Part == n.part })
		if i < 0 {
			health = append(health, desktop.Probe{Part: n.part, OK: true, Detail: "its process runs"})
			i = len(health) - 1
		}
		if n.child == nil {
			health[i].OK, health[i].Detail = false, "was not started"
		} else if n.child.ended() {
			health[i].OK = false
			health[i].Detail = fmt.Sprintf("%s has ended (%s)", n.child.name, n.child.how())
		}
	}
	return health
}
