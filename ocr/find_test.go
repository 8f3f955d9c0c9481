package ocr

import (
	"image"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/internal/fold"
)

// cell is the size of the characters that the synthetic pages are set in.
const (
	cellWidth  = 7
	cellHeight = 12
)

// page sets text at (x,y) with pitch pixels from line to line; words are what
// strings.Fields gives, at the columns where they stand.
func page(x, y, pitch int, text ...string) []Word {
	var words []Word
	for i, l := range text {
		at := 0
		for _, f := range strings.Fields(l) {
			at += strings.Index(l[at:], f)
			words = append(words, Word{
				Text:       f,
				Box:        image.Rect(x+at*cellWidth, y+i*pitch, x+(at+len([]rune(f)))*cellWidth, y+i*pitch+cellHeight),
				Confidence: 90,
			})
			at += len(f)
		}
	}
	return words
}

func TestFind(t *testing.T) {
	paragraph := page(10, 10, 15,
		"The report was exported to the",
		"folder of last week and is no",
		"longer here.")
	menu := page(10, 10, 26, "Save the file", "As a copy now")
	for _, c := range []struct {
		name, phrase string
		words        []Word
		found        bool
		text         string
		distance     int
	}{
		{"one word", "exported", paragraph, true, "exported", 0},
		{"several words", "was exported to", paragraph, true, "was exported to", 0},
		{"case and space", "  WAS \t exported ", paragraph, true, "was exported", 0},
		{"part of a word", "xport", paragraph, true, "exported", 0},
		{"wrapped", "to the folder of", paragraph, true, "to the folder of", 0},
		{"wrapped twice", "the folder of last week and is no longer", paragraph, true, "the folder of last week and is no longer", 0},
		{"one letter", "was exportad to", paragraph, false, "was exported to", 1},
		{"letter missing", "was exportd to", paragraph, false, "was exported to", 1},
		{"absent", "Quux zzyzx", paragraph, false, "", 10},
		{"empty", " \u200b", paragraph, false, "", 0},
		{"no words", "abc", nil, false, "", 3},
		{"two items of a menu", "file As", menu, false, "file", 3},
		{"digit for letter", "file1", page(0, 0, 15, "filel"), false, "filel", 1},
		{"capital i for l", "Illinois", page(0, 0, 15, "lllinois"), false, "lllinois", 1},
		{"zero for o", "O0", page(0, 0, 15, "00"), false, "00", 1},
		{"read as two words", "Export", page(0, 0, 15, "Ex port"), false, "Ex port", 1},
		{"read as one word", "Save as", page(0, 0, 15, "Saveas"), false, "Saveas", 1},
		{"columns", "Name Size", page(0, 0, 15, "Name          Size"), false, "", 9},
		{"few spaces", "Name Size", page(0, 0, 15, "Name   Size"), true, "Name Size", 0},
		{"ligature and ellipsis", "file...", page(0, 0, 15, "ﬁle…"), true, "ﬁle…", 0},
		{"no-break space", "a\u00a0b", page(0, 0, 15, "a b"), true, "a b", 0},
		{"last item then first", "now Save", menu, false, "Save", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Find(c.words, c.phrase)
			if m.Found != c.found || m.Distance != c.distance {
				t.Errorf("Find(%q) = %+v, want found %v, distance %d", c.phrase, m, c.found, c.distance)
			}
			if m.Text != c.text && (c.found || c.distance <= len(c.phrase)/2) {
				t.Errorf("Find(%q).Text = %q, want %q", c.phrase, m.Text, c.text)
			}
		})
	}
}

func TestFindSaysWhere(t *testing.T) {
	words := page(100, 50, 15, "The report was exported to the", "folder of last week.")
	words[3].Confidence = 42
	m := Find(words, "exported to")
	if want := image.Rect(100+15*7, 50, 100+26*7, 62); m.Box != want || m.Confidence != 42 {
		t.Errorf("got %v with confidence %v, want %v with 42", m.Box, m.Confidence, want)
	}
}

func TestFindIsBounded(t *testing.T) {
	words := page(0, 0, 15, strings.Repeat(strings.Repeat("lorem ipsum ", 100)+"\n", 1))
	start := time.Now()
	if m := Find(words, strings.Repeat("dolor sit amet ", 100_000)); m.Found {
		t.Error("found what is not there")
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

// FuzzFind holds that nothing is found that the folded text does not contain.
func FuzzFind(f *testing.F) {
	f.Add("The report was exported to the\nfolder of last week", "to the folder", uint8(15), int64(1))
	f.Add("a\u0301 \u200d\u0130 ﬁ…", "A", uint8(3), int64(2))
	f.Fuzz(func(t *testing.T, text, phrase string, pitch uint8, jitter int64) {
		words := page(5, 5, int(pitch), strings.Split(text, "\n")...)
		rng := rand.New(rand.NewPCG(uint64(jitter), 0))
		for i := range words {
			words[i].Box = words[i].Box.Add(image.Pt(rng.IntN(5)-2, rng.IntN(5)-2))
		}
		m := Find(words, phrase)
		folded := make([]string, 0, len(words))
		for _, w := range strings.Fields(m.Text) {
			folded = append(folded, fold.Text(w))
		}
		want := fold.Text(phrase)
		if m.Found && (want == "" || !strings.Contains(strings.Join(folded, " "), want)) {
			t.Errorf("found %q in %q", phrase, m.Text)
		}
		if m.Found != (m.Distance == 0 && want != "") {
			t.Errorf("%q: found %v with distance %d", phrase, m.Found, m.Distance)
		}
	})
}
