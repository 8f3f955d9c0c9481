package atspi

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

const (
	getExtents = "org.a11y.atspi.Component.GetExtents"

	coordScreen = uint32(0)
	coordWindow = uint32(1)
)

// Extent is where an element is, if its toolkit knows.
type Extent struct {
	Rect  desktop.Rect
	Known bool
}

// Extents asks for the elements' boxes, relative to the screen as the toolkit
// sees it, or to their windows. An element without one, or that has gone, is
// not Known. Errors are those of Tree.
func (b *Bus) Extents(ctx context.Context, elements []*desktop.Element, windowRelative bool) ([]Extent, error) {
	coords := coordScreen
	if windowRelative {
		coords = coordWindow
	}
	start := time.Now()
	out := make([]Extent, len(elements))
	apps := map[string][]int{}
	requests := make([]*request, len(elements))
	for i, e := range elements {
		if h, ok := handleOf(e); ok {
			requests[i] = &request{dest: h.dest, path: h.path, method: getExtents, args: []any{coords}}
			apps[h.dest] = append(apps[h.dest], i)
		}
	}
	var failures []error
	for _, indexes := range apps {
		group := make([]*request, len(indexes))
		for j, i := range indexes {
			group[j] = requests[i]
		}
		if err := batch(ctx, b.conn, b.timeout, group); err != nil {
			failures = append(failures, b.fault(ctx, b.AppOf(elements[indexes[0]]), err, time.Since(start)))
			continue
		}
		for _, i := range indexes {
			if requests[i].err == nil {
				out[i].Rect, out[i].Known = parseExtents(first(requests[i].body))
			}
		}
	}
	return out, errors.Join(failures...)
}

// parseExtents reads a "(iiii)". It reports false for the nonsense that
// toolkits give for what is not shown: empty boxes and positions at the
// number range's end.
func parseExtents(v any) (desktop.Rect, bool) {
	n, ok := v.(box)
	if !ok {
		return desktop.Rect{}, false
	}
	r := desktop.Rect{X: int(n[0]), Y: int(n[1]), Width: int(n[2]), Height: int(n[3])}
	if r.Empty() || r.X == math.MinInt32 || r.Y == math.MinInt32 {
		return desktop.Rect{}, false
	}
	return r, true
}
