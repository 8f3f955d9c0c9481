package atspi

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// probeTimeout is how long the bus and the registry may take to answer a
// probe. It is longer than an application may take: on a starved machine a
// healthy registry was seen silent for more than a second, and calling it
// broken would be a wrong verdict.
const probeTimeout = 5 * time.Second

// Probe asks the accessibility bus and the registry whether they still
// answer, each with a deadline of its own. No application is asked.
func (b *Bus) Probe(ctx context.Context) []desktop.Probe {
	probes := []desktop.Probe{{Part: desktop.PartA11yBus}, {Part: desktop.PartRegistry}}
	asked := []request{
		{dest: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", method: "org.freedesktop.DBus.GetId"},
		{dest: registryName, path: rootPath, method: accessible + ".GetChildren"},
	}
	var wg sync.WaitGroup
	for i := range probes {
		wg.Go(func() {
			p := &probes[i]
			start := time.Now()
			body, err := callOne(ctx, b.conn, max(b.timeout, probeTimeout), asked[i])
			p.Millis = time.Since(start).Milliseconds()
			switch {
			case err != nil:
				p.Detail = err.Error()
			case i == 0:
				p.OK, p.Detail = true, "id "+stringOf(body)
			default:
				p.OK, p.Detail = true, fmt.Sprintf("%d applications", len(parseRefs(first(body))))
			}
		})
	}
	wg.Wait()
	return probes
}
