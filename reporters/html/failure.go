package html

import (
	"fmt"

	"github.com/opendesk/opendesk/results"
)

// failure is all that is known about why something did not pass.
type failure struct {
	Kind, Reason       string
	Expected, Observed string
	OCR                string
	Details            []string
	Evidence           []string
	Probes             []results.Probe
	Amiss              bool // some probe is not as it should be
	Reached            string
	Windows            []string
	Candidates         []candidate
	Patch              string
	JSON               string
	Remaining          []string
	Procedure          *procedure
	Picture            *picture
	Script             *ranScript
}

// candidate is an element that is close to the target.
type candidate struct {
	Element, Window, Identifier string
	Differs                     []string
}

func newFailure(f *results.Failure) *failure {
	v := &failure{
		Kind: kindWords(f.Kind), Reason: f.Reason, Details: f.Details, Evidence: f.Evidence,
		Probes: f.Probes, Reached: f.Reached,
	}
	for _, p := range f.Probes {
		v.Amiss = v.Amiss || !p.OK
	}
	if f.Lookup != nil {
		v.Windows = f.Lookup.Windows
	}
	for _, c := range f.Candidates {
		v.Candidates = append(v.Candidates, candidate{c.Element.String(), c.Element.Window, c.Element.Identifier, c.Differs})
	}
	if heal := f.SelfHeal; heal != nil {
		v.Patch, v.JSON, v.Procedure = heal.Patch, laidOut(heal.FailedStep), newProcedure(heal.Procedure)
		for _, raw := range heal.RemainingSteps {
			v.Remaining = append(v.Remaining, laidOut(raw))
		}
	}
	return v
}

// step adds what its step knows, and the picture.
func (v *failure) step(m *stepMaker, s *results.Step) {
	if pc := s.Postcondition; pc != nil && pc.Checked && !pc.Met {
		v.Expected = pc.String()
		if pc.TimeoutMS > 0 {
			v.Expected += " within " + duration(pc.TimeoutMS)
		}
		v.Observed = pc.Observed
		if pc.OCR != nil {
			v.OCR = pc.OCR.String()
		}
	}
	if s.Script != nil {
		v.Script = newScript(s.Script)
	}
	for _, a := range s.Artifacts {
		if a.Kind == "screenshot" {
			v.Picture = m.view.pictures.get(a, "The screen when step "+s.ID+" ended")
			v.Picture.draw(s)
			return
		}
	}
}

// box is a place that is marked on a picture. Its kind is told by its line and
// by its label, not by colour alone.
type box struct {
	Kind, Label, Text   string
	X, Y, Width, Height int
	LabelX, LabelY      int // where the label's text begins
}

// draw marks what the step was about: its target, the element of its check,
// what OCR read, and the closest elements.
func (p *picture) draw(s *results.Step) {
	if r := s.Resolution; r != nil {
		p.mark("target", "target", r.Element.String(), r.Element.Bounds)
	}
	if pc := s.Postcondition; pc != nil {
		if pc.Element != nil {
			p.mark("found", "element", pc.Element.String(), pc.Element.Bounds)
		}
		if pc.OCR != nil {
			p.mark("ocr", "OCR", pc.OCR.String(), pc.OCR.Box)
		}
	}
	if s.Failure != nil {
		for i, c := range s.Failure.Candidates {
			p.mark("candidate", fmt.Sprint(i+1), fmt.Sprintf("candidate %d: %s", i+1, c.Element), c.Element.Bounds)
		}
	}
}

// mark adds a box where it is on the picture.
func (p *picture) mark(kind, label, text string, b *results.Box) {
	if !p.Shown() || b == nil || b.Width <= 0 || b.Height <= 0 ||
		b.X >= p.Width || b.Y >= p.Height || b.X+b.Width <= 0 || b.Y+b.Height <= 0 {
		return
	}
	const (
		margin = 4  // around what is marked, so that its edge is seen
		line   = 22 // the height of a label
	)
	x, y, width, tall := b.X-margin, b.Y-margin, b.Width+2*margin, b.Height+2*margin
	labelY := y - 6
	if labelY < line {
		labelY = min(y+tall+line, p.Height-4)
	}
	p.Boxes = append(p.Boxes, box{kind, label, text, x, y, width, tall, max(x, 2), labelY})
}
