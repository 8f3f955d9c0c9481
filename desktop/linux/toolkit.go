//go:build linux

package linux

import (
	"context"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
)

// toolkits tell toolkits by the beginning of the name and version that they
// report, in lower case.
var toolkits = []struct {
	name, version string
	toolkit       desktop.Toolkit
}{
	{"gail", "", desktop.GTK2},
	{"gtk", "2.", desktop.GTK2},
	{"gtk", "3.", desktop.GTK3},
	{"gtk", "4.", desktop.GTK4},
	{"qt", "", desktop.Qt},
	{"chromium", "", desktop.Chromium},
	{"chrome", "", desktop.Chromium},
	{"j2se", "", desktop.Swing},
	{"vcl", "", desktop.LibreOffice},
}

// toolkitOf is the application's toolkit, as far as that matters.
func toolkitOf(a atspi.App) desktop.Toolkit {
	name, version := strings.ToLower(a.Toolkit), a.ToolkitVersion
	if a.Name == "soffice" { // says that it is GTK
		return desktop.LibreOffice
	}
	for _, t := range toolkits {
		if strings.HasPrefix(name, t.name) && strings.HasPrefix(version, t.version) {
			return t.toolkit
		}
	}
	return ""
}

// HitTest implements desktop.Trees. GTK 4 and Qt tell what is in front; the
// answers of the others go by boxes alone.
func (d *Desktop) HitTest(ctx context.Context, e *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	if e.Window == nil {
		return nil, nil
	}
	switch toolkitOf(d.bus.AppOf(e)) {
	case desktop.Qt:
		return d.bus.AtPoint(ctx, e.Window, at, false)
	case desktop.GTK4:
		// The window's own coordinates, as the element's are told in.
		extents, err := d.bus.Extents(ctx, []*desktop.Element{e}, true)
		if err != nil || !extents[0].Known || !e.BoundsKnown {
			return nil, err
		}
		at.X += extents[0].Rect.X - e.Bounds.X
		at.Y += extents[0].Rect.Y - e.Bounds.Y
		return d.bus.AtPoint(ctx, e.Window, at, true)
	}
	return nil, nil
}
