package ocr

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/internal/fold"
)

// script is an engine that gives the readings in turn: one for each line that
// is shown to it.
type script struct {
	readings [][]Word
	calls    int
	err      error
}

func (s *script) Words(_ context.Context, img image.Image) ([]Word, error) {
	s.calls++
	if s.err != nil {
		return nil, s.err
	}
	if s.calls > len(s.readings) {
		return nil, errors.New("more lines than expected")
	}
	words := s.readings[s.calls-1]
	for i := range words { // side by side over the whole line
		w := img.Bounds().Dx() / len(words)
		words[i].Box = image.Rect(i*w, 0, (i+1)*w, img.Bounds().Dy())
	}
	return words, nil
}

func (s *script) Close() error { return nil }

// bars draws words as groups of letter-like bars, one line for each y, on a
// ground, in the way of a picture whose corner is at origin.
func bars(origin image.Point, ground, ink color.Color, ys ...int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 200, 100).Add(origin))
	draw.Draw(img, img.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	for _, y := range ys {
		for x := 20; x < 120; x += 5 {
			r := image.Rect(x, y, x+2, y+10).Add(origin)
			draw.Draw(img, r, image.NewUniform(ink), image.Point{}, draw.Src)
		}
	}
	return img
}

func word(text string, confidence float64) Word { return Word{Text: text, Confidence: confidence} }

func TestReaderBelieves(t *testing.T) {
	for _, c := range []struct {
		name     string
		readings [][]Word
		found    bool
		doubtful bool
		calls    int
		text     string
	}{
		{"two sure readings", [][]Word{{word("Export", 95), word("done", 90)}, {word("Export", 95), word("done", 90)}}, true, false, 2, "Export done"},
		{"a sure and a credible one", [][]Word{{word("Export", 95), word("done", 90)}, {word("Export", 60), word("done", 70)}}, true, false, 2, "Export done"},
		{"two plausible readings", [][]Word{{word("Export", 78), word("done", 95)}, {word("Export", 76), word("done", 75)}}, true, false, 2, "Export done"},
		{"a sure one alone", [][]Word{{word("Export", 95), word("done", 95)}, {word("Expart", 90), word("done", 84)}, {word("other", 95)}}, false, true, 3, "Export done"},
		{"a sure second one alone", [][]Word{{word("Expart", 70), word("done", 95)}, {word("other", 95)}, {word("Export", 90), word("done", 90)}}, false, true, 3, "Export done"},
		{"an unlikely reading", [][]Word{{word("Export", 30), word("done", 95)}, {word("Export", 84), word("done", 84)}, {word("other", 95)}}, false, true, 3, "Export done"},
		{"letters and digits without witnesses", [][]Word{{word("Exp0rt", 95), word("done", 90)}, {word("Exp0rt", 95), word("done", 90)}, {word("other", 95)}}, false, false, 3, "Exp0rt done"},
		{"nearly, twice", [][]Word{{word("Expart", 90), word("done", 95)}, {word("other", 95)}, {word("Expart", 84), word("done", 84)}}, false, false, 3, "Expart done"},
		{"nothing like it", [][]Word{{word("Quit", 90)}, {word("other", 95)}}, false, false, 2, ""},
		{"on the second line", [][]Word{{word("Quit", 90)}, {word("Export", 95), word("done", 95)}, {word("Export", 95), word("done", 95)}}, true, false, 3, "Export done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &script{readings: c.readings}
			r, err := Reader{e}.Find(t.Context(), bars(image.Point{}, color.White, color.Black, 20, 60), "export done")
			if err != nil {
				t.Fatal(err)
			}
			if r.Found != c.found || r.Doubtful != c.doubtful || r.Match.Text != c.text || e.calls != c.calls {
				t.Errorf("found %v, doubtful %v, %q after %d lines; want %v, %v, %q after %d",
					r.Found, r.Doubtful, r.Match.Text, e.calls, c.found, c.doubtful, c.text, c.calls)
			}
			if (r.Found || r.Doubtful) != (r.Distance == 0) {
				t.Errorf("distance %d", r.Distance)
			}
		})
	}
}

