// Package markdown writes a run as GitHub Flavored Markdown of a bounded size:
// for comments on pull requests, and for summaries of jobs.
//
// It begins with the verdict, then says in a line each what did not pass, then
// everything that is known of each failure, as long as there is room; it ends
// with how many are left out. Texts from programs and applications stand in code
// spans and code blocks, where they mean nothing and call nobody.
package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// MaxComment is what a comment on GitHub may have, in characters; sizes here are
// in bytes, which are never fewer.
const MaxComment = 65_536

// Options say how large the text may be.
type Options struct {
	// Limit is the largest size in bytes, MaxComment where it is 0. What is
	// below minLimit counts as that.
	Limit int
}

// minLimit is what the verdict alone takes at most.
const minLimit = 8 << 10

// What is written of single texts at most, in bytes.
const (
	maxText    = 400     // in a line
	maxDetails = 8 << 10 // of one failure
)

// Write writes the run as Markdown.
func Write(w io.Writer, run *results.Run, opts Options) error {
	limit := opts.Limit
	if limit == 0 {
		limit = MaxComment
	}
	if _, err := io.WriteString(w, render(run, max(limit, minLimit))); err != nil {
		return fmt.Errorf("write results as Markdown: %w", err)
	}
	return nil
}

func render(run *results.Run, limit int) string {
	p := &page{limit: limit - 200} // for the words on what is left out
	p.add(head(run))
	bad := notPassed(run)
	p.lines(bad, limit/2)
	p.details(bad)
	return p.text.String()
}

// page is the text so far, and how large it may become.
type page struct {
	text  strings.Builder
	limit int
}

// add adds a text where there is room for it.
func (p *page) add(text string) bool {
	if p.text.Len()+len(text) > p.limit {
		return false
	}
	p.text.WriteString(text)
	return true
}

// lines lists what did not pass, in a line each, up to a size.
func (p *page) lines(bad []*results.Program, limit int) {
	for i, prog := range bad {
		text := line(prog)
		if p.text.Len()+len(text) > limit || !p.add(text) {
			p.text.WriteString(fmt.Sprintf("- %d more\n", len(bad)-i))
			return
		}
	}
}

// details tells of each failure what is known, as long as there is room.
func (p *page) details(bad []*results.Program) {
	var told []*results.Program
	for _, prog := range bad {
		if prog.Status != results.Flaky {
			told = append(told, prog)
		}
	}
	for i, prog := range told {
		if !p.add(details(prog)) {
			p.text.WriteString(fmt.Sprintf("\n%d more: see results.json\n", len(told)-i))
			return
		}
	}
}

// head is the verdict and the counts.
func head(run *results.Run) string {
	var b strings.Builder
	n := results.Count(run.Programs)
	fmt.Fprintf(&b, "## %s %s\n\n", verdict(run), code(run.Suite, 100))
	var parts []string
	for _, one := range []struct {
		n    int
		word results.Status
	}{
		{n.Failed, results.Failed}, {n.Broken, results.Broken}, {n.Invalid, results.Invalid},
		{n.Flaky, results.Flaky}, {n.Passed, results.Passed}, {n.Skipped, results.Skipped},
	} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.word))
		}
	}
	fmt.Fprintf(&b, "**%s**", plural(n.Programs, "program"))
	if len(parts) > 0 {
		b.WriteString(": " + strings.Join(parts, ", "))
	}
	fmt.Fprintf(&b, " · %d of %s met · %s · exit code %d: %s\n\n",
		n.PostconditionsMet, plural(n.Postconditions, "postcondition"), seconds(run.DurationMS), run.ExitCode, meaning(run))
	for i, note := range run.Notes {
		if i == maxNotes {
			fmt.Fprintf(&b, "- %s more\n", plural(len(run.Notes)-i, "note"))
			break
		}
		fmt.Fprintf(&b, "- note: %s\n", code(note, maxText))
	}
	return b.String()
}

// maxNotes is how many notes on the run are written.
const maxNotes = 10

