package html

import (
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// body is what a program unfolds to.
type body struct {
	ID, Path, Description, Reason string
	Quarantine                    *results.Quarantine
	Problems                      []results.Problem
	Warnings                      []results.Warning // of no step that there is
	Attempts                      []*attempt
}

// attempt is one attempt with its steps, as a tab where there are several.
type attempt struct {
	ID       string
	Number   int
	Status   status
	Duration int64
	Shown    bool
	Session  string
	Reason   string // where nothing else tells it
	Fault    *failure
	Failing  *step // shown first
	Steps    []*step
	Length   int64 // of the timeline, in milliseconds
	Film     []frame
	Files    []link
}

// frame is a picture of the filmstrip.
type frame struct {
	*picture
	Step   string
	Status status
}

// link leads to a file of the run.
type link struct {
	Name, Kind, Href string
	Size             int64
}

// fill makes what the program unfolds to.
func (p *program) fill(v *view) {
	result := visible(p.result)
	b := &body{
		ID: p.ID, Path: result.Path, Description: result.Description,
		Quarantine: result.Quarantine, Problems: result.Problems,
	}
	bySteps := map[string][]results.Warning{}
	for _, w := range result.Warnings {
		if !hasStep(result, w.Step) {
			b.Warnings = append(b.Warnings, w)
		} else {
			bySteps[w.Step] = append(bySteps[w.Step], w)
		}
	}
	final := result.Final()
	for i := range result.Attempts {
		from := &result.Attempts[i]
		a := &attempt{
			ID: fmt.Sprintf("%s-a%d", p.ID, from.Number), Number: from.Number, Status: statusOf(string(from.Status)),
			Duration: from.DurationMS, Shown: from == final, Session: sessionWords(from.Session),
		}
		maker := stepMaker{view: v, program: result, attempt: from, warnings: bySteps, id: a.ID}
		maker.steps(a)
		maker.film(a)
		b.Attempts = append(b.Attempts, a)
	}
	told := final != nil && (final.Fault != nil && final.Fault.Reason == result.Reason || slices.ContainsFunc(final.Steps, func(s results.Step) bool {
		return s.Failure != nil && s.Failure.Reason == result.Reason
	}))
	if !told {
		b.Reason = result.Reason
	}
	p.Body = b
}

// fold turns what the program unfolds to into text.
func (p *program) fold() error {
	text, err := execute("body", p.Body)
	p.Body, p.Folded = nil, template.HTML(text)
	return err
}

func hasStep(p *results.Program, id string) bool {
	return slices.ContainsFunc(p.Attempts, func(a results.Attempt) bool {
		return slices.ContainsFunc(a.Steps, func(s results.Step) bool { return s.ID == id })
	})
}

func sessionWords(s *results.Session) string {
	if s == nil {
		return ""
	}
	words := []string{"display " + s.Display, s.Geometry, "isolation " + s.Isolation}
	if s.IsolationReason != "" {
		words = append(words, s.IsolationReason)
	}
	if s.StartMS > 0 {
		words = append(words, "started in "+duration(s.StartMS))
	}
	return strings.Join(words, ", ")
}

// film makes the filmstrip and the links to other files.
func (m *stepMaker) film(a *attempt) {
	for _, artifact := range m.attempt.Artifacts {
		if artifact.Kind != results.KindTrace {
			a.Files = append(a.Files, m.link(artifact))
			continue
		}
		f := frame{Step: artifact.Step}
		for _, s := range a.Steps {
			if s.ID == artifact.Step {
				f.Status = s.Status
			}
		}
		f.picture = m.view.pictures.get(artifact, "The screen after step "+artifact.Step)
		a.Film = append(a.Film, f)
	}
	if a.Fault != nil {
		for _, artifact := range m.attempt.Artifacts {
			if artifact.Kind == "screenshot" && a.Fault.Picture == nil {
				a.Fault.Picture = m.view.pictures.get(artifact, "The screen after the fault")
			}
		}
	}
}

func (m *stepMaker) link(a results.Artifact) link {
	return link{Name: path.Base(a.Name), Kind: a.Kind, Href: m.view.opts.link(a.Name), Size: a.Size}
}
