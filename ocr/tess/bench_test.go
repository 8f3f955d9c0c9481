//go:build linux && cgo

package tess

import (
	"context"
	"fmt"
	"image"
	"testing"

	"github.com/opendesk/opendesk/ocr"
)

// A phrase that is not there costs most: every line is read.
func BenchmarkFind(b *testing.B) {
	lines := make([]string, 45)
	for i := range lines {
		lines[i] = fmt.Sprintf("%2d The quick brown fox jumps over the lazy dog", i)
	}
	s := newScreen(b, 1280, 800)
	s.xterm("80x45+0+0", lines, "-fa", "Monospace", "-fs", "9")
	s.xterm("60x20+700+50", lines[:18], "-bg", "#202020", "-fg", "#d0d0d0")
	screen := s.capture()
	window := screen.SubImage(image.Rect(0, 0, 500, 300))
	reader := ocr.Reader{Engine: openEngine(b)}
	for _, c := range []struct {
		name   string
		img    image.Image
		phrase string
		found  bool
	}{
		{"window500x300/absent", window, "nothing of the sort", false},
		{"window500x300/last line", window, "17 the quick", true},
		{"screen1280x800/absent", screen, "nothing of the sort", false},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if r, err := reader.Find(context.Background(), c.img, c.phrase); err != nil || r.Found != c.found {
					b.Fatalf("%v, found %v\n%s", err, r.Found, r.Text)
				}
			}
		})
	}
}
