package ocr

import (
	"context"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"
)

// typeset is an engine and its picture: texts set in a font of its own, in
// which each character has one shape, and what the engine says of each line.
type typeset struct {
	img  *image.RGBA
	says []string // by line, the same for both drawings
	conf float64
	read []int // lines in the order in which they were read
}

const setWidth, setHeight, setPitch = 10, 12, 40

// typesetter sets each line of shown; says are the engine's readings of them.
func typesetter(shown, says []string) *typeset {
	t := &typeset{img: image.NewRGBA(image.Rect(0, 0, 400, setPitch*(len(shown)+1))), says: says, conf: 90}
	fill(t.img, t.img.Rect, color.White)
	for n, line := range shown {
		for i, r := range []rune(line) {
			if r != ' ' {
				t.letter(20+i*setWidth, 20+n*setPitch, r)
			}
		}
	}
	return t
}

// letter draws a shape that is connected and the character's own.
func (t *typeset) letter(x, y int, r rune) {
	rng := rand.New(rand.NewPCG(uint64(r), 7))
	for row := range setHeight {
		t.img.Set(x, y+row, color.Black)
		for col := 1; col < 7; col++ {
			if row == 0 || row == setHeight-1 || row%3 == 1 && rng.IntN(2) == 0 && col < 5 {
				t.img.Set(x+col, y+row, color.Black)
			}
		}
	}
}

// Words gives the words of the line whose width the image has; every line of a
// test has another one.
func (t *typeset) Words(_ context.Context, img image.Image) ([]Word, error) {
	scale := 2
	for n, text := range t.says {
		if width := len([]rune(text))*setWidth - 3 + 2*sideMargin; img.Bounds().Dx() == scale*width {
			t.read = append(t.read, n)
			var words []Word
			at := 0
			for _, f := range strings.Fields(text) {
				at += strings.Index(text[at:], f)
				left := scale * (at*setWidth + sideMargin)
				words = append(words, Word{Text: f, Confidence: t.conf, Box: image.Rect(left, 0, left+scale*len([]rune(f))*setWidth, img.Bounds().Dy())})
				at += len(f)
			}
			return words, nil
		}
	}
	return nil, nil
}

func (t *typeset) Close() error { return nil }

func TestWitnesses(t *testing.T) {
	for _, c := range []struct {
		name        string
		shown, says []string
		phrase      string
		found       bool
		doubtful    bool
		text        string
	}{
		{"a digit read as a letter", []string{"fl1nt", "111", "1 11 17711 71"}, []string{"fllnt", "111", "1 11 17711 71"}, "fllnt", false, false, "fl1nt"},
		{"and what stands there", []string{"fl1nt", "111", "1 11 17711 71"}, []string{"fllnt", "111", "1 11 17711 71"}, "fl1nt", true, false, "fl1nt"},
		{"nobody else has that digit", []string{"flint", "has", "a bottle"}, []string{"flint", "has", "a bottle"}, "flint", true, false, "flint"},
		{"letters and digits, no witness", []string{"KS5", "pqrs", "fu nny"}, []string{"K55", "pqrs", "fu nny"}, "K55", false, true, "K55"},
		{"letters and digits, witnesses", []string{"K05", "50", "0 5 55500"}, []string{"K05", "50", "0 5 55500"}, "K05", true, false, "K05"},
		{"only one letter is told of", []string{"a1l", "llama", "ill will"}, []string{"all", "llama", "ill will"}, "all", false, true, "all"},
		{"a case that differs", []string{"Odd", "Oslo", "Otto On"}, []string{"odd", "Oslo", "Otto On"}, "odd", true, false, "odd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := typesetter(c.shown, c.says)
			r, err := Reader{e}.Find(t.Context(), e.img, c.phrase)
			if err != nil {
				t.Fatal(err)
			}
			if r.Found != c.found || r.Doubtful != c.doubtful || r.Match.Text != c.text {
				t.Errorf("found %v, doubtful %v, %q, want %v, %v, %q (lines read: %v)\n%s",
					r.Found, r.Doubtful, r.Match.Text, c.found, c.doubtful, c.text, e.read, r.Text)
			}
		})
	}
}

// Lines that hold the shapes in question are read as witnesses, others not.
func TestWitnessesAreFew(t *testing.T) {
	e := typesetter([]string{"flint", "a bottle", "some thing", "no iron at all", "pure gold, mum"},
		[]string{"flint", "a bottle", "some thing", "no iron at all", "pure gold, mum"})
	r, err := Reader{e}.Find(t.Context(), e.img, "flint")
	if err != nil || !r.Found {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, n := range e.read {
		if n == 4 {
			t.Errorf("lines read: %v", e.read)
		}
	}
	if len(e.read) > 2+maxAsked {
		t.Errorf("lines read: %v", e.read)
	}
}

// A page gives the same answer whatever was looked for before.
func TestPageForgets(t *testing.T) {
	shown, says := []string{"fl1nt", "111", "1 11 17711 71"}, []string{"fllnt", "111", "1 11 17711 71"}
	e := typesetter(shown, says)
	page := Reader{e}.Page(e.img)
	for range 2 {
		for phrase, want := range map[string]bool{"fllnt": false, "fl1nt": true, "111": true, "1 11": true, "iii": false} {
			r, err := page.Find(t.Context(), phrase)
			if err != nil || r.Found != want {
				t.Errorf("%q: %+v, %v", phrase, r, err)
			}
		}
	}
	if len(e.read) > 6 {
		t.Errorf("%d readings of three lines in two ways", len(e.read))
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		spelled []string
		text    string
		want    bool
	}{
		{[]string{"m", "o", "d"}, "mod", true},
		{[]string{"r", "n", "o", "d"}, "mod", false},
		{[]string{"", "o", "d"}, "mod", true},
		{[]string{"", "o"}, "rno", true},
		{[]string{"M", ""}, "mod", true},
		{[]string{"", "x", ""}, "mod", false},
		{[]string{"oo", ""}, "oom", true},
		{nil, "a", false},
	} {
		if got := fits(c.spelled, []rune(c.text)); got != c.want {
			t.Errorf("fits(%q, %q) = %v", c.spelled, c.text, got)
		}
	}
}
