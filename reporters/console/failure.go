package console

import (
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// failure shows all that is known about why a program did not pass.
func (c *Console) failure(p *results.Program) {
	final := p.Final()
	if final == nil {
		c.reason(p.Reason)
		return
	}
	said := ""
	if step := faultyStep(final); step != nil {
		said = step.Failure.Reason
		place := fmt.Sprintf("%s:%d:%d", p.File, step.Line, step.Column)
		c.line(indent + c.paint(bold, clean(place)) + ": " + clean(step.ID) + " " + clean(step.Summary))
		c.reason(said)
		c.explain(step.Explain())
		c.artifacts(step.Artifacts)
		if final.Fault != nil && final.Fault.Reason != said {
			c.detail("fault", final.Fault.Reason)
		}
	} else if final.Fault != nil {
		said = final.Fault.Reason
		c.reason(said)
		c.explain(final.Fault.Explain())
	}
	if p.Reason != said {
		c.reason(p.Reason)
	}
	c.artifacts(final.Artifacts)
	c.notReached(final)
}

// faultyStep is the first step that failed or broke with a failure to show.
func faultyStep(at *results.Attempt) *results.Step {
	for i := range at.Steps {
		s := &at.Steps[i]
		if s.Failure != nil && (s.Status == results.StepFailed || s.Status == results.StepBroken) {
			return s
		}
	}
	return nil
}

func (c *Console) reason(text string) {
	if text != "" {
		c.line(indent + c.paint(red, clean(text)))
	}
}

func (c *Console) explain(lines []results.Line) {
	last := ""
	for _, l := range lines {
		shown := l.Label
		if shown == last {
			shown = ""
		}
		last = l.Label
		if l.Label != "detail" {
			c.detail(shown, l.Text)
			continue
		}
		for _, line := range cleanLines(l.Text) { // the end of a log, say
			c.detail(shown, line)
			shown = ""
		}
	}
}

func (c *Console) artifacts(list []results.Artifact) {
	if c.opts.ResultsDir == "" {
		return
	}
	for _, a := range list {
		if a.Kind != results.KindTrace { // of those there are many
			c.detail(a.Kind, c.artifactPath(a))
		}
	}
}

// notReached names the steps that were blocked.
func (c *Console) notReached(at *results.Attempt) {
	const shown = 8
	var ids []string
	for i := range at.Steps {
		if at.Steps[i].Status == results.StepBlocked {
			ids = append(ids, at.Steps[i].ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	text := strings.Join(ids[:min(shown, len(ids))], ", ")
	if more := len(ids) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	c.detail("not run", text)
}
