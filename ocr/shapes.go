package ocr

import (
	"cmp"
	"image"
	"math"
	"slices"
	"unicode/utf8"
)

// The engine knows what words look like, and reads "c1oud" as "cloud" with a
// confidence of 97: it is no judge of a digit among letters. But on a screen a
// letter of one font looks the same wherever it stands. So each reading is
// held against the others: what is 1 in ten words and l in one is 1 in all.

// sameInk is how far the darkness of two pixels of one shape may differ.
const sameInk = 48

// glyph is what stands side by side with its neighbours in a line: mostly one
// letter or sign, sometimes several that touch, or a part of one.
type glyph struct {
	box   image.Rectangle
	shape int32
}

// shapes tells the glyphs of a page by their looks.
type shapes struct {
	page *segmentation
	// origin is the picture's corner, from which words' boxes are told.
	origin image.Point
	// lines are the glyphs of each line, from left to right.
	lines [][]glyph
	// samples are a glyph of each shape.
	samples []image.Rectangle
	// places are where the samples stand.
	places []place
	// likely are the numbers of shapes by size and place.
	likely map[[3]int][]int32
}

// place is the row of a glyph's baseline, and by how many pixels the glyph ends
// above it.
type place struct{ base, rise int }

func newShapes(page *segmentation, origin image.Point) *shapes {
	s := &shapes{page: page, origin: origin, likely: map[[3]int][]int32{}}
	for _, st := range page.strips {
		s.lines = append(s.lines, s.glyphs(st))
	}
	return s
}

// glyphs cuts a line where no mark of it stands.
func (s *shapes) glyphs(st strip) []glyph {
	var out []glyph
	marks := slices.Clone(st.marks)
	slices.SortFunc(marks, func(a, b int32) int {
		return cmp.Compare(s.page.marks[a].box.Min.X, s.page.marks[b].box.Min.X)
	})
	for _, n := range marks {
		box := s.page.marks[n].box
		if last := len(out) - 1; last >= 0 && box.Min.X < out[last].box.Max.X {
			out[last].box = out[last].box.Union(box)
			continue
		}
		out = append(out, glyph{box: box})
	}
	base := baseline(out)
	for i := range out {
		out[i].shape = s.shapeOf(out[i].box, base)
	}
	return out
}

// baseline is where most glyphs of a line end.
func baseline(glyphs []glyph) int {
	ends := map[int]int{}
	best := 0
	for _, g := range glyphs {
		ends[g.box.Max.Y]++
		if n := ends[g.box.Max.Y]; n > ends[best] || n == ends[best] && g.box.Max.Y < best {
			best = g.box.Max.Y
		}
	}
	return best
}

// shapeOf numbers the looks of what stands in the box.
func (s *shapes) shapeOf(box image.Rectangle, base int) int32 {
	key := [3]int{box.Dx(), box.Dy(), box.Max.Y - base}
	for _, n := range s.likely[key] {
		if s.alike(s.samples[n], box) {
			return n
		}
	}
	n := int32(len(s.samples))
	s.samples = append(s.samples, box)
	s.places = append(s.places, place{base, base - box.Max.Y})
	s.likely[key] = append(s.likely[key], n)
	return n
}

// alike compares the ink in two boxes of one size.
func (s *shapes) alike(a, b image.Rectangle) bool {
	ink := s.page.ink
	for y := range a.Dy() {
		p := ink.Pix[(a.Min.Y+y)*ink.Stride+a.Min.X:][:a.Dx()]
		q := ink.Pix[(b.Min.Y+y)*ink.Stride+b.Min.X:][:b.Dx()]
		for x := range p {
			if apart(p[x], q[x]) > sameInk {
				return false
			}
		}
	}
	return true
}

// plain reports whether a shape is without half-tones, as in bitmap fonts.
func (s *shapes) plain(shape int32) bool {
	box, ink := s.samples[shape], s.page.ink
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if v := ink.GrayAt(x, y).Y; v > sameInk && v < 255-sameInk {
				return false
			}
		}
	}
	return true
}

