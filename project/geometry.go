package project

import (
	"fmt"
	"regexp"
	"strconv"
)

// Geometry is the size of a virtual screen.
type Geometry struct {
	// Width and Height are in pixels.
	Width, Height int
	// Depth is the number of bits of a pixel.
	Depth int
}

// DefaultGeometry is the screen where nobody asks for another.
var DefaultGeometry = Geometry{Width: 1280, Height: 800, Depth: 24}

// Bounds of a screen's width and height in pixels. A smaller one shows no
// window and a larger one is more than an X server draws.
const (
	minScreen = 100
	maxScreen = 16_384
)

var geometryForm = regexp.MustCompile(`^([0-9]{1,6})x([0-9]{1,6})(?:x([0-9]{1,3}))?$`)

// ParseGeometry reads "1280x800" or "1280x800x24". The depth is 24 if it is
// not given; there is no other, since applications draw differently at others.
func ParseGeometry(s string) (Geometry, error) {
	m := geometryForm.FindStringSubmatch(s)
	if m == nil {
		return Geometry{}, fmt.Errorf("%q is no screen size: write it as 1280x800 or 1280x800x24", s)
	}
	// The form holds short numbers only, so they cannot fail to convert.
	g := Geometry{Depth: DefaultGeometry.Depth}
	g.Width, _ = strconv.Atoi(m[1])
	g.Height, _ = strconv.Atoi(m[2])
	if m[3] != "" {
		g.Depth, _ = strconv.Atoi(m[3])
	}
	if g.Width < minScreen || g.Width > maxScreen || g.Height < minScreen || g.Height > maxScreen {
		return Geometry{}, fmt.Errorf("%q is no screen size: width and height are from %d to %d", s, minScreen, maxScreen)
	}
	if g.Depth != DefaultGeometry.Depth {
		return Geometry{}, fmt.Errorf("%q asks for a depth of %d: only %d is supported", s, g.Depth, DefaultGeometry.Depth)
	}
	return g, nil
}

// String gives the geometry as an X server wants it: 1280x800x24.
func (g Geometry) String() string {
	return fmt.Sprintf("%dx%dx%d", g.Width, g.Height, g.Depth)
}
