package resolve

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
)

// Clip gives the part of the element's box that its containers leave to be
// seen: GTK 3 says of rows that are scrolled out of view that they show. known
// is false where the toolkit does not tell the element's place.
func (f Finder) Clip(ctx context.Context, e *desktop.Element) (seen desktop.Rect, known bool, err error) {
	chain := []*desktop.Element{e}
	for at := e.Parent; at != nil && at.Parent != nil; at = at.Parent {
		if clips(at) {
			chain = append(chain, at)
		}
	}
	if err := f.Desktop.Fill(ctx, chain, desktop.NeedBounds); err != nil {
		return desktop.Rect{}, false, err
	}
	if !e.BoundsKnown {
		return desktop.Rect{}, false, nil
	}
	seen = e.Bounds
	for _, container := range chain[1:] {
		if container.BoundsKnown {
			seen = Overlap(seen, container.Bounds)
		}
	}
	return seen, true, nil
}

// clips reports whether nothing of what is in the element is seen outside of
// its box. Of Qt's lists the box is what can be seen of them; elsewhere it can
// be that of all entries, or smaller than they are.
func clips(e *desktop.Element) bool {
	switch e.Role {
	case "scroll pane", "window", "dialog":
		return true
	case "list", "tree", "table":
		return e.App != nil && e.App.Toolkit == desktop.Qt
	}
	return false
}

// Overlap is the part that two rectangles share, an empty one for none.
func Overlap(a, b desktop.Rect) desktop.Rect {
	r := a.Image().Intersect(b.Image())
	return desktop.Rect{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
}
