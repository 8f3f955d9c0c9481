// Package ocr reads text from pictures of the screen: words with boxes, phrase
// matching over them, and the preparation of images that makes small, dark and
// coloured text readable. It imports nothing of opendesk but internal/fold;
// ocr/tess holds the engine.
package ocr

import (
	"context"
	"fmt"
	"image"
)

// Word is one word as the engine read it.
type Word struct {
	Text string
	// Box is in the pixels of the image that was given.
	Box image.Rectangle
	// Confidence is the engine's own, 0 to 100.
	Confidence float64

	// ground is the number of the window or pane that the word lies on, from
	// 1; 0 where that is not known, or too small to part one text from another.
	ground int32
	// shapes are what the word is made of, where that is known.
	shapes []int32
	// confirmed says that other words speak for each letter of it, contested
	// that they speak against one. See shapes.
	confirmed, contested bool
	// cut says that something else touches the word, or that it is a picture.
	cut bool
}

// apart reports whether the words are known to lie on different grounds, so
// that they cannot be one text.
func (w Word) apart(o Word) bool { return w.ground != 0 && o.ground != 0 && w.ground != o.ground }

// Engine reads words. It is not safe for concurrent use, unless it is Parallel.
type Engine interface {
	// Words reads the image, which holds one line of dark text on white. An
	// empty image gives no words and no error.
	Words(ctx context.Context, img image.Image) ([]Word, error)
	Close() error
}

// Parallel is an Engine that is safe for concurrent use and reads several images
// at a time.
type Parallel interface {
	Engine
	// Lanes is how many: further ones wait.
	Lanes() int
}

// UnavailableError says what the engine lacks and how to install it.
type UnavailableError struct {
	// What is missing: `tesseract language data "eng"`.
	What string
	// Package is the Debian and Ubuntu package that has it.
	Package string
	Err     error
}

func (e *UnavailableError) Error() string {
	s := e.What + " not found"
	if e.Package != "" {
		s += fmt.Sprintf(" (Debian/Ubuntu: apt-get install %s)", e.Package)
	}
	return s
}

// Unwrap gives the engine's own error.
func (e *UnavailableError) Unwrap() error { return e.Err }
