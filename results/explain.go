package results

import (
	"fmt"
	"strings"
)

// Line is one labelled line of an explanation.
type Line struct {
	// Label is one word ("expected", "observed", "ocr", "detail", "reached",
	// "closest", "repair", "probe").
	Label string
	// Text is what it says, as raw as its source; it can hold anything.
	Text string
}

// Explain is everything that is known about why the step did not pass beyond
// its reason, most telling first; nothing for a step without a failure.
func (s *Step) Explain() []Line {
	if s.Failure == nil {
		return nil
	}
	var lines []Line
	if pc := s.Postcondition; pc != nil && pc.Checked && !pc.Met {
		lines = append(lines, Line{"expected", pc.Expected()})
		if pc.Observed != "" {
			lines = append(lines, Line{"observed", pc.Observed})
		}
		if pc.OCR != nil {
			lines = append(lines, Line{"ocr", pc.OCR.String()})
		}
	}
	if s.Script != nil {
		lines = append(lines, s.Script.explain(s.Failure.Reason)...)
	}
	return append(lines, s.Failure.explain(s.Status == StepBroken)...)
}

// Expected is the postcondition with the time that it had, where it had one.
func (pc *PostconditionResult) Expected() string {
	if pc.TimeoutMS == 0 {
		return pc.String()
	}
	return fmt.Sprintf("%s within %d ms", pc, pc.TimeoutMS)
}

// Explain is everything that is known about a fault beyond its reason.
func (f *Failure) Explain() []Line { return f.explain(true) }

// explain lists the probes where something is amiss with the environment or
// where all are asked for.
func (f *Failure) explain(allProbes bool) []Line {
	var lines []Line
	for _, d := range f.Details {
		lines = append(lines, Line{"detail", d})
	}
	for _, e := range f.Evidence {
		lines = append(lines, Line{"evidence", e})
	}
	if f.Reached != "" {
		lines = append(lines, Line{"reached", f.Reached})
	}
	for _, c := range f.Candidates {
		text := c.Element.String()
		if len(c.Differs) > 0 {
			text += ": " + strings.Join(c.Differs, ", ")
		}
		lines = append(lines, Line{"closest", text})
	}
	if f.SelfHeal != nil && f.SelfHeal.Patch != "" {
		lines = append(lines, Line{"repair", f.SelfHeal.Patch})
	}
	for _, p := range f.Probes {
		if allProbes || !p.OK {
			lines = append(lines, Line{"probe", p.String()})
		}
	}
	return lines
}

// String is the postcondition as reasons have it: window_title_contains='Export'.
func (pc *PostconditionResult) String() string {
	return pc.Kind + "='" + pc.Value + "'"
}

// String says by what the target was found, and of several which one:
// "exact title (1 of 3: can be clicked)".
func (r *Resolution) String() string {
	if r.Matched < 2 {
		return string(r.Means)
	}
	return fmt.Sprintf("%s (1 of %d: %s)", r.Means, r.Matched, r.Rule)
}

// String says what was read and how sure that is.
func (o *OCRResult) String() string {
	area := ""
	if o.Area != "" {
		area = " in " + o.Area
	}
	switch {
	case o.Found:
		return fmt.Sprintf("read '%s'%s, confidence %.0f%%%s", o.Text, area, o.Confidence, o.Box.at())
	case o.Text == "":
		return "read nothing like it" + area
	default:
		return fmt.Sprintf("closest text read is '%s'%s, %s off, confidence %.0f%%%s",
			o.Text, area, plural(o.Distance, "character"), o.Confidence, o.Box.at())
	}
}

// at says where the box is, "" for none.
func (b *Box) at() string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf(", at %d,%d size %dx%d", b.X, b.Y, b.Width, b.Height)
}

// String is the element as reasons have it: [push button] 'PDF' in Numbers.
func (e ElementInfo) String() string {
	text := fmt.Sprintf("[%s] '%s'", e.Role, e.Title)
	if e.App != "" {
		text += " in " + e.App
	}
	switch {
	case !e.Showing:
		text += " (hidden)"
	case !e.Sensitive:
		text += " (insensitive)"
	}
	return text
}

// String is the part and its answer: "X server: FAILED, no answer within 2 s".
func (p Probe) String() string {
	switch {
	case p.OK && p.Detail == "":
		return p.Part + ": ok"
	case p.OK:
		return fmt.Sprintf("%s: ok, %s", p.Part, p.Detail)
	case p.Detail == "":
		return p.Part + ": FAILED"
	default:
		return fmt.Sprintf("%s: FAILED, %s", p.Part, p.Detail)
	}
}

// plural is the number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OCRFound lists the steps whose postcondition held by text that was read
// from pixels.
func (at *Attempt) OCRFound() []*Step {
	var steps []*Step
	for i := range at.Steps {
		if pc := at.Steps[i].Postcondition; pc != nil && pc.Met && pc.Means == MeansOCR {
			steps = append(steps, &at.Steps[i])
		}
	}
	return steps
}
