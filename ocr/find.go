package ocr

import (
	"image"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/opendesk/opendesk/internal/fold"
)

// Match is where a phrase stands among words, or the text that is closest to
// it where it does not stand there.
type Match struct {
	Found bool `json:"found"`
	// Text is the words that hold the phrase, as read; where it was not found,
	// the words closest to it, or "" where nothing resembles it.
	Text string `json:"text,omitempty"`
	// Distance is the number of characters to insert, delete or replace to get
	// from the closest text to the phrase: 0 where it was found. It is the
	// phrase's length where nothing resembles it.
	Distance int `json:"distance"`
	// Confidence is the lowest of the words' confidences, 0 to 100.
	Confidence float64 `json:"confidence"`
	// Box encloses the words of Text.
	Box image.Rectangle `json:"box"`
}

// maxClosestWork bounds the search for the closest text, in cells of the edit
// distance's matrix (about 3 ns each). Beyond it no closest text is given.
const maxClosestWork = 40 << 20

// Find looks for the phrase in running text: words on one baseline, without
// the gap of a column between them, and on over the end of a line where a
// paragraph was wrapped.
//
// The comparison is the one of names in an accessibility tree: the folded
// phrase (see fold.Text) is contained in the folded text. So a phrase counts
// inside a longer word, and nothing else is forgiven: not one letter, not a
// letter for a digit that looks like it, not a word that was read as two.
// An empty phrase is never found.
func Find(words []Word, phrase string) Match {
	want := fold.Text(phrase)
	if want == "" {
		return Match{}
	}
	all := passagesOf(words)
	if m, _, ok := contains(all, want); ok {
		return m
	}
	return nearest(all, want)
}

// contains looks for the folded phrase itself; held are the words that it
// stands in.
func contains(all []passage, want string) (m Match, held []Word, ok bool) {
	for _, p := range all {
		if at := strings.Index(p.folded, want); at >= 0 {
			m, held = p.match(at, at+len(want))
			m.Found = true
			return m, held, true
		}
	}
	return Match{}, nil, false
}

// nearest looks for the text that is closest to the folded phrase.
func nearest(all []passage, want string) Match {
	pattern := []rune(want)
	best := Match{Distance: len(pattern)}
	work := 0
	for _, p := range all {
		work += len(p.folded) * len(pattern)
		if work > maxClosestWork {
			break
		}
		d, from, to := closest(p.folded, pattern)
		if d > best.Distance || to <= from {
			continue
		}
		// Of two that are as close, the likelier reading.
		if m, _ := p.match(from, to); d < best.Distance || m.Confidence > best.Confidence {
			best, best.Distance = m, d
		}
	}
	if 2*best.Distance > len(pattern) {
		return Match{Distance: len(pattern)}
	}
	return best
}

// passage is one running text, folded, with the way back to its words.
type passage struct {
	words  []Word
	folded string
	// starts are the offsets in folded at which the words begin.
	starts []int
}

// passagesOf puts words into running texts.
func passagesOf(words []Word) []passage {
	var out []passage
	for _, ls := range passages(lines(words)) {
		out = append(out, newPassage(ls))
	}
	return out
}

func newPassage(ls []line) passage {
	var p passage
	var b strings.Builder
	for _, l := range ls {
		for _, w := range l.words {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			p.starts = append(p.starts, b.Len())
			p.words = append(p.words, w)
			b.WriteString(fold.Text(w.Text))
		}
	}
	p.folded = b.String()
	return p
}

// match describes the words that hold folded[from:to].
func (p passage) match(from, to int) (Match, []Word) {
	first := sort.SearchInts(p.starts, from+1) - 1
	last := sort.SearchInts(p.starts, to) - 1
	words := p.words[first : last+1]
	m := Match{Confidence: words[0].Confidence}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = fold.Space(w.Text)
		m.Box = m.Box.Union(w.Box)
		m.Confidence = min(m.Confidence, w.Confidence)
	}
	m.Text = strings.Join(texts, " ")
	return m, words
}

// closest finds the part of text with the smallest edit distance to the
// pattern, as byte offsets: Sellers' algorithm, one column of the matrix for
// each character of the text.
func closest(text string, pattern []rune) (distance, from, to int) {
	n := len(pattern)
	// cost[i] is the distance of pattern[:i] to the best part of text that
	// ends here, begin[i] the offset where that part begins.
	cost, begin := make([]int, n+1), make([]int, n+1)
	for i := range cost {
		cost[i] = i
	}
	distance = n
	for at, r := range text {
		end := at + utf8.RuneLen(r)
		diagonal, diagonalBegin := 0, at
		begin[0] = end
		for i := 1; i <= n; i++ {
			up, upBegin := cost[i], begin[i]
			c, s := diagonal, diagonalBegin
			if pattern[i-1] != r {
				c++
			}
			if up+1 < c {
				c, s = up+1, upBegin
			}
			if cost[i-1]+1 < c {
				c, s = cost[i-1]+1, begin[i-1]
			}
			cost[i], begin[i] = c, s
			diagonal, diagonalBegin = up, upBegin
		}
		if cost[n] < distance {
			distance, from, to = cost[n], begin[n], end
		}
	}
	return distance, from, to
}
