//go:build linux

package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/ocr/tess"
)

// oneThread is the tesseract command without OpenMP.
const oneThread = "tesseract, one thread"

// screenParts are the parts of a screen that are read.
var screenParts = []struct {
	name string
	of   int
}{{"half", 2}, {"eighth", 8}}

// ocr measures what it takes to look for a phrase that is not there on whole
// screens full of text and on parts of one, by turns with the tesseract
// command, in time and in CPU time: the latter holds on a machine that has other
// things to do.
func (b *bench) ocr() error {
	engine, err := tess.Open([]string{"eng"})
	if err != nil {
		return err
	}
	defer engine.Close() //nolint:errcheck // nothing is lost
	reader := ocr.Reader{Engine: engine}
	for _, theme := range []string{"light", "dark"} {
		path := filepath.Join(b.dir, "../fixtures/screens/full-"+theme+".png")
		img, err := readPNG(path)
		if err != nil {
			return err
		}
		what := "ocr/" + theme
		for round := range (b.rounds + 1) / 2 {
			if err := b.readScreen(reader, what, img); err != nil {
				return err
			}
			if err := b.command(what, oneThread, path, "OMP_THREAD_LIMIT=1"); err != nil {
				return err
			}
			if round == 0 && !b.quick {
				if err := b.command(what, "tesseract, default", path); err != nil {
					return err
				}
			}
		}
		for _, part := range screenParts {
			bounds := img.Bounds()
			bounds.Max.Y = bounds.Min.Y + bounds.Dy()/part.of
			cut := img.(interface {
				SubImage(image.Rectangle) image.Image
			}).SubImage(bounds)
			for range (b.rounds + 1) / 2 {
				if err := b.readScreen(reader, what+", "+part.name, cut); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func readPNG(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return png.Decode(f)
}

func (b *bench) readScreen(reader ocr.Reader, what string, img image.Image) error {
	began, cpu := time.Now(), cpuTime()
	r, err := reader.Find(b.ctx, img, "nothing of the sort")
	if err != nil {
		return err
	}
	if r.Found {
		return fmt.Errorf("%s: found what is not there", what)
	}
	b.book.took(what+", CPU", us, cpuTime()-cpu)
	b.book.took(what, us, time.Since(began))
	return nil
}

func (b *bench) command(what, who, path string, env ...string) error {
	c := exec.CommandContext(b.ctx, "tesseract", path, "-")
	c.Env = append(os.Environ(), env...)
	began := time.Now()
	if err := c.Run(); err != nil {
		return err
	}
	b.book.took(what, who, time.Since(began))
	b.book.took(what+", CPU", who, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	return nil
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // cannot fail
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
