package step

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// covering says what is in front of an element at a point.
type covering struct {
	// cover is the window that a pointer would hit in place of the element's,
	// nil for none and where that is not certain.
	cover *desktop.Window
	// own is the element's window where it is below cover and can be raised.
	own *desktop.Window
	// front says that the element's own window is in front at the point.
	front bool
	// popup says that a popup window of the application is in front there.
	popup bool
	// elsewhere says that the element cannot be at the point, whatever the tree
	// tells: its window is at another place, or none is at that one. An
	// application that is busy tells the place that its window had before the
	// window manager put it elsewhere.
	elsewhere bool
}

// coverAt looks at which windows lie above the element's own at the point.
// Where it is not certain which window the element is in, nothing covers it.
func (env *Env) coverAt(ctx context.Context, at desktop.Point, e *desktop.Element) (covering, error) {
	if e.App == nil || e.App.PID == 0 {
		return covering{}, nil
	}
	if top := e.Window; top != nil && top != e {
		if err := env.Desktop.Fill(ctx, []*desktop.Element{top}, desktop.NeedBounds); err != nil {
			return covering{}, err
		}
	}
	windows, err := env.Desktop.Windows(ctx)
	if err != nil {
		return covering{}, err
	}
	return coveringOf(windows, at, e), nil
}

// coveringOf is coverAt for windows that are known, front first.
func coveringOf(windows []desktop.Window, at desktop.Point, e *desktop.Element) covering {
	own := windowOf(windows, e)
	var cover *desktop.Window
	empty := true // no window is at the point
	for i := range windows {
		w := &windows[i]
		empty = empty && !w.Bounds.Contains(at)
		switch {
		case !w.Bounds.Contains(at) || w.Tooltip:
		case own != nil && w.ID == own.ID:
			return covering{cover: cover, own: raisable(own, cover), front: cover == nil}
		case w.App.PID != e.App.PID:
			if cover == nil {
				cover = w
			}
		case own == nil || w.Override && inPopup(e):
			// It may be the element's own, or the popup that the element is in.
			return covering{cover: cover, own: raisable(w, cover), popup: w.Override}
		case cover == nil:
			cover = w // a dialog or an open menu of the application's
		}
	}
	return covering{elsewhere: empty || own != nil && !inPopup(e)}
}

// raisable is own where it can be brought in front of what covers it.
func raisable(own, cover *desktop.Window) *desktop.Window {
	if cover == nil || own.Override {
		return nil
	}
	return own
}

// frameMargin is how far, in pixels, the edges of a window as the window
// system has it may be from those in the tree: title bars, borders, shadows.
const frameMargin = 64

// windowOf finds the window that the element is in: of its process, with the
// title or at the place of the element's top-level element. nil where none or
// several are alike.
func windowOf(windows []desktop.Window, e *desktop.Element) *desktop.Window {
	top := e.Window
	if top == nil {
		return nil
	}
	var own *desktop.Window
	best := 0
	for i := range windows {
		w := &windows[i]
		if w.App.PID != e.App.PID {
			continue
		}
		score := 0
		if title := fold.Title(top.Name); title != "" && title == fold.Title(w.Title) {
			score += 2
		}
		if top.BoundsKnown && near(top.Bounds, w.Bounds) {
			score++
		}
		switch {
		case score > best:
			own, best = w, score
		case score == best:
			own = nil
		}
	}
	return own
}

func near(a, b desktop.Rect) bool {
	return close(a.X, b.X) && close(a.Y, b.Y) && close(a.X+a.Width, b.X+b.Width) && close(a.Y+a.Height, b.Y+b.Height)
}

func close(a, b int) bool { return max(a-b, b-a) <= frameMargin }

// inPopup reports whether the element may be shown in a popup that is not a
// window of the tree's own: a menu, the list of a combo box, a popover.
func inPopup(e *desktop.Element) bool {
	for at := e; at != nil; at = at.Parent {
		switch at.Role {
		case "menu", "menu item", "combo box", "tool tip":
			return true
		}
	}
	return e.App != nil && e.App.Toolkit == desktop.GTK4
}
