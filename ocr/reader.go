package ocr

import (
	"context"
	"image"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/opendesk/opendesk/internal/fold"
)

const (
	// sure is the confidence from which one reading is believed.
	sure = 85
	// plausible is the confidence that each of two readings needs to be
	// believed together. Misread words are hardly ever that likely in both.
	plausible = 75
)

// believable reports whether two readings of the text are, by their
// confidences. What has one letter or two can be a picture, and brackets and
// bars are read where a letter was and the other way round.
func believable(text string, a, b float64) bool {
	low, high := min(a, b), max(a, b)
	if utf8.RuneCountInString(text) <= 2 || strings.ContainsAny(text, "[]{}|\\") {
		return low >= sure
	}
	return low >= plausible || high >= sure && low >= credible
}

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
	res, err := r.Page(img).Find(ctx, phrase)
	res.Took = time.Since(start)
	return res, err
}

// Page is a picture in which several phrases are looked for. What was read for
// one is not read again for the next. It is not safe for concurrent use.
type Page struct {
	engine Engine
	page   *segmentation
	origin image.Point
	// readings are the words of lines as they were read already.
	readings map[reading][]Word
	looks    *shapes // nil as long as nobody asked
}

// reading is one way of reading one line.
type reading struct {
	line    int
	drawing string
}

// Page cuts the picture into lines and reads none of them yet.
func (r Reader) Page(img image.Image) *Page {
	return &Page{
		engine: r.Engine, page: segment(flatten(img)), origin: img.Bounds().Min, readings: map[reading][]Word{},
	}
}

// shapes are the page's glyphs by their looks.
func (pg *Page) shapes() *shapes {
	if pg.looks == nil {
		pg.looks = newShapes(pg.page, pg.origin)
	}
	return pg.looks
}

// Find does for the page what Reader.Find does for a picture.
func (pg *Page) Find(ctx context.Context, phrase string) (Result, error) {
	start := time.Now()
	p := &pageReader{Page: pg, ctx: ctx, witness: pg.shapes().witness(), asked: map[int]bool{}, doubtful: map[int]bool{}}
	p.ahead = pg.ahead(ctx)
	res, err := p.find(phrase)
	p.ahead.end()
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
	*Page
	ctx   context.Context
	want  string // the folded phrase
	ahead *ahead
	// lines are the words of each line that was read so far.
	lines [][]Word
	// witness are those words, and those of lines that were asked.
	witness *witness
	asked   map[int]bool // lines that have been learnt from
	// doubtful lines hold the phrase, but not surely; doubt is the first such
	// place. They are not looked at again.
	doubtful map[int]bool
	doubt    *Match
}

func (p *pageReader) find(phrase string) (Result, error) {
	p.want = fold.Text(phrase)
	if p.want == "" {
		return Result{}, nil
	}
	tokens := strings.Fields(p.want)
	for n := range p.page.strips {
		p.ahead.from(n)
		words, err := p.learn(n)
		if err != nil {
			return Result{}, err
		}
		p.lines = append(p.lines, words)
		if !shareWord(words, tokens) {
			continue // the phrase is not completed by these
		}
		if m, _, ok := contains(passagesOf(p.recent()), p.want); ok {
			if res, err := p.believe(m); err != nil || res.Found {
				return res, err
			}
		}
	}
	for n, words := range p.lines {
		p.lines[n] = p.witness.correctAll(words)
	}
	all := passagesOf(p.searchable(p.lines))
	best, _, ok := contains(all, p.want)
	if !ok {
		best = nearest(all, p.want)
	}
	if ok || 4*best.Distance <= utf8.RuneCountInString(p.want) {
		if res, err := p.believe(best); err != nil || res.Found {
			return res, err
		}
	}
	if p.doubt != nil {
		res := Result{Match: *p.doubt, Variant: sharp.name, Doubtful: true}
		res.Found = false
		return res, nil
	}
	return Result{Match: best, Variant: soft.name}, nil
}

// shareWord reports whether one of the phrase's words stands in the line's, as
// at least one does of a line in which a part of the phrase stands.
func shareWord(words []Word, tokens []string) bool {
	for _, w := range words {
		text := fold.Text(w.Text)
		for _, t := range tokens {
			if strings.Contains(text, t) {
				return true
			}
		}
	}
	return false
}