// verdict is the run in one word.
func verdict(run *results.Run) string {
	switch run.ExitCode {
	case results.ExitPassed:
		return "✅ Passed:"
	case results.ExitFailed:
		return "❌ Failed:"
	case results.ExitInterrupted:
		return "⏹️ Interrupted:"
	case results.ExitBroken:
		return "⚠️ Broken:"
	}
	if results.Count(run.Programs).Invalid > 0 {
		return "⚠️ Invalid:"
	}
	return "⚠️ Nothing to run:"
}

// meaning is what the exit code says. One that a stricter policy gave has its
// reason among the notes.
func meaning(run *results.Run) string {
	n := results.Count(run.Programs)
	switch {
	case run.ExitCode == results.ExitFailed && n.Failed == 0:
		return "what --fail-on names"
	case run.ExitCode == results.ExitPassed && n.Failed+n.Invalid > 0:
		return "what failed was failing before (`--fail-on new-failures`)"
	case run.ExitCode == results.ExitPassed && n.Passed+n.Flaky < n.Programs:
		return "nothing that was run failed"
	case run.ExitCode == results.ExitPassed && n.Flaky > 0:
		return "all programs passed, some on a retry only"
	}
	return results.ExitMeaning(run.ExitCode)
}

// notPassed are the programs that are worth a line, worst first.
func notPassed(run *results.Run) []*results.Program {
	var list []*results.Program
	for _, status := range []results.Status{results.Failed, results.Broken, results.Invalid, results.Flaky, results.Skipped} {
		for i := range run.Programs {
			p := &run.Programs[i]
			if p.Status == status && (status != results.Skipped || p.Excused()) {
				list = append(list, p)
			}
		}
	}
	return list
}

// line is a program that did not pass in one line.
func line(p *results.Program) string {
	word := string(p.Status)
	if p.Excused() {
		word = "in quarantine"
	}
	place := ""
	if s := faulty(p); s != nil && p.Status != results.Flaky {
		place = fmt.Sprintf(", step %s, line %d", code(s.ID, 60), s.Line)
	} else if pr := p.FirstError(); pr != nil && pr.Line > 0 && p.Status == results.Invalid {
		place = fmt.Sprintf(", line %d", pr.Line)
	}
	return fmt.Sprintf("- **%s** %s%s: %s\n", word, code(name(p), 200), place, code(p.Reason, maxText))
}

// details is all that is known of a program that did not pass.
func details(p *results.Program) string {
	var lines []string
	explain := func(list []results.Line) {
		for _, l := range list {
			lines = append(lines, "  "+l.Label+": "+strings.TrimSpace(cut(l.Text, maxDetails)))
		}
	}
	final := p.Final()
	switch s := faulty(p); {
	case s != nil:
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s %s", p.File, s.Line, s.Column, s.ID, s.Summary), cut(s.Failure.Reason, maxDetails))
		explain(s.Explain())
	case final != nil && final.Fault != nil:
		lines = append(lines, cut(final.Fault.Reason, maxDetails))
		explain(final.Fault.Explain())
	case len(p.Problems) > 0:
		for _, f := range p.Problems {
			lines = append(lines, f.Place()+": "+f.Severity+": "+f.Text())
		}
	default:
		return ""
	}
	text := cut(strings.Join(lines, "\n"), maxDetails)
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fmt.Sprintf("\n<details><summary><code>%s</code></summary>\n\n%s\n%s\n%s\n\n</details>\n",
		escapeHTML(cut(oneLine(name(p)), 200)), fence, clean(text), fence)
}

// faulty is the step that ended the deciding attempt, nil for none.
func faulty(p *results.Program) *results.Step {
	final := p.Final()
	if final == nil {
		return nil
	}
	for i := range final.Steps {
		if s := &final.Steps[i]; s.Failure != nil && (s.Status == results.StepFailed || s.Status == results.StepBroken) {
			return s
		}
	}
	return nil
}

// name is a program's short name, with the number of the repetition.
func name(p *results.Program) string {
	short := strings.TrimSuffix(strings.TrimPrefix(p.Path, ".opendesk/"), ".program.json")
	if p.Repeat > 0 {
		short += fmt.Sprintf(" (repeat %d)", p.Repeat)
	}
	return short
}
