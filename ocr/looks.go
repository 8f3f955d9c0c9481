package ocr

import "strings"

// standing are letters and digits that end on the baseline in every font.
const standing = "abcdehiklmnorstuvwxzABCDEFGHIKLMNOPRSTUVWXYZ0123456789"

// dip is by how many pixels a letter may end under the baseline where it is
// round.
const dip = 2

// belies reports whether a shape cannot be the label: it ends under the line
// where the letter stands on it, so something else is drawn into it, or it
// lacks the bar that tells e from c.
func (s *shapes) belies(label string, shape int32) bool {
	if strings.Contains(standing, label) && s.places[shape].rise < -dip {
		return true
	}
	return label == "e" && !s.hasBar(shape) || label == "c" && s.hasBar(shape)
}

// hasBar reports whether ink goes from side to side in the middle of a shape.
func (s *shapes) hasBar(shape int32) bool {
	box, ink := s.samples[shape], s.page.ink
	for y := box.Min.Y + box.Dy()*3/10; y < box.Max.Y-box.Dy()*3/10; y++ {
		n := 0
		for x := box.Min.X; x < box.Max.X; x++ {
			if inked(ink.GrayAt(x, y).Y) {
				n++
			}
		}
		if 4*n >= 3*box.Dx() {
			return true
		}
	}
	return false
}
