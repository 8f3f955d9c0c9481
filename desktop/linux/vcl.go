package linux

import "github.com/opendesk/opendesk/desktop"

// vclScene places what LibreOffice draws itself within GTK's windows. It takes
// the place of its root pane to be the window's, above the menu bar, whereas
// GTK's own widgets within it know where they are.
type vclScene struct {
	boxes map[*desktop.Element]desktop.Rect // as the application tells them
	known map[*desktop.Element]vclShift
}

func newVCLScene(boxes map[*desktop.Element]desktop.Rect) *vclScene {
	return &vclScene{boxes: boxes, known: map[*desktop.Element]vclShift{}}
}

// vclShift is by how much the boxes of what VCL draws are off.
type vclShift struct {
	by    desktop.Point
	drawn bool // by VCL
}

const rootPane = "root pane"

// onScreen is the element's box on the screen, if it has one.
func (s *vclScene) onScreen(e *desktop.Element) (desktop.Rect, bool) {
	box, ok := s.boxes[e]
	if !ok {
		return desktop.Rect{}, false
	}
	by := s.shiftOf(e).by
	box.X += by.X
	box.Y += by.Y
	return box, true
}

func (s *vclScene) shiftOf(e *desktop.Element) vclShift {
	if e == nil {
		return vclShift{}
	}
	if shift, ok := s.known[e]; ok {
		return shift
	}
	var shift vclShift
	box, hasBox := s.boxes[e]
	holder, hasHolder := s.boxes[e.Parent]
	if e.RawRole == rootPane {
		shift.drawn = true
		if hasBox && hasHolder && box.Width == holder.Width && box.Height == holder.Height {
			shift.by = desktop.Point{X: holder.X - box.X, Y: holder.Y - box.Y}
		}
	} else if shift = s.shiftOf(e.Parent); shift.drawn && hasBox && hasHolder && shift.by != (desktop.Point{}) {
		// A widget of GTK's fills what VCL holds it in.
		if box.X == holder.X+shift.by.X && box.Y == holder.Y+shift.by.Y && alike(box.Width, holder.Width) && alike(box.Height, holder.Height) {
			shift = vclShift{}
		}
	}
	s.known[e] = shift
	return shift
}

func alike(a, b int) bool { return abs(a-b) <= 2 }
