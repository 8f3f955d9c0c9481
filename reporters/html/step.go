package html

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// step is a line of the timeline.
type step struct {
	ID, Place, Summary, Note string
	Status                   status
	BlockedBy                string
	Parts                    []part
	Total                    int64
	At, Width                float64 // on the timeline, in 1/1000
	Found                    string  // how the target was found
	ActedBy, Value           string
	Script                   *ranScript
	Check                    *check
	Notes                    []string
	Warnings                 []results.Warning
	Failure                  *failure
	Files                    []link
}

// part is what one thing took within a step.
type part struct {
	Name      string // resolve, act, wait, check or other
	MS        int64
	At, Width float64 // on the timeline, in 1/1000
}

// check is what came of a postcondition.
type check struct {
	Text, Word, Observed, Means string
	Element, OCR                string
	Met, Checked                bool
}

// stepMaker makes the steps of one attempt.
type stepMaker struct {
	view     *view
	program  *results.Program
	attempt  *results.Attempt
	warnings map[string][]results.Warning
	id       string // of the attempt's element
}

func (m *stepMaker) steps(a *attempt) {
	a.Length = m.length()
	for i := range m.attempt.Steps {
		from := &m.attempt.Steps[i]
		s := m.step(from, a.Length)
		a.Steps = append(a.Steps, s)
		if s.Failure != nil && a.Failing == nil {
			a.Failing = s
		}
	}
	if f := m.attempt.Fault; f != nil {
		a.Fault = newFailure(f)
	}
	told := a.Fault != nil && a.Fault.Reason == m.attempt.Reason || a.Failing != nil && a.Failing.Failure.Reason == m.attempt.Reason
	if !told {
		a.Reason = m.attempt.Reason
	}
}

// offset is when the step began, in milliseconds from the first one's start.
func (m *stepMaker) offset(s *results.Step) int64 {
	for i := range m.attempt.Steps {
		if first := m.attempt.Steps[i].StartedAt; !first.IsZero() && !s.StartedAt.Before(first) {
			return s.StartedAt.Sub(first).Milliseconds()
		}
	}
	return 0
}

// length is the timeline's, in milliseconds: from the first step's start to
// the last one's end.
func (m *stepMaker) length() int64 {
	var last int64 = 1
	for i := range m.attempt.Steps {
		s := &m.attempt.Steps[i]
		last = max(last, m.offset(s)+max(s.Timing.TotalMS, 0))
	}
	return last
}

func (m *stepMaker) step(from *results.Step, length int64) *step {
	s := &step{
		ID: from.ID, Note: from.Note,
		Summary: cmp.Or(from.Summary, strings.TrimSpace(from.Tool+" "+from.Action), from.ID),
		Status:  statusOf(string(from.Status)), BlockedBy: from.BlockedBy, ActedBy: from.ActedBy, Value: from.Value,
		Notes: from.Notes, Warnings: m.warnings[from.ID], Total: from.Timing.TotalMS,
	}
	if from.Line > 0 {
		s.Place = fmt.Sprintf("%s:%d:%d", cmp.Or(m.program.File, m.program.Path), from.Line, from.Column)
	}
	s.time(from.Timing, float64(m.offset(from)), float64(length))
	if r := from.Resolution; r != nil {
		s.Found = r.String() + ": " + where(r.Element)
	}
	if from.Script != nil && from.Failure == nil { // the failure tells of it
		s.Script = newScript(from.Script)
	}
	if pc := from.Postcondition; pc != nil {
		s.Check = newCheck(from, pc)
	}
	for _, a := range from.Artifacts {
		s.Files = append(s.Files, m.link(a))
	}
	if from.Failure != nil {
		s.Failure = newFailure(from.Failure)
		s.Failure.step(m, from)
	}
	return s
}

// time lays the step's parts out on the timeline.
func (s *step) time(t results.Timing, at, length float64) {
	scale := 1000 / length
	other := max(0, t.TotalMS-t.ResolveMS-t.ActMS-t.WaitMS-t.CheckMS)
	s.At, s.Width = at*scale, float64(t.TotalMS)*scale
	for _, p := range []part{
		{Name: "resolve", MS: t.ResolveMS}, {Name: "act", MS: t.ActMS}, {Name: "wait", MS: t.WaitMS},
		{Name: "check", MS: t.CheckMS}, {Name: "other", MS: other},
	} {
		if p.MS <= 0 {
			continue
		}
		p.At, p.Width = at*scale, max(2, float64(p.MS)*scale) // at least visible
		at += float64(p.MS)
		s.Parts = append(s.Parts, p)
	}
}

// where is the element with the window that it is in, and its identifier.
func where(e results.ElementInfo) string {
	text := e.String()
	if e.Window != "" {
		text += fmt.Sprintf(", window '%s'", e.Window)
	}
	if e.Identifier != "" {
		text += fmt.Sprintf(", identifier '%s'", e.Identifier)
	}
	return text
}

func newCheck(from *results.Step, pc *results.PostconditionResult) *check {
	c := &check{Text: pc.String(), Observed: pc.Observed, Met: pc.Met, Checked: pc.Checked}
	if pc.Element != nil {
		c.Element = where(*pc.Element)
	}
	if pc.OCR != nil {
		c.OCR = pc.OCR.String()
	}
	switch {
	case pc.Met:
		c.Word, c.Means = "met", string(pc.Means)
	case pc.Checked:
		c.Word = "not met"
	case from.Status == results.StepBlocked:
		c.Word = "not reached"
	default:
		c.Word = "not checked"
	}
	return c
}
