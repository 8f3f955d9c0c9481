package linux

import (
	"math"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// insets are distances from a window's four edges, in pixels.
type insets struct{ left, right, top, bottom int }

// xWindow is what the X server knows of a top-level window of a GTK 4
// application.
type xWindow struct {
	title   string
	bounds  desktop.Rect
	shadow  insets
	focused bool
}

// frame is what the accessibility tree knows of the same window.
type frame struct {
	title  string
	bounds desktop.Rect // in its own coordinates, the origin being (0,0)
	active bool
}

// maxBorder is the widest border, in pixels, that GTK draws around a frame
// inside its X window beyond the shadow (5 where nothing composites).
const maxBorder = 40

// origin is the screen position of the frame's own origin if w is its window:
// GTK puts the frame into the middle of what the shadow leaves.
func (w xWindow) origin(f frame) (desktop.Point, bool) {
	restX := w.bounds.Width - w.shadow.left - w.shadow.right - f.bounds.Width
	restY := w.bounds.Height - w.shadow.top - w.shadow.bottom - f.bounds.Height
	if restX < 0 || restY < 0 || restX > 2*maxBorder || restY > 2*maxBorder {
		return desktop.Point{}, false
	}
	return desktop.Point{
		X: w.bounds.X + w.shadow.left + restX/2 - f.bounds.X,
		Y: w.bounds.Y + w.shadow.top + restY/2 - f.bounds.Y,
	}, true
}

// locate finds the frame's window among those of its process and gives the
// screen position of its origin. It is false where none fits, or several do
// that nothing tells apart.
func locate(f frame, windows []xWindow) (desktop.Point, bool) {
	best, bestRank, tie := desktop.Point{}, -1, false
	for _, w := range windows {
		at, ok := w.origin(f)
		if !ok {
			continue
		}
		rank := 0
		if f.title != "" && fold.Title(f.title) == fold.Title(w.title) {
			rank += 2
		}
		if f.active && w.focused {
			rank++
		}
		switch {
		case rank > bestRank:
			best, bestRank, tie = at, rank, false
		case rank == bestRank && at != best:
			tie = true
		}
	}
	return best, bestRank >= 0 && !tie
}

// popup finds the override-redirect window that shows a popover of that box.
// GTK 4 reports a popover at its parent's origin; its X window has its size.
func popup(box desktop.Rect, overrides []desktop.Rect) (desktop.Point, bool) {
	var at desktop.Point
	n := 0
	for _, o := range overrides {
		if o.Width == box.Width && o.Height == box.Height {
			at = desktop.Point{X: o.X - box.X, Y: o.Y - box.Y}
			n++
		}
	}
	return at, n == 1
}

// plausible reports whether a box can be one of an element that is shown.
// Toolkits report hidden ones empty, off all screens, or with the smallest
// numbers there are.
func plausible(r desktop.Rect) bool {
	const far = 1 << 15 // X's coordinates have 16 bits
	return !r.Empty() && r.X > -far && r.Y > -far && r.X < far && r.Y < far && r.Width < far && r.Height < far &&
		r.X != math.MinInt16 && r.Y != math.MinInt16
}
