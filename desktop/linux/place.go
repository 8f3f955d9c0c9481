//go:build linux

package linux

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
	"github.com/opendesk/opendesk/desktop/x11"
)

// place sets or checks the bounds of an application's elements.
func (d *Desktop) place(ctx context.Context, s *scene, a atspi.App, elements []*desktop.Element) error {
	if !isGTK4(a) {
		for _, e := range elements {
			keepPlausible(e)
		}
		if isVCL(a) {
			return d.placeVCL(ctx, elements)
		}
		return nil
	}
	windows := make([]x11.Window, len(s.windows))
	for i, w := range s.windows {
		windows[i] = w.Window
	}
	return d.placeGTK4Among(ctx, windows, elements)
}

// placeGTK4 sets the screen bounds of GTK 4 elements.
func (d *Desktop) placeGTK4(ctx context.Context, elements []*desktop.Element) error {
	windows, err := d.x.Windows(ctx)
	if err != nil {
		return err
	}
	return d.placeGTK4Among(ctx, windows, elements)
}

// placeGTK4Among asks for the elements' boxes in their windows' coordinates
// and moves them to where the X windows are. An element whose window or
// popover is not found for certain has no bounds: better none than wrong ones.
func (d *Desktop) placeGTK4Among(ctx context.Context, windows []x11.Window, elements []*desktop.Element) error {
	asked := withAncestors(elements)
	extents, err := d.bus.Extents(ctx, asked, true)
	if err != nil {
		return err
	}
	boxes := make(map[*desktop.Element]desktop.Rect, len(asked))
	noRoom := map[*desktop.Element]bool{}
	for i, e := range asked {
		noRoom[e] = !extents[i].Known
		if extents[i].Known && plausible(extents[i].Rect) {
			boxes[e] = extents[i].Rect
		}
	}
	scenes := map[int]*gtk4Scene{}
	for _, e := range elements {
		pid := d.bus.AppOf(e).PID
		g := scenes[pid]
		if g == nil {
			g = newGTK4Scene(pid, windows, boxes)
			scenes[pid] = g
		}
		e.Bounds, e.BoundsKnown = g.onScreen(e)
		e.NoRoom = noRoom[e]
	}
	return nil
}

// withAncestors are the elements and everything above them but the
// applications themselves, each once.
func withAncestors(elements []*desktop.Element) []*desktop.Element {
	seen := map[*desktop.Element]bool{}
	var out []*desktop.Element
	for _, e := range elements {
		for at := e; at != nil && at.Parent != nil && !seen[at]; at = at.Parent {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out
}

// gtk4Scene places the elements of one process.
type gtk4Scene struct {
	boxes     map[*desktop.Element]desktop.Rect // in window coordinates
	windows   []xWindow
	overrides []desktop.Rect
	origins   map[*desktop.Element]origin // of frames and popovers
}

// origin is where (0,0) of an element's coordinates is on the screen.
type origin struct {
	at    desktop.Point
	known bool
}

func newGTK4Scene(pid int, windows []x11.Window, boxes map[*desktop.Element]desktop.Rect) *gtk4Scene {
	g := &gtk4Scene{boxes: boxes, origins: map[*desktop.Element]origin{}}
	for _, w := range windows {
		switch {
		case pid == 0 || w.App.PID != pid || w.Minimised:
		case w.Override:
			g.overrides = append(g.overrides, w.Bounds)
		default:
			g.windows = append(g.windows, xWindow{title: w.Title, bounds: w.Bounds, shadow: insets{
				w.FrameExtents.Left, w.FrameExtents.Right, w.FrameExtents.Top, w.FrameExtents.Bottom,
			}, focused: w.Focused})
		}
	}
	return g
}

// onScreen is the element's box on the screen, if it is known.
func (g *gtk4Scene) onScreen(e *desktop.Element) (desktop.Rect, bool) {
	box, ok := g.boxes[e]
	if !ok || e.Window == nil {
		return desktop.Rect{}, false
	}
	o := g.originOf(e)
	if !o.known {
		return desktop.Rect{}, false
	}
	box.X += o.at.X
	box.Y += o.at.Y
	return box, true
}

// originOf finds the innermost surface that the element is drawn on: a
// popover, or the window.
func (g *gtk4Scene) originOf(e *desktop.Element) origin {
	if known, ok := g.origins[e]; ok {
		return known
	}
	var o origin
	if e == e.Window || e.Parent == nil {
		if box, ok := g.boxes[e]; ok {
			o.at, o.known = locate(frame{title: e.Name, bounds: box, active: e.States.Has(desktop.Active)}, g.windows)
		}
	} else if at, found, is := g.popover(e); is {
		o = origin{at, found}
	} else {
		o = g.originOf(e.Parent)
	}
	g.origins[e] = o
	return o
}

// popover reports whether the element is a popover, and where it is shown. A
// menu always is one; another element if it is said to be at its parent's
// origin and there is exactly one popup of its size.
func (g *gtk4Scene) popover(e *desktop.Element) (at desktop.Point, found, is bool) {
	box, ok := g.boxes[e]
	if e.RawRole == "menu" {
		if !ok {
			return desktop.Point{}, false, true
		}
		at, found = popup(box, g.overrides)
		return at, found, true
	}
	parent, parentOK := g.boxes[e.Parent]
	if !ok || !parentOK || box.X != parent.X || box.Y != parent.Y || box == parent {
		return desktop.Point{}, false, false
	}
	at, found = popup(box, g.overrides)
	return at, found, found
}
