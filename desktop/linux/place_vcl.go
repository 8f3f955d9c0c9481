//go:build linux

package linux

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
)

// isVCL reports whether the application is a part of LibreOffice.
func isVCL(a atspi.App) bool { return toolkitOf(a) == desktop.LibreOffice }

// placeVCL corrects the bounds of LibreOffice's elements, which have just been
// filled.
func (d *Desktop) placeVCL(ctx context.Context, elements []*desktop.Element) error {
	boxes := make(map[*desktop.Element]desktop.Rect, len(elements))
	filled := make(map[*desktop.Element]bool, len(elements))
	for _, e := range elements {
		filled[e] = true
		if e.BoundsKnown {
			boxes[e] = e.Bounds
		}
	}
	var above []*desktop.Element
	for _, e := range withAncestors(elements) {
		if !filled[e] {
			above = append(above, e)
		}
	}
	extents, err := d.bus.Extents(ctx, above, false)
	if err != nil {
		return err
	}
	for i, e := range above {
		if extents[i].Known && plausible(extents[i].Rect) {
			boxes[e] = extents[i].Rect
		}
	}
	scene := newVCLScene(boxes)
	for _, e := range elements {
		e.Bounds, e.BoundsKnown = scene.onScreen(e)
	}
	return nil
}
