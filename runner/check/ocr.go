package check

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/results"
)

// TextReader reads text from a picture and says whether it holds a phrase.
type TextReader interface {
	Find(ctx context.Context, img image.Image, phrase string) (ocr.Result, error)
}

// Reading is one OCR attempt.
type Reading struct {
	results.OCRResult
	// Doubtful says that the text was read, but too unsurely to count.
	Doubtful bool
	// Text is all that was read, line by line.
	Text string
}

// ReadText is the one OCR attempt of text_visible at its deadline: over the
// windows of the step's app where it names one, else over the screen. Parts of
// those windows that another app's window covers are not read.
func (c *Checker) ReadText(ctx context.Context, cond Condition) (*Reading, error) {
	if c.Reader == nil {
		return nil, errors.New("this build has no OCR")
	}
	pictures, area, err := c.pictures(ctx, cond.App)
	if err != nil {
		return nil, err
	}
	all := &Reading{OCRResult: results.OCRResult{Area: area, Distance: -1}}
	for _, picture := range pictures {
		read, err := c.Reader.Find(ctx, picture, cond.Value)
		if err != nil {
			return nil, err
		}
		all.Text += read.Text + "\n"
		all.DurationMS += read.Took.Milliseconds()
		closer := read.Match.Text != "" && (all.Distance < 0 || read.Distance < all.Distance ||
			read.Distance == all.Distance && read.Confidence > all.Confidence)
		if read.Found || closer {
			all.Found, all.Doubtful = read.Found, read.Doubtful
			all.OCRResult.Text = fold.Space(read.Match.Text)
			all.Distance = read.Distance
			all.Confidence = read.Confidence
			all.Box = box(read.Box)
		}
		if read.Found {
			break
		}
	}
	return all, nil
}

func box(r image.Rectangle) *results.Box {
	if r.Empty() {
		return nil
	}
	return &results.Box{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
}

// pictures gives what is to be read, front first.
func (c *Checker) pictures(ctx context.Context, app string) (pictures []image.Image, area string, err error) {
	if app == "" {
		whole, err := c.Desktop.Capture(ctx, desktop.Rect{})
		if err != nil {
			return nil, "", err
		}
		return []image.Image{whole}, "screen", nil
	}
	windows, err := c.Desktop.Windows(ctx)
	if err != nil {
		return nil, "", err
	}
	screen, err := c.Desktop.Size(ctx)
	if err != nil {
		return nil, "", err
	}
	area = fmt.Sprintf("windows of %s", app)
	var above []desktop.Rect // other apps' windows in front
	for _, w := range windows {
		if !w.App.Matches(app) {
			above = append(above, w.Bounds)
			continue
		}
		if !w.Bounds.Image().Overlaps(screen.Image()) {
			continue // outside the screen, where nobody sees it
		}
		picture, err := c.Desktop.Capture(ctx, w.Bounds)
		if err != nil {
			return nil, "", err
		}
		for _, cover := range above {
			draw.Draw(picture, cover.Image(), image.NewUniform(color.Gray{0x80}), image.Point{}, draw.Src)
		}
		pictures = append(pictures, picture)
	}
	return pictures, area, nil
}
