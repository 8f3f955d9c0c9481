package ocr

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"reflect"
	"sync"
	"testing"
)

// slow is an engine that says of a line how many pixels of ink it has, and
// that answers several at a time only when they are all there, but for the last.
type slow struct {
	lanes int
	fails int // the line that cannot be read, from 1; 0 for none

	mu       sync.Mutex
	under    int // readings under way
	most     int
	calls    int
	together chan struct{}
}

func (s *slow) Lanes() int   { return s.lanes }
func (s *slow) Close() error { return nil }

func (s *slow) Words(ctx context.Context, img image.Image) ([]Word, error) {
	s.mu.Lock()
	s.calls++
	call := s.calls
	s.under++
	s.most = max(s.most, s.under)
	if s.under == s.lanes && s.lanes > 1 {
		select {
		case <-s.together:
		default:
			close(s.together)
		}
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.under--
	}()
	if s.lanes > 1 && call <= s.lanes {
		select { // the first ones wait for each other
		case <-s.together:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if call == s.fails {
		return nil, errors.New("boom")
	}
	ink := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, _, _, _ := img.At(x, y).RGBA(); r < 0x8000 {
				ink++
			}
		}
	}
	w := word(fmt.Sprintf("line%d", ink), 95)
	w.Box = img.Bounds()
	return []Word{w}, ctx.Err()
}

// barLines is a picture with lines of different lengths.
func barLines() *image.RGBA {
	img := bars(image.Point{}, color.White, color.Black, 10, 30, 50, 70)
	for n, y := range []int{10, 30, 50, 70} {
		for x := 60 + 20*n; x < 130; x++ {
			for dy := range 10 {
				img.Set(x, y+dy, color.White)
			}
		}
	}
	return img
}

func TestReadingAheadChangesNothing(t *testing.T) {
	read := func(e *slow, phrase string) Result {
		t.Helper()
		e.together = make(chan struct{})
		r, err := Reader{e}.Find(t.Context(), barLines(), phrase)
		if err != nil {
			t.Fatal(err)
		}
		if e.under != 0 {
			t.Errorf("%d lines are still being read", e.under)
		}
		r.Took = 0
		return r
	}
	all := read(&slow{lanes: 1}, "nothing of the sort")
	if len(all.Words) != 4 {
		t.Fatalf("%d words in %q, want 4", len(all.Words), all.Text)
	}
	for _, phrase := range []string{"nothing of the sort", all.Words[0].Text, all.Words[1].Text, all.Words[3].Text} {
		one, two := &slow{lanes: 1}, &slow{lanes: 2}
		want, got := read(one, phrase), read(two, phrase)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n%+v, one line at a time\n%+v", phrase, got, want)
		}
		if one.most != 1 || two.most < 2 {
			t.Errorf("%q: at most %d and %d lines at a time, want 1 and 2 or more", phrase, one.most, two.most)
		}
		if two.calls > one.calls+2 {
			t.Errorf("%q: %d lines were read, and %d by one lane", phrase, two.calls, one.calls)
		}
	}
}

func TestReadingAheadFails(t *testing.T) {
	e := &slow{lanes: 2, fails: 3, together: make(chan struct{})}
	if _, err := (Reader{e}).Find(t.Context(), barLines(), "text"); err == nil || err.Error() != "boom" {
		t.Errorf("%v, want the engine's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e = &slow{lanes: 2, together: make(chan struct{})}
	if _, err := (Reader{e}).Find(ctx, barLines(), "text"); !errors.Is(err, context.Canceled) || e.under != 0 {
		t.Errorf("%v with %d lines being read", err, e.under)
	}
}
