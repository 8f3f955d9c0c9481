package ocr

import (
	"slices"
	"strings"
	"unicode"

	"github.com/opendesk/opendesk/internal/fold"
)

// witnesses are the words that have to agree on a shape before it counts as
// known, majority how many times as many as say anything else.
const witnesses, majority = 2, 3

// credible is the confidence from which a word is a witness.
const credible = 60

// lookalikes are letters, digits and signs that the engine mistakes for each
// other.
var lookalikes = []string{
	"0oOQD", "1lIi|!jJ][t7", "5Ss", "8B3", "2Zz", "6Gbh", "9gq", "ceo", "ao", "un", "ft", ",.", ":;", "vy", "CG", "4A",
}

// mixable are those of which one is a letter and another a digit.
const mixable = "0oOQD1lIi5Ss8B2Zz6Gb9gq"

func alikeLabels(a, b string) bool {
	return slices.ContainsFunc(lookalikes, func(group string) bool {
		return strings.Contains(group, a) && strings.Contains(group, b)
	})
}

// hasDouble reports whether a label has a lookalike that matters.
func hasDouble(label string) bool {
	return strings.Contains(mixable, label) || strings.ContainsAny("347.,", label)
}

// witness is what the words that were read so far say about shapes.
type witness struct {
	*shapes
	// votes are, for each shape, the words that were read with it.
	votes []map[vote]bool
}

// vote is that a shape was read as the label in a word.
type vote struct{ label, word string }

func (s *shapes) witness() *witness {
	return &witness{shapes: s, votes: make([]map[vote]bool, len(s.samples))}
}

// learn takes the words of a reading for witnesses. Words of letters and digits
// are none: of those the engine is not sure itself.
func (s *witness) learn(words []Word) {
	for _, w := range words {
		labels, aligned := w.labels()
		if !aligned || w.mixed() || w.Confidence < credible {
			continue
		}
		for i, label := range labels {
			shape := w.shapes[i]
			label = s.point(label, shape)
			if s.votes[shape] == nil {
				s.votes[shape] = map[vote]bool{}
			}
			s.votes[shape][vote{label, fold.Text(w.Text)}] = true
		}
	}
}

// labels are the word's letters, and whether each has its own shape.
func (w Word) labels() (labels []string, aligned bool) {
	labels = strings.Split(w.Text, "")
	return labels, len(labels) == len(w.shapes)
}

// mixed reports whether a word has letters and digits.
func (w Word) mixed() bool {
	return strings.ContainsFunc(w.Text, unicode.IsLetter) && strings.ContainsFunc(w.Text, unicode.IsDigit)
}

// unknown are the shapes of words that are read as a double and that too few
// other words were read with.
func (s *witness) unknown(words []Word) map[int32]bool {
	out := map[int32]bool{}
	for _, w := range words {
		labels, aligned := w.labels()
		for i, shape := range w.shapes {
			if (!aligned || hasDouble(labels[i])) && len(s.count(shape, fold.Text(w.Text))) < witnesses {
				out[shape] = true
			}
		}
	}
	return out
}

// count gives how many words, other than that one, were read with each label
// for the shape.
func (s *witness) count(shape int32, but string) map[string]int {
	out := map[string]int{}
	for v := range s.votes[shape] {
		if v.word != but {
			out[v.label]++
		}
	}
	return out
}

// opinion is what the other words say about a label of a shape.
type opinion struct {
	known string // the label that the shape has; "" where that is not known
	like  int    // words that have this label, but for its case
	other int    // words that have another one
}

func (s *witness) ask(shape int32, label, but string) opinion {
	var o opinion
	want := fold.Text(label)
	counts := s.count(shape, but)
	best, total := 0, 0
	for l, n := range counts {
		if fold.Text(l) == want {
			o.like += n
		}
	}
	for l, n := range counts {
		if n < witnesses && o.like >= witnesses && fold.Text(l) != want && !alikeLabels(l, label) {
			continue // one word whose letters ran into each other
		}
		total += n
		if n > best || n == best && l < o.known {
			o.known, best = l, n
		}
		if fold.Text(l) != want {
			o.other += n
		}
	}
	same := 0 // words with the best label, but for its case
	for l, n := range counts {
		if fold.Text(l) == fold.Text(o.known) {
			same += n
		}
	}
	if same < witnesses || same < majority*(total-same) {
		o.known = ""
	}
	return o
}