// symmetric reports whether a shape is about the same upside down.
func (s *shapes) symmetric(shape int32) bool {
	box, ink := s.samples[shape], s.page.ink
	for y := range box.Dy() / 2 {
		for x := box.Min.X; x < box.Max.X; x++ {
			if apart(ink.GrayAt(x, box.Min.Y+y).Y, ink.GrayAt(x, box.Max.Y-1-y).Y) > 2*sameInk {
				return false
			}
		}
	}
	return true
}

// blank reports whether nothing stands above and below here in the part.
func (s *shapes) blank(part, here image.Rectangle) bool {
	for x := here.Min.X; x < here.Max.X; x++ {
		for y := part.Min.Y; y < part.Max.Y; y++ {
			if (y < here.Min.Y || y >= here.Max.Y) && inked(s.page.ink.GrayAt(x, y).Y) {
				return false
			}
		}
	}
	return true
}

// blankColumn reports whether nothing stands in the column of the box.
func (s *shapes) blankColumn(box image.Rectangle, x int) bool {
	return s.blank(box, image.Rect(x, box.Min.Y, x+1, box.Min.Y))
}

// assign gives each word of a line its glyphs. Where the line has as many
// glyphs as letters were read, and the gaps are where words end, they follow
// each other; elsewhere words end at the widest gaps. The engine's own boxes are
// too rough, and the last resort.
func (s *shapes) assign(line int, words []Word) [][]glyph {
	glyphs := s.lines[line]
	letters := 0
	var ends []int
	for _, w := range words {
		letters += utf8.RuneCountInString(w.Text)
		ends = append(ends, letters)
	}
	if letters != len(glyphs) || !gapsAt(glyphs, ends) {
		if ends = wordEnds(glyphs, len(words)); len(ends) != len(words) {
			return byBoxes(glyphs, words, s.origin)
		}
	}
	out := make([][]glyph, len(words))
	at := 0
	for i, end := range ends {
		out[i] = glyphs[at:end]
		at = end
	}
	return out
}

// gapsAt reports whether the gaps where words end are about as wide as any
// within them.
func gapsAt(glyphs []glyph, ends []int) bool {
	inner, outer := 0, math.MaxInt
	for i := 1; i < len(glyphs); i++ {
		gap := glyphs[i].box.Min.X - glyphs[i-1].box.Max.X
		if slices.Contains(ends, i) {
			outer = min(outer, gap)
		} else {
			inner = max(inner, gap)
		}
	}
	return outer >= inner*4/5
}

// byBoxes gives each word the glyphs in its box if they are as many as its
// letters.
func byBoxes(glyphs []glyph, words []Word, origin image.Point) [][]glyph {
	out := make([][]glyph, len(words))
	for i, w := range words {
		for _, g := range glyphs {
			if middle := (g.box.Min.X+g.box.Max.X)/2 + origin.X; middle >= w.Box.Min.X && middle < w.Box.Max.X {
				out[i] = append(out[i], g)
			}
		}
		if len(out[i]) != utf8.RuneCountInString(w.Text) {
			out[i] = nil
		}
	}
	return out
}

// wordEnds cuts a line into n words at the widest gaps between glyphs; nil
// where there is no telling which those are.
func wordEnds(glyphs []glyph, n int) []int {
	if n == 0 || len(glyphs) < n {
		return nil
	}
	gaps := make([]int, 0, len(glyphs))
	for i := 1; i < len(glyphs); i++ {
		gaps = append(gaps, glyphs[i].box.Min.X-glyphs[i-1].box.Max.X)
	}
	sorted := slices.Sorted(slices.Values(gaps))
	narrowest := math.MaxInt // of the gaps between words
	if n > 1 {
		narrowest = sorted[len(sorted)-n+1]
		if len(sorted) >= n && sorted[len(sorted)-n] == narrowest {
			return nil
		}
	}
	var ends []int
	for i, gap := range gaps {
		if gap >= narrowest {
			ends = append(ends, i+1)
		}
	}
	return append(ends, len(glyphs))
}
