package session

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// How long applications have after SIGTERM, also where nobody asked for the
// end, and the parts after them.
const (
	appGrace     = 600 * time.Millisecond
	hurriedGrace = 200 * time.Millisecond
	partGrace    = 200 * time.Millisecond
)

// takeDown ends everything below the host: workers and applications first,
// politely, while the display and the buses still serve them; then the parts.
// The keeper clears up what is on disk.
func (h *host) takeDown() {
	parts := h.parts.all()
	var pids []int
	for _, p := range parts {
		pids = append(pids, p.pid)
	}
	apps := func() []process { return descendants(os.Getpid(), pids...) }
	grace := appGrace
	if h.hurried {
		grace = hurriedGrace
	}
	if !terminate(apps, grace) {
		end(apps, killGrace)
	}
	// The bus launcher ends its bus on SIGTERM, and only then. The X server
	// and the session bus last: the others use them.
	h.endParts(h.parts.windowManager, h.parts.registry, h.parts.a11yBus)
	h.endParts(h.parts.sessionBus, h.parts.xvfb)
	end(func() []process { return descendants(os.Getpid()) }, killGrace)
	if h.display != nil && h.info.Isolation == None {
		releaseDisplay(h.info.Dir)
	}
}

// terminate asks the processes to end, the stopped ones too, and reports
// whether they have within the time.
func terminate(list func() []process, within time.Duration) bool {
	asked := map[int]bool{}
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		left := list()
		if len(left) == 0 {
			return true
		}
		for _, p := range left {
			if !asked[p.pid] {
				asked[p.pid] = true
				signalProcess(p, unix.SIGTERM)
				signalProcess(p, unix.SIGCONT)
			}
		}
		<-time.After(5 * time.Millisecond)
	}
	return false
}

// endParts asks parts to end, and kills those that do not.
func (h *host) endParts(parts ...*child) {
	for _, p := range parts {
		if p != nil {
			h.kids.signal(p, unix.SIGTERM)
		}
	}
	timeout := time.After(partGrace)
	for _, p := range parts {
		if p == nil {
			continue
		}
		select {
		case <-p.done:
		case <-timeout:
			h.kids.signal(p, unix.SIGKILL)
			timeout = time.After(0)
		}
	}
}