// correctAll corrects each of the words. A confirmed word is sure.
func (s *witness) correctAll(words []Word) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		out[i] = s.correct(w)
		if out[i].confirmed {
			out[i].Confidence = max(w.Confidence, sure)
		}
	}
	return out
}

// correct reads a word once more, by its shapes. contested says that other
// words speak against what is left of the reading, and confirmed that they
// speak for every letter of it.
func (s *witness) correct(w Word) Word {
	if w.cut {
		w.contested = true
		return w
	}
	labels, aligned := w.labels()
	if !aligned {
		return s.spell(w)
	}
	but := fold.Text(w.Text)
	mixed := w.mixed()
	confirmed, contested := true, false
	changed, double := 0, true // labels that were changed, and whether all are doubles
	for i, label := range labels {
		shape := w.shapes[i]
		label = s.point(label, shape)
		contested = contested || s.belies(label, shape)
		o := s.ask(shape, label, but)
		switch {
		case o.like >= witnesses && o.like >= majority*o.other:
		case o.other == 0:
			confirmed = false
			unsure := hasDouble(label) && o.like == 0
			contested = contested || unsure && (mixed && strings.Contains(mixable, label) || s.looksOtherwise(label, shape))
		case barLike(label) && barLike(o.known) && !s.hasOwn(label, shape):
			confirmed = false
		case o.known != "" && fold.Text(o.known) != fold.Text(label):
			double = double && alikeLabels(label, o.known)
			label = o.known
			changed++
		default:
			confirmed, contested = false, true
		}
		labels[i] = label
	}
	if changed > 1 && 3*changed > len(labels) {
		// As a rule letters and shapes are one off; but not if they are doubles.
		w.contested = double
		return w
	}
	w.Text, w.confirmed, w.contested = strings.Join(labels, ""), confirmed, contested
	return w
}

// point tells a full stop from a comma, which has a tail.
func (s *witness) point(label string, shape int32) string {
	if label != "," && label != "." {
		return label
	}
	switch size := s.samples[shape].Size(); {
	case size.Y >= size.X+2, size.Y == size.X && size.Y > 2 && s.plain(shape) && !s.symmetric(shape):
		return ","
	case size.Y <= size.X:
		return "."
	}
	return label
}

// barLike letters are one and the same upright bar in many fonts.
func barLike(label string) bool { return label == "l" || label == "I" || label == "|" }

// hasOwn reports whether the label is known to have another shape of about
// that size.
func (s *witness) hasOwn(label string, shape int32) bool {
	return slices.ContainsFunc(s.shapesOf(label, shape), func(n int32) bool { return s.ask(n, label, "").known == label })
}

// looksOtherwise reports whether all that was read as the label, and is about as
// high, has one other shape, or shapes of a quite different width.
func (s *witness) looksOtherwise(label string, shape int32) bool {
	others := s.shapesOf(label, shape)
	if len(others) == 1 && s.ask(others[0], label, "").known == label {
		return true
	}
	width := s.samples[shape].Dx()
	return len(others) > 0 && !slices.ContainsFunc(others, func(n int32) bool { return abs(s.samples[n].Dx()-width) < 2 })
}

// shapesOf are the other shapes about as high that were read as the label.
func (s *witness) shapesOf(label string, shape int32) []int32 {
	height := s.samples[shape].Dy()
	var out []int32
	for n, votes := range s.votes {
		if int32(n) == shape || abs(s.samples[n].Dy()-height) > 1 {
			continue
		}
		for v := range votes {
			if v.label == label {
				out = append(out, int32(n))
				break
			}
		}
	}
	return out
}
