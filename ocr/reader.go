package ocr

import (
	"context"
	"image"
	"slices"
	"sort"
	"time"
	"unicode/utf8"

	"github.com/opendesk/opendesk/internal/fold"
)

const (
	// sure is the confidence from which one reading is believed.
	sure = 85
	// plausible is the confidence that each of two readings needs to be
	// believed together. Misread words are hardly ever that likely in both.
	plausible = 60
)

// Reader finds phrases in pictures of the screen.
type Reader struct {
	Engine Engine
}

// Result is what a Reader found.
type Result struct {
	Match
	// Doubtful says that the phrase was read, but with so little confidence
	// that it does not count as found. Distance is then 0.
	Doubtful bool `json:"doubtful,omitempty"`
	// Words are all words that were read. Where the phrase was found, reading
	// ended there.
	Words []Word `json:"-"`
	// Text is those words as a page, one line of text for each line.
	Text string `json:"-"`
	// Variant names the reading that decided: "soft" is the first reading of
	// every line, "sharp" the second of a few.
	Variant string `json:"variant"`
	// Took is how long it took.
	Took time.Duration `json:"-"`
}

// Find looks for the phrase in the picture; see the function Find for what
// counts. Boxes are in the picture's own coordinates, so that in a capture of
// a part of the screen they are screen positions.
//
// Whatever its colours, the picture is drawn as dark text on white and cut
// into lines, and the engine reads line by line until the phrase is found. A
// line where it was read with doubt, or nearly, is read again, drawn in
// another way; two readings that agree are believed. A phrase that the engine
// itself takes for unlikely is not found.
func (r Reader) Find(ctx context.Context, img image.Image, phrase string) (Result, error) {
	start := time.Now()
	p := &pageReader{ctx: ctx, engine: r.Engine, page: segment(flatten(img)), origin: img.Bounds().Min}
	res, err := p.find(phrase)
	res.Took = time.Since(start)
	if err != nil {
		return res, err
	}
	res.Words = p.words()
	res.Text = Text(res.Words)
	return res, nil
}

// pageReader is one look for one phrase.
type pageReader struct {
	ctx    context.Context
	engine Engine
	page   *segmentation
	origin image.Point
	// lines are the words of each line that was read so far.
	lines [][]Word
	// doubtful lines hold the phrase, but not surely; doubt is the first such
	// place. They are not looked at again.
	doubtful map[int]bool
	doubt    *Match
}

func (p *pageReader) find(phrase string) (Result, error) {
	want := utf8.RuneCountInString(fold.Text(phrase))
	if want == 0 {
		return Result{}, nil
	}
	p.doubtful = map[int]bool{}
	for n := range p.page.strips {
		words, err := p.read(n, soft)
		if err != nil {
			return Result{}, err
		}
		p.lines = append(p.lines, words)
		m := Find(p.recent(), phrase)
		if m.Found && m.Confidence >= sure {
			return Result{Match: m, Variant: soft.name}, nil
		}
		if !m.Found {
			continue
		}
		if again, ok, err := p.again(m, phrase); err != nil || ok {
			return Result{Match: again, Variant: sharp.name}, err
		}
	}
	best := Find(p.searchable(p.lines), phrase)
	if !best.Found && 4*best.Distance <= want {
		if again, ok, err := p.again(best, phrase); err != nil || ok {
			return Result{Match: again, Variant: sharp.name}, err
		}
	}
	if p.doubt != nil {
		res := Result{Match: *p.doubt, Variant: sharp.name, Doubtful: true}
		res.Found = false
		return res, nil
	}
	return Result{Match: best, Variant: soft.name}, nil
}

// again reads the lines of a match or near match in the other way. ok says that
// the phrase stands there: both readings have it and are plausible, or the new
// one has it and is sure. Of each line the reading of higher confidence is
// kept.
func (p *pageReader) again(first Match, phrase string) (m Match, ok bool, err error) {
	second := slices.Clone(p.lines)
	var changed []int
	for n, words := range p.lines {
		if p.doubtful[n] || !touches(words, first.Box) {
			continue
		}
		if second[n], err = p.read(n, sharp); err != nil {
			return Match{}, false, err
		}
		changed = append(changed, n)
	}
	m = Find(p.searchable(second), phrase)
	if m.Found {
		both := first.Found && first.Confidence >= plausible && m.Confidence >= plausible
		ok = both || m.Confidence >= sure
	}
	if !ok && (first.Found || m.Found) {
		if p.doubt == nil {
			p.doubt = &m
			if first.Found {
				p.doubt = &first
			}
		}
		for _, n := range changed {
			p.doubtful[n] = true
		}
	}
	for _, n := range changed {
		if ok || confidence(second[n]) > confidence(p.lines[n]) {
			p.lines[n] = second[n]
		}
	}
	return m, ok, nil
}

// searchable are the words of all lines that are not in doubt.
func (p *pageReader) searchable(lines [][]Word) []Word {
	var out []Word
	for n, l := range lines {
		if !p.doubtful[n] {
			out = append(out, l...)
		}
	}
	return out
}

// recent are the words that a phrase which ends in the last line that was read
// can stand in.
func (p *pageReader) recent() []Word {
	last := len(p.lines) - 1
	top := p.page.strips[last].box.Min.Y - 10*maxLetterHeight
	first := sort.Search(last, func(n int) bool { return p.page.strips[n].box.Min.Y >= top })
	var out []Word
	for n := first; n <= last; n++ {
		if !p.doubtful[n] {
			out = append(out, p.lines[n]...)
		}
	}
	return out
}

// words are all words that were read.
func (p *pageReader) words() []Word { return slices.Concat(p.lines...) }

// read reads a line, drawn in that way.
func (p *pageReader) read(n int, d drawing) ([]Word, error) {
	line, at := p.page.cut(p.page.strips[n])
	drawn, scale := d.draw(line)
	words, err := p.engine.Words(p.ctx, drawn)
	if err != nil {
		return nil, err
	}
	out := make([]Word, len(words))
	for i, w := range words {
		box := image.Rect(w.Box.Min.X/scale, w.Box.Min.Y/scale, (w.Box.Max.X+scale-1)/scale, (w.Box.Max.Y+scale-1)/scale)
		w.Box = p.page.inkIn(p.page.strips[n], box.Add(at)).Add(p.origin)
		w.ground = p.page.ground(p.page.strips[n])
		out[i] = w
	}
	return out, nil
}

// touches reports whether one of the words lies in the box in part.
func touches(words []Word, box image.Rectangle) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return w.Box.Overlaps(box) })
}

// confidence of a reading is the mean of its words', 0 for none.
func confidence(words []Word) float64 {
	sum := 0.0
	for _, w := range words {
		sum += w.Confidence
	}
	return sum / float64(max(len(words), 1))
}