// learn reads a line for its words and as a witness.
func (p *pageReader) learn(n int) ([]Word, error) {
	words, err := p.read(n, soft)
	if err == nil && !p.asked[n] {
		p.asked[n] = true
		p.witness.learn(words)
	}
	return words, err
}

// believe decides whether the phrase stands where it was read, or nearly read.
// The words there are held against others with letters of the same shapes.
// Then they are believed if the reading is sure; if not, they are read in the
// other way, and two plausible readings are believed.
func (p *pageReader) believe(first Match) (Result, error) {
	if err := p.ask(first); err != nil {
		return Result{}, err
	}
	m, sound, confirmed := p.check(p.lines, first)
	if sound && confirmed {
		return Result{Match: m, Variant: "shapes"}, nil
	}
	second := slices.Clone(p.lines)
	var changed []int
	var err error
	for n, words := range p.lines {
		if p.doubtful[n] || !touches(words, first.Box) {
			continue
		}
		if second[n], err = p.read(n, sharp); err != nil {
			return Result{}, err
		}
		changed = append(changed, n)
	}
	again, soundAgain, confirmed := p.check(second, first)
	if soundAgain && (confirmed || sound && believable(m.Text, m.Confidence, again.Confidence)) {
		for _, n := range changed {
			p.lines[n] = p.witness.correctAll(second[n])
		}
		return Result{Match: again, Variant: sharp.name}, nil
	}
	if m.Found || again.Found {
		if p.doubt == nil {
			p.doubt = &again
			if m.Found {
				p.doubt = &m
			}
		}
		for _, n := range changed {
			p.doubtful[n] = true
		}
	}
	for _, n := range changed {
		if confidence(second[n]) > confidence(p.lines[n]) {
			p.lines[n] = second[n]
		}
	}
	return Result{}, nil
}

// check looks for the phrase in what the lines at first's place say when other
// words are heard. sound says that none speaks against it.
func (p *pageReader) check(lines [][]Word, first Match) (m Match, sound, confirmed bool) {
	var words []Word
	for n, l := range lines {
		if !p.doubtful[n] && touches(p.lines[n], first.Box) {
			words = append(words, p.witness.correctAll(l)...)
		}
	}
	m, held, ok := contains(passagesOf(words), p.want)
	sound = ok && !slices.ContainsFunc(held, func(w Word) bool { return w.contested })
	return m, sound, sound && !slices.ContainsFunc(held, func(w Word) bool { return !w.confirmed })
}

// maxAsked bounds the lines that are read as witnesses only.
const maxAsked = 4

// ask reads lines that hold the shapes of the match's words, where too few
// words with them were read.
func (p *pageReader) ask(m Match) error {
	for range maxAsked {
		var held []Word
		for n, l := range p.lines {
			if touches(l, m.Box) {
				held = append(held, p.lines[n]...)
			}
		}
		held = slices.DeleteFunc(held, func(w Word) bool { return !w.Box.Overlaps(m.Box) })
		unknown := p.witness.unknown(held)
		best, most := -1, 0
		for n, glyphs := range p.shapes().lines {
			if p.asked[n] {
				continue
			}
			found := map[int32]bool{}
			for _, g := range glyphs {
				if unknown[g.shape] {
					found[g.shape] = true
				}
			}
			if len(found) > most {
				best, most = n, len(found)
			}
		}
		if best < 0 {
			return nil
		}
		if _, err := p.learn(best); err != nil {
			return err
		}
	}
	return nil
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

// read reads a line, drawn in that way, unless that was done already.
func (p *pageReader) read(n int, d drawing) ([]Word, error) {
	key := reading{n, d.name}
	if words, ok := p.readings[key]; ok {
		return words, nil
	}
	line, taken := said{}, false
	if d.name == soft.name {
		line, taken = p.ahead.take(n)
	}
	if !taken {
		line = p.hear(p.ctx, n, d)
	}
	if line.err != nil {
		return nil, line.err
	}
	out := make([]Word, len(line.words))
	for i, w := range line.words {
		scale := line.scale
		box := image.Rect(w.Box.Min.X/scale, w.Box.Min.Y/scale, (w.Box.Max.X+scale-1)/scale, (w.Box.Max.Y+scale-1)/scale)
		w.Box = p.page.inkIn(p.page.strips[n], box.Add(line.at)).Add(p.origin)
		w.ground = p.page.ground(p.page.strips[n])
		out[i] = w
	}
	out = p.shapes().dress(n, out)
	p.readings[key] = out
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
