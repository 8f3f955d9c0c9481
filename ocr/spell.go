package ocr

import (
	"image"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/internal/fold"
)

// minSplit is the width in pixels of the narrowest shape that is taken apart.
const minSplit = 8

// spell reads a word by its shapes alone, where they are not as many as the
// letters that the engine read. Where one of them is not known the reading
// stays, contested if it is not what the known ones allow, or if it has
// letters and digits.
func (s *witness) spell(w Word) Word {
	if len(w.shapes) == 0 {
		w.contested = w.mixed()
		return w // it is not known which they are
	}
	but := fold.Text(w.Text)
	var spelled []string
	for _, shape := range w.shapes {
		label := s.ask(shape, "", but).known
		if label == "" {
			label = strings.Join(s.split(shape, but), "")
		}
		spelled = append(spelled, label)
	}
	switch {
	case !slices.Contains(spelled, ""):
		w.Text, w.confirmed = strings.Join(spelled, ""), true
	default:
		w.contested = w.mixed() || !fits(spelled, []rune(but))
	}
	return w
}

// split takes a shape for several known ones that touch, and gives their
// labels from left to right; none where it is not made of such.
func (s *witness) split(shape int32, but string) []string {
	whole := s.samples[shape]
	if whole.Dx() < minSplit {
		return nil
	}
	at := whole.Min.X
	var labels []string
	for at < whole.Max.X {
		label, end := s.startsWith(shape, at, but)
		if label == "" {
			return nil
		}
		labels = append(labels, label)
		at = end
	}
	return labels
}

// startsWith finds the widest known shape that the part of a shape from the
// column on begins with, and the column where the next one begins.
func (s *witness) startsWith(shape int32, column int, but string) (label string, end int) {
	whole := s.samples[shape]
	part := image.Rect(column, whole.Min.Y, whole.Max.X, whole.Max.Y)
	base := s.places[shape].base
	for n, sample := range s.samples {
		if len(s.votes[n]) == 0 || sample.Dx() >= whole.Dx() || sample.Dx() > part.Dx() || column+sample.Dx() <= end {
			continue
		}
		rise := s.places[n].rise // of the sample's lower end over its baseline
		here := image.Rect(0, 0, sample.Dx(), sample.Dy()).Add(image.Pt(column, base-rise-sample.Dy()))
		if !here.In(part) || !s.alike(sample, here) || !s.blank(part, here) {
			continue
		}
		if known := s.ask(int32(n), "", but).known; known != "" {
			label, end = known, here.Max.X
		}
	}
	for end > 0 && end < whole.Max.X && s.blankColumn(whole, end) {
		end++
	}
	return label, end
}

// fits reports whether the text can be what is spelled, in which "" stands for
// anything.
func fits(spelled []string, text []rune) bool {
	// open[i] says that text[:i] fits what came so far.
	open := make([]bool, len(text)+1)
	open[0] = true
	for _, label := range spelled {
		next := make([]bool, len(text)+1)
		want := []rune(fold.Text(label))
		for i := range open {
			if len(want) == 0 {
				next[i] = open[i] || i > 0 && next[i-1]
			} else if end := i + len(want); open[i] && end <= len(text) && slices.Equal(text[i:end], want) {
				next[end] = true
			}
		}
		open = next
	}
	return open[len(text)]
}
