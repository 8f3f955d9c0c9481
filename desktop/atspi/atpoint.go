package atspi

import (
	"context"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

const (
	atPoint = "org.a11y.atspi.Component.GetAccessibleAtPoint"
	// maxClimb bounds how far above the answer an element that is known of is
	// looked for.
	maxClimb = 64
)

// AtPoint is the element that the application says is at the point within the
// window, which is relative to the screen as the toolkit sees it, or to the
// window. It is one of the tree that window is of: where the answer came
// after that tree was read, the innermost above it. nil where the application
// names none. Errors are those of Tree.
func (b *Bus) AtPoint(ctx context.Context, window *desktop.Element, at desktop.Point, windowRelative bool) (*desktop.Element, error) {
	h, ok := handleOf(window)
	if !ok {
		return nil, nil
	}
	coords := coordScreen
	if windowRelative {
		coords = coordWindow
	}
	known := map[ref]*desktop.Element{}
	window.Walk(func(e *desktop.Element) bool {
		if h, ok := handleOf(e); ok {
			known[h.ref] = e
		}
		return true
	})
	start := time.Now()
	q := request{dest: h.dest, path: h.path, method: atPoint, args: []any{int32(at.X), int32(at.Y), coords}}
	for range maxClimb {
		body, err := callOne(ctx, b.conn, b.timeout, q)
		if err != nil {
			if refused(err) {
				return nil, nil
			}
			return nil, b.fault(ctx, *h.app, err, time.Since(start))
		}
		answer := first(body)
		if q.method == getProperty {
			answer = variantOf(body)
		}
		r := parseRef(answer)
		if r.null() {
			return nil, nil
		}
		if e := known[r]; e != nil {
			return e, nil
		}
		q = request{dest: r.dest, path: r.path, method: getProperty, args: []any{accessible, "Parent"}}
	}
	return nil, nil
}
