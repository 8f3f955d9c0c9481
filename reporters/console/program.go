package console

import (
	"fmt"
	"path"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// maxNameColumns is the widest column of program names.
const maxNameColumns = 44

// indent stands before everything below a program's line.
const indent = "        "

// displayName is a program's short name: learned/export-report.
func displayName(programPath string) string {
	name := strings.TrimSuffix(programPath, ".program.json")
	return clean(strings.TrimPrefix(name, ".opendesk/"))
}

// programName is a program's short name, with the number of the repetition.
func programName(p *results.Program) string {
	if p.Repeat == 0 {
		return displayName(p.Path)
	}
	return fmt.Sprintf("%s (repeat %d)", displayName(p.Path), p.Repeat)
}

// program writes what is to be said about a program that has ended.
func (c *Console) program(p *results.Program) {
	passed := p.Status == results.Passed
	excused := p.Excused()
	skipped := p.Status == results.Skipped && !excused
	verbose := c.opts.Verbosity >= Verbose
	if (passed || skipped) && c.opts.Verbosity < Normal {
		return
	}
	if skipped && len(p.Attempts) == 0 && !verbose {
		return // what was not begun is counted in the summary
	}
	if !passed && !skipped {
		c.gap()
	}
	c.line(c.programLine(p))
	if verbose {
		c.steps(p)
	}
	if p.Status != results.Invalid {
		c.misread(p)
	}
	switch p.Status {
	case results.Failed, results.Broken:
		c.failure(p)
	case results.Skipped:
		if excused {
			shown := *p
			shown.Reason = p.Final().Reason // the line above has the rest
			c.failure(&shown)
		}
	case results.Flaky:
		c.detail("reason", p.Reason)
	case results.Invalid:
		c.problems(p)
	}
	if verbose || !passed {
		c.warnings(p)
		c.otherAttempts(p)
	}
	if !passed && !skipped {
		c.gap()
	}
}

// programLine is a program's verdict in one line.
func (c *Console) programLine(p *results.Program) string {
	word, st := label(p.Status)
	text := c.paint(st, word) + strings.Repeat(" ", labelWidth-len(word)+1)
	name := programName(p)
	switch {
	case p.Status == results.Skipped:
		return text + pad(name, c.name) + "  " + clean(p.Reason) + underWay(p)
	case p.Status == results.Invalid:
		said := clean(p.Reason)
		if n := errorsOf(p); n > 0 {
			said = plural(n, "error") // they are in the lines below
		}
		return text + pad(name, c.name) + "  " + said
	}
	text += pad(name, c.name)
	if final := p.Final(); final != nil {
		steps, pcs := tally(final)
		text += "  " + pad(steps, 11) + "  " + pad(pcs, 18)
	}
	text += "  " + pad(seconds(p.DurationMS), 6)
	for _, remark := range c.remarks(p) {
		text += "  " + c.paint(yellow, remark)
	}
	return text
}

// errorsOf counts what keeps a file from being run.
func errorsOf(p *results.Program) (n int) {
	for _, problem := range p.Problems {
		if problem.Severity != "warning" {
			n++
		}
	}
	return n
}

// underWay says in which step a program was interrupted.
func underWay(p *results.Program) string {
	if final := p.Final(); final != nil && final.Status == results.Skipped {
		for i := range final.Steps {
			if s := &final.Steps[i]; s.Status == results.StepBlocked && !s.StartedAt.IsZero() {
				return fmt.Sprintf(" in step %d/%d, %s %s", s.Index+1, len(final.Steps), clean(s.ID), clean(s.Summary))
			}
		}
	}
	return ""
}

// tally is how many of the steps passed and how many of the postconditions
// were met.
func tally(at *results.Attempt) (steps, postconditions string) {
	passed, checks, met := 0, 0, 0
	for i := range at.Steps {
		if at.Steps[i].Status == results.StepPassed {
			passed++
		}
		if pc := at.Steps[i].Postcondition; pc != nil {
			checks++
			if pc.Met {
				met++
			}
		}
	}
	return fmt.Sprintf("%d/%d steps", passed, len(at.Steps)), fmt.Sprintf("%d/%d postconditions", met, checks)
}

// remarks are what one should see without asking for more.
func (c *Console) remarks(p *results.Program) []string {
	var remarks []string
	if final := p.Final(); final != nil && len(final.OCRFound()) > 0 {
		remarks = append(remarks, "text found by OCR")
	}
	if n := len(p.Attempts); n > 1 {
		remarks = append(remarks, plural(n, "attempt"))
	}
	if n := len(p.Warnings); n > 0 && p.Status == results.Passed && c.opts.Verbosity < Verbose {
		seen := map[results.WarningKind]bool{}
		var kinds []string
		for _, w := range p.Warnings {
			if !seen[w.Kind] {
				seen[w.Kind] = true
				kinds = append(kinds, clean(string(w.Kind)))
			}
		}
		remarks = append(remarks, plural(n, "warning")+" ("+strings.Join(kinds, ", ")+")")
	}
	return remarks
}

// steps lists every step of the deciding attempt.
func (c *Console) steps(p *results.Program) {
	final := p.Final()
	if final == nil {
		return
	}
	for i := range final.Steps {
		s := &final.Steps[i]
		word, st := stepLabel(s.Status)
		text := indent + c.paint(st, pad(word, len("blocked"))) + "  " + pad(clean(s.ID), 4) + "  " + clean(s.Summary)
		if s.Resolution != nil {
			text += c.paint(dim, "  by "+clean(s.Resolution.String()))
		}
		if pc := s.Postcondition; pc != nil && pc.Met {
			text += "  " + clean(pc.String()) + c.paint(dim, " by "+clean(string(pc.Means)))
		}
		if s.Status != results.StepBlocked {
			text += "  " + c.paint(dim, seconds(s.Timing.TotalMS))
		}
		c.line(text)
		if pc := s.Postcondition; pc != nil && pc.Met && pc.OCR != nil {
			c.detail("ocr", pc.OCR.String())
		}
		if s.Value != "" {
			c.detail("value", s.Value)
		}
		if s.Script != nil && s.Failure == nil {
			c.explain(s.Script.Told())
		}
		for _, note := range s.Notes {
			c.detail("note", note)
		}
	}
}

// problems lists what the loader found, errors first as it gives them.
func (c *Console) problems(p *results.Program) {
	for _, problem := range p.Problems {
		st := red
		if problem.Severity == "warning" {
			if c.opts.Verbosity < Verbose {
				continue
			}
			st = yellow
		}
		c.line(indent + c.paint(bold, clean(problem.Place())) + ": " + c.paint(st, clean(problem.Text())))
	}
}

// misread lists what a program says that the format does not know: where it is
// a misspelling, the program checks less than its author thinks.
func (c *Console) misread(p *results.Program) {
	for _, problem := range p.Problems {
		if c.opts.Verbosity < Verbose && problem.Code != "unknown-field" && problem.Code != "unknown-parameter" {
			continue
		}
		c.detail("file", fmt.Sprintf("%d:%d: %s %s", problem.Line, problem.Column, problem.JSONPath, problem.Message))
	}
}

// warnings lists the warnings of a program.
func (c *Console) warnings(p *results.Program) {
	for _, w := range p.Warnings {
		text := w.Message
		if w.Step != "" {
			text = w.Step + ": " + text
		}
		c.detail(string(w.Kind), text)
	}
}

// otherAttempts says how the attempts that did not decide ended.
func (c *Console) otherAttempts(p *results.Program) {
	final := p.Final()
	for i := range p.Attempts {
		if at := &p.Attempts[i]; at != final {
			text := string(at.Status)
			if at.Reason != "" {
				text += ": " + at.Reason
			}
			c.detail(fmt.Sprintf("attempt %d", at.Number), text)
		}
	}
}

// detail writes a labelled text below a program's line.
func (c *Console) detail(label, text string) {
	c.line(indent + "  " + c.paint(dim, pad(clean(label), 10)) + "  " + clean(text))
}

// artifactPath is where a file lies, as it is shown to people.
func (c *Console) artifactPath(a results.Artifact) string {
	return path.Join(c.opts.ResultsDir, a.Name)
}