func TestReaderSaysWhere(t *testing.T) {
	origin := image.Pt(500, 300)
	for _, scheme := range [][2]color.Color{
		{color.White, color.Black},
		{color.RGBA{0, 0, 255, 255}, color.White},
		{color.RGBA{80, 160, 80, 255}, color.RGBA{160, 80, 80, 255}},
	} {
		e := &script{readings: [][]Word{{word("Export", 95), word("done", 90)}, {word("Export", 95), word("done", 90)}}}
		r, err := Reader{e}.Find(t.Context(), bars(origin, scheme[0], scheme[1], 20), "done")
		if err != nil {
			t.Fatal(err)
		}
		if want := image.Rect(70, 20, 117, 30).Add(origin); r.Box != want {
			t.Errorf("%v: at %v, want %v", scheme, r.Box, want)
		}
	}
}

func TestReaderWithoutAnything(t *testing.T) {
	e := &script{err: errors.New("boom")}
	for _, img := range []image.Image{
		image.NewRGBA(image.Rectangle{}), image.NewGray(image.Rect(0, 0, 1, 1)), image.NewRGBA(image.Rect(5, 5, 300, 200)),
	} {
		r, err := Reader{e}.Find(t.Context(), img, "text")
		if err != nil || r.Found || len(r.Words) != 0 || r.Distance != 4 {
			t.Errorf("%v: %+v, %v", img.Bounds(), r, err)
		}
	}
	if r, err := (Reader{e}).Find(t.Context(), bars(image.Point{}, color.White, color.Black, 20), " "); err != nil || r.Found {
		t.Errorf("empty phrase: %+v, %v", r, err)
	}
	if _, err := (Reader{e}).Find(t.Context(), bars(image.Point{}, color.White, color.Black, 20), "text"); !errors.Is(err, e.err) {
		t.Errorf("the engine's error is lost: %v", err)
	}
}

// FuzzReader holds that whatever the engine says of whatever picture is
// answered, and that what is found holds the phrase.
func FuzzReader(f *testing.F) {
	f.Add([]byte("some pixels of some picture, more or less at random, and a few more of them"), uint8(17), "a b1 c", "b1", uint8(90))
	f.Add([]byte{0, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 0, 255}, uint8(3), "..,e c", "c", uint8(70))
	f.Fuzz(func(t *testing.T, pix []byte, width uint8, says, phrase string, conf uint8) {
		w := int(width%64) + 1
		img := image.NewGray(image.Rect(0, 0, w*3, len(pix)/w*3).Add(image.Pt(7, 9)))
		for i := range img.Pix { // three times as large, or nothing is a letter
			if at := i/img.Stride/3*w + i%img.Stride/3; at < len(pix) {
				img.Pix[i] = pix[at]
			}
		}
		e := &chatter{says: strings.Fields(says), conf: float64(conf % 101)}
		r, err := Reader{e}.Find(t.Context(), img, phrase)
		if err != nil {
			t.Fatal(err)
		}
		if r.Found && !strings.Contains(fold.Text(r.Match.Text), fold.Text(phrase)) {
			t.Errorf("found %q in %q", phrase, r.Match.Text)
		}
	})
}

// chatter is an engine that says the same of every line.
type chatter struct {
	says []string
	conf float64
}

func (c *chatter) Words(_ context.Context, img image.Image) ([]Word, error) {
	var words []Word
	for i, s := range c.says {
		w := img.Bounds().Dx() / len(c.says)
		words = append(words, Word{Text: s, Confidence: c.conf, Box: image.Rect(i*w, 0, (i+1)*w, img.Bounds().Dy())})
	}
	return words, nil
}

func (c *chatter) Close() error { return nil }
