package runner

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"strings"

	"golang.org/x/image/draw"

	"github.com/opendesk/opendesk/results"
)

// trace keeps a picture of the screen after a step: that of its failure, or
// else one that is taken now. What the step took does not include it, and that
// there is none never changes a verdict: it is noted.
func (r *run) trace(ctx context.Context, a *results.Attempt, s results.Step) {
	img := r.shown
	r.shown = nil
	if r.Save == nil || ctx.Err() != nil || s.Status != results.StepPassed && img == nil {
		return
	}
	var err error
	if img == nil {
		img, err = r.screenshot(ctx)
	}
	if err != nil {
		r.warn(results.WarnNote, s.ID, "no picture for the trace: "+strings.TrimSpace(err.Error()))
		return
	}
	artifact, err := r.Save(results.KindTrace, fileName(s)+"~trace.jpg", "image/jpeg", small(img))
	if err != nil {
		r.warn(results.WarnNote, s.ID, "the picture for the trace could not be stored: "+err.Error())
		return
	}
	artifact.Step = s.ID
	a.Artifacts = append(a.Artifacts, artifact)
	r.emit(results.Event{Type: results.EventArtifact, Artifact: &artifact})
}

// A trace's pictures are for recognising what is shown, at some 30 kB each.
const (
	traceWidth   = 800 // pixels at most
	traceQuality = 75  // JPEG's
)

func small(img *image.RGBA) []byte {
	if b := img.Bounds(); b.Dx() > traceWidth {
		scaled := image.NewRGBA(image.Rect(0, 0, traceWidth, max(1, b.Dy()*traceWidth/b.Dx())))
		draw.BiLinear.Scale(scaled, scaled.Bounds(), img, b, draw.Src, nil)
		img = scaled
	}
	var data bytes.Buffer
	_ = jpeg.Encode(&data, img, &jpeg.Options{Quality: traceQuality}) // a buffer takes everything
	return data.Bytes()
}
