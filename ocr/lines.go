package ocr

import (
	"cmp"
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/opendesk/opendesk/internal/fold"
)

// The measures by which words become lines and lines become running text. All
// are in heights of the line, so that they hold for every size of text.
const (
	// columnGap is the widest gap between two words of one text. What is
	// further apart stands in different columns.
	columnGap = 3.0
	// maxPitch is the largest distance of two lines of one paragraph. Rows of
	// menus and lists are further apart.
	maxPitch = 1.75
	// alignSlack is how far the edges or middles of a paragraph's lines may
	// differ.
	alignSlack = 0.6
	// fullLine is the part of a paragraph's width that a line which was
	// wrapped has at least.
	fullLine = 0.6
	// sameSize is the largest ratio of heights of two words on one line.
	sameSize = 2.5
)

// line is a run of words side by side, from left to right, on one ground and
// without a gap as wide as between columns.
type line struct {
	words []Word
	box   image.Rectangle
}

// row collects words that stand on one baseline, whatever the gaps.
type row struct {
	words       []Word
	top, bottom int // sums over the lettered words; divide by n
	n           int
}

func (r *row) band() (top, bottom int) { return r.top / r.n, r.bottom / r.n }

// lines puts words into lines, in reading order. Words that show nothing are
// left out.
func lines(words []Word) []line {
	var out []line
	for _, r := range rows(words) {
		out = append(out, splitColumns(r.words)...)
	}
	slices.SortStableFunc(out, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.box.Min.Y, b.box.Min.Y), cmp.Compare(a.box.Min.X, b.box.Min.X))
	})
	return out
}

// rows groups words by baseline. Words with letters or digits make the rows;
// signs, whose boxes are small, join the row that they lie in.
func rows(words []Word) []*row {
	var lettered, signs []Word
	for _, w := range words {
		switch {
		case fold.Text(w.Text) == "":
		case strings.ContainsFunc(w.Text, isLettered):
			lettered = append(lettered, w)
		default:
			signs = append(signs, w)
		}
	}
	byMiddle := func(a, b Word) int {
		return cmp.Or(cmp.Compare(a.Box.Min.Y+a.Box.Max.Y, b.Box.Min.Y+b.Box.Max.Y), cmp.Compare(a.Box.Min.X, b.Box.Min.X))
	}
	slices.SortStableFunc(lettered, byMiddle)
	slices.SortStableFunc(signs, byMiddle)

	var out []*row
	for _, w := range lettered {
		r := bestRow(out, w, sameSize)
		if r == nil {
			r = &row{}
			out = append(out, r)
		}
		r.words = append(r.words, w)
		r.top += w.Box.Min.Y
		r.bottom += w.Box.Max.Y
		r.n++
	}
	made := len(out)
	for _, w := range signs {
		r := bestRow(out[:made], w, 1e9)
		if r == nil {
			r = &row{top: w.Box.Min.Y, bottom: w.Box.Max.Y, n: 1}
			out = append(out, r)
		}
		r.words = append(r.words, w)
	}
	for _, r := range out {
		slices.SortStableFunc(r.words, func(a, b Word) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
	}
	return out
}

func isLettered(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// bestRow is the row that shares most of the word's height: at least half of
// the smaller of the two. smallest bounds how much smaller the word may be.
func bestRow(rows []*row, w Word, smallest float64) *row {
	var best *row
	bestShare := 0
	height := w.Box.Dy()
	for _, r := range rows {
		top, bottom := r.band()
		share := min(bottom, w.Box.Max.Y) - max(top, w.Box.Min.Y)
		if share <= bestShare || 2*share < min(height, bottom-top) {
			continue
		}
		if float64(height) > sameSize*float64(bottom-top) || float64(bottom-top) > smallest*float64(height) {
			continue
		}
		best, bestShare = r, share
	}
	return best
}

// splitColumns cuts a row at gaps that are wider than words of one text have,
// and between grounds.
func splitColumns(words []Word) []line {
	height := 0
	for _, w := range words {
		height = max(height, w.Box.Dy())
	}
	var out []line
	for i, w := range words {
		gap := 0
		if i > 0 {
			gap = w.Box.Min.X - out[len(out)-1].box.Max.X
		}
		if i == 0 || float64(gap) > columnGap*float64(height) || w.apart(words[i-1]) {
			out = append(out, line{box: w.Box})
		}
		l := &out[len(out)-1]
		l.words = append(l.words, w)
		l.box = l.box.Union(w.Box)
	}
	return out
}

// passages joins lines into passages of running text: a line is followed by
// the line below it where a paragraph was wrapped there, and only there. Two
// items of a menu or a list are two passages.
func passages(ls []line) [][]line {
	next := followers(ls)
	isNext := make([]bool, len(ls))
	for _, n := range next {
		if n >= 0 {
			isNext[n] = true
		}
	}
	var out [][]line
	for i := range ls {
		if isNext[i] {
			continue
		}
		var block []line
		width := 0
		for j := i; j >= 0; j = next[j] {
			block = append(block, ls[j])
			width = max(width, ls[j].box.Dx())
		}
		start := 0
		for k := range block {
			if k+1 == len(block) || !wrapped(block[k], block[k+1], width) {
				out = append(out, block[start:k+1])
				start = k + 1
			}
		}
	}
	return out
}

// followers finds, for each line, the line that continues its paragraph by
// place and size alone; -1 for none. No line follows two.
func followers(ls []line) []int {
	next := make([]int, len(ls))
	taken := make([]bool, len(ls))
	for i := range ls {
		next[i] = -1
		for j := i + 1; j < len(ls); j++ {
			if !taken[j] && below(ls[i].box, ls[j].box) && !ls[i].words[0].apart(ls[j].words[0]) {
				next[i], taken[j] = j, true
				break
			}
			if float64(ls[j].box.Min.Y-ls[i].box.Min.Y) > 2*maxPitch*float64(ls[i].box.Dy()) {
				break
			}
		}
	}
	return next
}

// below reports whether b is the next line of the paragraph that a stands in.
func below(a, b image.Rectangle) bool {
	height := float64(max(a.Dy(), b.Dy()))
	pitch := float64(b.Min.Y+b.Max.Y-a.Min.Y-a.Max.Y) / 2
	if pitch < height/2 || pitch > maxPitch*height || height > 2*float64(min(a.Dy(), b.Dy())) {
		return false
	}
	left := float64(abs(a.Min.X - b.Min.X))
	middle := float64(abs(a.Min.X+a.Max.X-b.Min.X-b.Max.X)) / 2
	return min(left, middle) <= alignSlack*height
}

// wrapped reports whether the paragraph, as wide as its widest line, was
// broken between a and b for want of room: b's first word did not fit.
func wrapped(a, b line, width int) bool {
	if len(a.words) < 2 || float64(a.box.Dx()) < fullLine*float64(width) {
		return false
	}
	space := a.box.Dy() / 4
	return a.box.Dx()+space+b.words[0].Box.Dx() > width
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Text is the words as a page: one line of text for each line, in reading
// order.
func Text(words []Word) string {
	var b strings.Builder
	for _, l := range lines(words) {
		for i, w := range l.words {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(fold.Space(w.Text))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
