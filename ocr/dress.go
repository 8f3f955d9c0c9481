package ocr

import (
	"image"
	"math"
	"slices"
	"unicode/utf8"
)

const (
	// wideGap is the gap between two letters, in heights of the word, that no
	// font has within a word.
	wideGap = 0.75
	// maxRise is how many times as high as every other glyph of its line a
	// letter can be.
	maxRise = 1.25
)

// dress gives the words of a line their shapes, divides what the engine took
// for one word across a wide gap, and marks words that something cuts into.
func (s *shapes) dress(line int, words []Word) []Word {
	glyphs := s.assign(line, words)
	var out []Word
	between := math.MaxInt // the narrowest gap between two words
	for i := 1; i < len(words); i++ {
		if len(glyphs[i]) > 0 && len(glyphs[i-1]) > 0 {
			between = min(between, gapBefore(glyphs[i], glyphs[i-1]))
		}
	}
	for i, w := range words {
		if len(glyphs[i]) == 0 {
			out = append(out, w)
			continue
		}
		letters := []rune(w.Text)
		at := 0
		if utf8.RuneCountInString(w.Text) == len(glyphs[i]) {
			height := boxOf(glyphs[i]).Dy()
			for k := 1; k < len(letters); k++ {
				gap := gapBefore(glyphs[i][k:], glyphs[i][:k])
				if float64(gap) > wideGap*float64(height) || between < math.MaxInt && 4*gap > 5*between {
					out = append(out, s.wear(line, w, letters[at:k], glyphs[i][at:k]))
					at = k
				}
			}
		}
		out = append(out, s.wear(line, w, letters[at:], glyphs[i][at:]))
	}
	return out
}

// gapBefore is the gap between glyphs and those before them.
func gapBefore(glyphs, before []glyph) int {
	return glyphs[0].box.Min.X - before[len(before)-1].box.Max.X
}

// wear gives the word, or a part of it, its letters and shapes.
func (s *shapes) wear(line int, w Word, letters []rune, glyphs []glyph) Word {
	w.Text = string(letters)
	w.shapes = nil
	for _, g := range glyphs {
		w.shapes = append(w.shapes, g.shape)
	}
	box := boxOf(glyphs)
	w.Box = box.Add(s.origin)
	w.cut = s.touched(line, box) || s.picture(line, glyphs)
	return w
}

func boxOf(glyphs []glyph) image.Rectangle {
	var box image.Rectangle
	for _, g := range glyphs {
		box = box.Union(g.box)
	}
	return box
}

// touched reports whether a mark that is not of the line stands right before or
// behind the box, or goes on above or below it on another ground.
func (s *shapes) touched(line int, box image.Rectangle) bool {
	st := s.page.strips[line]
	w := s.page.ink.Rect.Dx()
	other := func(x, y int) (mark, bool) {
		if !image.Pt(x, y).In(s.page.ink.Rect) {
			return mark{}, false
		}
		n := s.page.markOf[y*w+x]
		if n < 0 || slices.Contains(st.marks, n) {
			return mark{}, false
		}
		return s.page.marks[n], true
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for _, x := range [2]int{box.Min.X - 1, box.Max.X} {
			if _, ok := other(x, y); ok {
				return true
			}
		}
	}
	for x := box.Min.X; x < box.Max.X; x++ {
		for _, y := range [2]int{box.Min.Y - 1, box.Max.Y} {
			if m, ok := other(x, y); ok && m.area != st.area && m.box.Dx() <= 3*m.box.Dy() {
				return true
			}
		}
	}
	return false
}

// picture reports whether a word of one glyph is too high, beside the others of
// the line, for a letter.
func (s *shapes) picture(line int, glyphs []glyph) bool {
	if len(glyphs) != 1 {
		return false
	}
	high := 0
	for _, g := range s.lines[line] {
		if g != glyphs[0] {
			high = max(high, g.box.Dy())
		}
	}
	return high > 0 && float64(glyphs[0].box.Dy()) > maxRise*float64(high)
}
