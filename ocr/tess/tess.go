//go:build cgo

// Package tess reads text with Tesseract. It is the only importer of
// gosseract.
package tess

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/otiai10/gosseract/v2"

	"github.com/opendesk/opendesk/ocr"
)

// pageSegMode is the one for a single line, without a search for a layout. The
// library's own layout analysis loses words on whole screens and joins
// neighbouring windows, in every mode (between 0 and 39 of 40 lines right;
// 40 of 40 where they are cut out before, as package ocr does).
const pageSegMode = "13"

// initMu keeps two engines from being initialised at the same time: the
// binding swaps the process's standard error while it does so.
var initMu sync.Mutex

// errClosed is the answer of an engine that was closed.
var errClosed = errors.New("the OCR engine is closed")

// Version is the version of the Tesseract library.
func Version() string { return gosseract.Version() }

// Check reports whether text in these languages can be read, by starting an
// engine. What is missing is an *ocr.UnavailableError.
func Check(languages []string) error {
	e, err := Open(languages)
	if err != nil {
		return err
	}
	return e.Close()
}

// Open starts an engine for the languages (DefaultLanguages for none). What is
// missing is an *ocr.UnavailableError. While it starts, what the process
// writes to standard error is lost.
//
// The engine does its work on threads of its own, without OpenMP, with which
// small pages take many times as long. It has one lane, and opens a second where
// two images are to be read at a time and there are two processors.
func Open(languages []string) (ocr.Engine, error) {
	if len(languages) == 0 {
		languages = DefaultLanguages
	}
	dir, err := locate(languages, os.Getenv(PrefixVariable))
	if err != nil {
		return nil, err
	}
	e := &engine{
		dir: dir, languages: languages, lanes: min(maxLanes, runtime.GOMAXPROCS(0)),
		jobs: make(chan job), quit: make(chan struct{}),
	}
	started := make(chan error, 1)
	e.open = 1
	e.loops.Go(func() { e.loop(started) })
	if err := <-started; err != nil {
		return nil, &ocr.UnavailableError{
			What: fmt.Sprintf("usable tesseract language data %q", strings.Join(languages, "+")),
			Err:  fmt.Errorf("in %s: %w", dir, err),
		}
	}
	return e, nil
}

// maxLanes bounds how many clients of the library an engine has: each takes
// some 20 MiB, and the other workers of a run want to read, too.
const maxLanes = 2

// engine hands images to the goroutines that own the library's clients.
type engine struct {
	dir       string
	languages []string
	lanes     int

	jobs  chan job
	quit  chan struct{} // closed by Close
	loops sync.WaitGroup

	mu     sync.Mutex
	open   int // lanes
	closed bool
}

var _ ocr.Parallel = (*engine)(nil)

type job struct {
	pgm    []byte
	origin image.Point
	answer chan answer // holds one, so that the loop never waits
}

type answer struct {
	words []ocr.Word
	err   error
}

// Words implements ocr.Engine. When the context ends it returns at once; the
// library cannot be interrupted, and the next call waits for it.
func (e *engine) Words(ctx context.Context, img image.Image) ([]ocr.Word, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pgm, blank := encodePGM(img)
	if blank {
		return nil, nil // of which the library would make something up
	}
	j := job{pgm: pgm, origin: img.Bounds().Min, answer: make(chan answer, 1)}
	select {
	case e.jobs <- j:
	default: // every lane is busy
		e.widen()
		select {
		case e.jobs <- j:
		case <-e.quit:
			return nil, errClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	select {
	case a := <-j.answer:
		return a.words, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Lanes implements ocr.Parallel.
func (e *engine) Lanes() int { return e.lanes }

// widen opens another lane, where there may be one, without waiting for it. One
// that cannot be opened is done without.
func (e *engine) widen() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.open == e.lanes {
		return
	}
	e.open++
	e.loops.Go(func() { e.loop(make(chan error, 1)) })
}

// Close implements ocr.Engine. It waits for readings that are under way.
func (e *engine) Close() error {
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.quit)
	}
	e.mu.Unlock()
	e.loops.Wait()
	return nil
}

// loop owns a client, and the thread that OpenMP was switched off for. The
// thread ends with it.
func (e *engine) loop(started chan<- error) {
	runtime.LockOSThread()
	singleThreaded()
	client, err := newClient(e.dir, e.languages)
	if err != nil {
		started <- err
		return
	}
	defer client.Close()
	started <- nil
	for {
		select {
		case j := <-e.jobs:
			words, err := read(client, j.pgm, j.origin)
			j.answer <- answer{words, err}
		case <-e.quit:
			return
		}
	}
}

// newClient starts a client and reads a blank image, which is when the library
// loads the languages.
func newClient(dir string, languages []string) (_ *gosseract.Client, err error) {
	initMu.Lock()
	defer initMu.Unlock()
	client := gosseract.NewClient()
	defer func() {
		if err != nil {
			client.Close()
		}
	}()
	// Set as variables: SetPageSegMode has no effect before the first reading.
	variables := map[gosseract.SettableVariable]string{
		"tessedit_pageseg_mode": pageSegMode,
		"tessedit_do_invert":    "0", // what is hard to read is not read as light on dark too
		gosseract.DEBUG_FILE:    os.DevNull,
	}
	for k, v := range variables {
		if err := client.SetVariable(k, v); err != nil {
			return nil, err
		}
	}
	if err := client.SetTessdataPrefix(dir); err != nil {
		return nil, err
	}
	if err := client.SetLanguage(languages...); err != nil {
		return nil, err
	}
	pgm, _ := encodePGM(image.NewGray(image.Rect(0, 0, 32, 32)))
	if _, err := read(client, pgm, image.Point{}); err != nil {
		return nil, err
	}
	return client, nil
}

// read reads a whole image.
func read(client *gosseract.Client, pgm []byte, origin image.Point) ([]ocr.Word, error) {
	if err := client.SetImageFromBytes(pgm); err != nil {
		return nil, err
	}
	// The plain call gives an empty box for a blank image.
	boxes, err := client.GetBoundingBoxesVerbose()
	if err != nil {
		return nil, err
	}
	var words []ocr.Word
	for _, b := range boxes {
		if strings.TrimSpace(b.Word) == "" {
			continue
		}
		words = append(words, ocr.Word{Text: b.Word, Box: b.Box.Add(origin), Confidence: b.Confidence})
	}
	return words, nil
}
