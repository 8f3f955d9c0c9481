package ocr

import (
	"cmp"
	"image"
	"slices"
)

// The measures by which marks of ink become lines, in pixels of the screen.
const (
	// inkLevel is the darkness from which a pixel is a mark.
	inkLevel = 60
	// A mark that is higher or, at that height, as thin as a ruled line is no
	// letter.
	maxLetterHeight = 72
	// letterHeight is that of the smallest letters; what is lower is a sign or
	// a part of a letter and joins a line made by others.
	letterHeight = 5
	// lineMargin is the white above and below a line that is given to the
	// engine, sideMargin that at its ends. Both were measured: with sides
	// above 4 the engine makes up signs there and misreads the rest.
	lineMargin, sideMargin = 4, 2
)

// strip is one line of text cut out of a screen.
type strip struct {
	box   image.Rectangle // in the coordinates of the flattened image
	marks []int32         // numbers of the marks that belong to it
	area  int32
}

// mark is a connected piece of ink.
type mark struct {
	box  image.Rectangle
	size int
	area int32
}

// segmentation is a flattened image with its marks and lines.
type segmentation struct {
	*flat
	marks []mark
	// markOf is the number of each pixel's mark, -1 for none.
	markOf []int32
	strips []strip // in reading order
}

// inked reports whether a pixel of a flattened image belongs to a mark.
func inked(v uint8) bool { return 255-v >= inkLevel }

// segment finds the lines of text in a flattened image.
func segment(f *flat) *segmentation {
	s := &segmentation{flat: f}
	eraseBlocks(f.ink)
	s.findMarks()
	s.findStrips()
	return s
}

// findMarks finds the connected pieces of ink on one area.
func (s *segmentation) findMarks() {
	w, h := s.ink.Rect.Dx(), s.ink.Rect.Dy()
	inked := func(i int) bool { return inked(s.ink.Pix[i]) }
	sets := newSets(w * h)
	for y := range h {
		for x := range w {
			i := y*w + x
			if !inked(i) {
				continue
			}
			for _, d := range [4][2]int{{-1, 0}, {-1, -1}, {0, -1}, {1, -1}} {
				xx, yy := x+d[0], y+d[1]
				if xx < 0 || yy < 0 || xx >= w {
					continue
				}
				if j := yy*w + xx; inked(j) && s.area[i] == s.area[j] {
					sets.join(int32(i), int32(j))
				}
			}
		}
	}
	number := make([]int32, w*h)
	s.markOf = make([]int32, w*h)
	for i := range s.markOf {
		s.markOf[i] = -1
		if !inked(i) {
			continue
		}
		root := sets.find(int32(i))
		if number[root] == 0 {
			s.marks = append(s.marks, mark{area: s.area[i]})
			number[root] = int32(len(s.marks))
		}
		n := number[root] - 1
		s.markOf[i] = n
		m := &s.marks[n]
		m.box = m.box.Union(image.Rect(i%w, i/w, i%w+1, i/w+1))
		m.size++
	}
}

// letter reports whether the mark may be a letter, or several that touch.
func (m mark) letter() bool {
	w, h := m.box.Dx(), m.box.Dy()
	switch {
	case h < letterHeight || h > maxLetterHeight:
		return false
	case w > 3*h && (m.size < w*h/6 || m.size > w*h*9/10):
		return false // a wide frame, or a bar
	default:
		return true
	}
}

// isFrame reports whether the mark is a frame one pixel wide, such as a cursor
// without focus.
func (s *segmentation) isFrame(n int32) bool {
	m := s.marks[n]
	w, h := m.box.Dx(), m.box.Dy()
	if m.size != 2*(w+h)-4 || w < 4 || h < 8 {
		return false
	}
	inner := m.box.Inset(1)
	for y := inner.Min.Y; y < inner.Max.Y; y++ {
		for x := inner.Min.X; x < inner.Max.X; x++ {
			if s.markOf[y*s.ink.Rect.Dx()+x] == n {
				return false
			}
		}
	}
	return true
}

// sign reports whether the mark may be a sign or a part of a letter: a dot, a
// comma, a dash.
func (m mark) sign() bool {
	return m.box.Dy() < letterHeight && m.box.Dx() <= 24
}

// findStrips puts letters that stand side by side into lines, and signs into
// the lines that they stand in.
func (s *segmentation) findStrips() {
	order := make([]int32, 0, len(s.marks))
	for n, m := range s.marks {
		if m.letter() && !s.isFrame(int32(n)) {
			order = append(order, int32(n))
		}
	}
	byLeft := func(a, b int32) int { return cmp.Compare(s.marks[a].box.Min.X, s.marks[b].box.Min.X) }
	slices.SortStableFunc(order, byLeft)
	sets := newSets(len(s.marks))
	// ends holds, for each row of pixels, the last letter that ends there.
	ends := make([]int32, s.ink.Rect.Dy())
	for i := range ends {
		ends[i] = -1
	}
	for _, n := range order {
		m := s.marks[n]
		for y := m.box.Min.Y; y < m.box.Max.Y; y++ {
			if e := ends[y]; e >= 0 && sideBySide(s.marks[e], m) {
				sets.join(e, n)
			}
			if e := ends[y]; e < 0 || s.marks[e].box.Max.X <= m.box.Max.X {
				ends[y] = n
			}
		}
	}
	byRoot := map[int32]int{}
	for _, n := range order {
		root := sets.find(n)
		at, ok := byRoot[root]
		if !ok {
			at = len(s.strips)
			byRoot[root] = at
			s.strips = append(s.strips, strip{area: s.marks[n].area})
		}
		st := &s.strips[at]
		st.marks = append(st.marks, n)
		st.box = st.box.Union(s.marks[n].box)
	}
	s.addSigns()
	slices.SortStableFunc(s.strips, func(a, b strip) int {
		return cmp.Or(cmp.Compare(a.box.Min.Y, b.box.Min.Y), cmp.Compare(a.box.Min.X, b.box.Min.X))
	})
}

