package runner

import (
	"context"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// trace takes the picture of the screen after a step that passed; that of a
// step that did not is taken with its failure. What a step takes does not
// include it, and that there is none never changes a verdict: it is noted.
func (r *run) trace(ctx context.Context, a *results.Attempt, s results.Step) {
	if r.Save == nil || ctx.Err() != nil {
		return
	}
	picture, err := r.screenshot(ctx)
	if err != nil {
		r.warn(results.WarnNote, s.ID, "no picture for the trace: "+strings.TrimSpace(err.Error()))
		return
	}
	artifact, err := r.Save(results.KindTrace, fileName(s)+"~trace.png", "image/png", picture)
	if err != nil {
		r.warn(results.WarnNote, s.ID, "the picture for the trace could not be stored: "+err.Error())
		return
	}
	artifact.Step = s.ID
	a.Artifacts = append(a.Artifacts, artifact)
	r.emit(results.Event{Type: results.EventArtifact, Artifact: &artifact})
}