// sideBySide reports whether b stands in the same line as a, which is left of
// it.
func sideBySide(a, b mark) bool {
	low, high := min(a.box.Dy(), b.box.Dy()), max(a.box.Dy(), b.box.Dy())
	share := min(a.box.Max.Y, b.box.Max.Y) - max(a.box.Min.Y, b.box.Min.Y)
	return a.area == b.area && 2*share >= low && high <= 3*low && b.box.Min.X-a.box.Max.X <= 3*high
}

// addSigns gives each sign to the line that it stands in or at. In large text
// signs are as high as small letters and have made a line of their own; those
// are put into the line that they stand in too.
func (s *segmentation) addSigns() {
	slices.SortStableFunc(s.strips, func(a, b strip) int { return cmp.Compare(b.box.Dy(), a.box.Dy()) })
	lines := s.strips[:0]
	for _, st := range s.strips {
		if len(st.marks) <= 2 {
			if at := s.home(lines, st.box, st.area, 5); at >= 0 {
				lines[at].add(st.box, st.marks...)
				continue
			}
		}
		lines = append(lines, st)
	}
	s.strips = lines
	for n, m := range s.marks {
		if m.sign() {
			if at := s.home(lines, m.box, m.area, 1); at >= 0 {
				lines[at].add(m.box, int32(n))
			}
		}
	}
}

func (st *strip) add(box image.Rectangle, marks ...int32) {
	st.marks = append(st.marks, marks...)
	st.box = st.box.Union(box)
}

// home is the line in or at which the box stands, the nearest one, which has
// to be smaller/10 times as high again; -1 for none.
func (s *segmentation) home(lines []strip, box image.Rectangle, area int32, smaller int) int {
	best, bestGap := -1, 0
	for i, st := range lines {
		b := st.box
		h := b.Dy()
		if st.area != area || 10*h < (10+smaller)*box.Dy() || box.Min.Y < b.Min.Y-h/2 || box.Max.Y > b.Max.Y+h/3 {
			continue
		}
		gap := max(b.Min.X-box.Max.X, box.Min.X-b.Max.X, 0) + max(b.Min.Y-box.Min.Y, box.Max.Y-b.Max.Y, 0)
		if gap <= 2*h && (best < 0 || gap < bestGap) {
			best, bestGap = i, gap
		}
	}
	return best
}

// cut draws the line alone, dark on white, with a margin; at is the place of
// the picture's corner in the flattened image.
func (s *segmentation) cut(st strip) (img *image.Gray, at image.Point) {
	area := image.Rect(st.box.Min.X-sideMargin, st.box.Min.Y-lineMargin, st.box.Max.X+sideMargin, st.box.Max.Y+lineMargin)
	img = image.NewGray(image.Rect(0, 0, area.Dx(), area.Dy()))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	mine := map[int32]bool{}
	for _, n := range st.marks {
		mine[n] = true
	}
	w := s.ink.Rect.Dx()
	// One pixel more than the marks, for the soft edges of letters.
	soft := st.box.Inset(-1).Intersect(s.ink.Rect)
	for y := soft.Min.Y; y < soft.Max.Y; y++ {
		for x := soft.Min.X; x < soft.Max.X; x++ {
			i := y*w + x
			if n := s.markOf[i]; n < 0 && s.area[i] == st.area || n >= 0 && mine[n] {
				img.Pix[(y-area.Min.Y)*img.Stride+x-area.Min.X] = s.ink.Pix[i]
			}
		}
	}
	return img, area.Min
}

// inkIn makes a word's box as small as the marks of its line allow: the engine
// gives all words the height of the line.
func (s *segmentation) inkIn(st strip, box image.Rectangle) image.Rectangle {
	var ink image.Rectangle
	for _, n := range st.marks {
		m := s.marks[n].box
		if middle := (m.Min.X + m.Max.X) / 2; middle >= box.Min.X && middle < box.Max.X {
			ink = ink.Union(m)
		}
	}
	if ink.Empty() {
		return box.Intersect(st.box)
	}
	return ink
}

// ground numbers the area of the line, for words: from 1, and 0 for an area
// that is hardly higher than the line, such as a selection or a button.
func (s *segmentation) ground(st strip) int32 {
	if st.area < 0 || s.boxes[st.area].Dy() <= 3*st.box.Dy() {
		return 0
	}
	return st.area + 1
}
