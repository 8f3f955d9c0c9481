// Package comparison writes what is new in a run for people: as text for a
// terminal and as Markdown for comments and summaries.
package comparison

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

// Text writes the comparison as text.
func Text(w io.Writer, c *compare.Comparison) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n%s\n", clean(title(c)), clean(against(c)))
	for _, g := range c.Groups() {
		fmt.Fprintf(b, "\n%s (%d)\n", g.Title, len(g.Programs))
		for i := range g.Programs {
			p := &g.Programs[i]
			fmt.Fprintf(b, "  %s\n", clean(name(p)))
			for _, l := range lines(g.Kind, p) {
				fmt.Fprintf(b, "    %-12s %s\n", l.label, clean(l.text))
			}
		}
	}
	if len(c.Groups()) == 0 {
		fmt.Fprintf(b, "\nnothing new\n")
	}
	for _, note := range c.Notes {
		fmt.Fprintf(b, "\nnote: %s\n", clean(note))
	}
	return b.Flush()
}

// title names the run.
func title(c *compare.Comparison) string {
	text := fmt.Sprintf("%s  %s  %s, %s", c.Run.ID, c.Run.Suite, plural(c.Programs, "program"), c.Run.Status)
	if c.Run.Interrupted {
		text += ", interrupted"
	}
	if c.Part != "" {
		text += "  (" + c.Part + ": what was removed is not known)"
	}
	return text
}

// against says what the run is held against.
func against(c *compare.Comparison) string {
	switch {
	case c.Earlier == nil:
		return "there is no earlier run: everything counts as new"
	case c.With == compare.LastGood:
		return fmt.Sprintf("compared with each program's last good run; the run before it is %s", c.Earlier.ID)
	default:
		return fmt.Sprintf("compared with %s of %s", c.With, date(compare.RunRef{StartedAt: c.Earlier.StartedAt}))
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// name is the program with the number of the repetition.
func name(p *compare.ProgramChange) string {
	if p.Repeat > 0 {
		return fmt.Sprintf("%s (repeat %d)", p.Name, p.Repeat)
	}
	return p.Name
}

// line is a labelled line about a program.
type line struct{ label, text string }

// lines is what there is to say about a program in one of the lists.
func lines(kind compare.Kind, p *compare.ProgramChange) []line {
	var list []line
	add := func(label, format string, args ...any) {
		list = append(list, line{label, fmt.Sprintf(format, args...)})
	}
	if p.Status != "" && p.Status != results.Passed {
		add(string(p.Status), "%s", p.Reason)
	}
	if p.Step != nil {
		place := ""
		if p.File != "" && p.Step.Line > 0 {
			place = fmt.Sprintf("  (%s:%d)", p.File, p.Step.Line)
		}
		add("step", "%s %s%s", p.Step.ID, p.Step.Summary, place)
	}
	if p.Quarantine != nil {
		add("quarantine", "until %s: %s", p.Quarantine.Until, p.Quarantine.Issue)
	}
	switch {
	case kind == compare.Fixed && p.Since != nil:
		add("was failing", "since %s, in %s", ref(*p.Since), plural(p.FailingRuns, "run"))
	case kind == compare.StillFailing && p.Since != nil:
		add("since", "%s, for %s now", ref(*p.Since), plural(p.FailingRuns, "run"))
	}
	switch {
	case p.LastGood != nil && kind != compare.Added:
		add("last good", "%s", ref(*p.LastGood))
	case kind == compare.NewlyFailing || kind == compare.StillFailing || kind == compare.Broken:
		add("last good", "none that is known")
	}
	for _, d := range p.Drift {
		add("drift", "step %s: %s", d.Step.ID, d.Message)
	}
	if p.Slowdown != nil {
		add("slower", "%s", p.Slowdown)
	}
	if f := p.Flakiness; f != nil && f.Percent > 0 && (kind == compare.Flaky || kind == compare.NewlyFailing) {
		add("flakiness", "%g %% of %s (%d flaky, %s without a change)", f.Percent, plural(f.Runs, "run"), f.Flaky, plural(f.Flips, "flip"))
	}
	return append(list, changes(p.Changed)...)
}

// changes is what changed since a last good run.
func changes(d *compare.Differences) []line {
	if d == nil {
		return nil
	}
	var list []line
	add := func(label, format string, args ...any) {
		list = append(list, line{label, fmt.Sprintf(format, args...)})
	}
	for _, p := range d.Packages {
		add("package", "%s %s", p.Name, arrow(p.Before, p.After))
	}
	if d.Program != nil {
		for _, s := range d.Program.Steps {
			list = append(list, stepLines(s)...)
		}
		for _, f := range d.Program.Fields {
			add("program", "%s %s", f.Name, arrow(f.Before, f.After))
		}
		for _, l := range d.Program.Lines {
			add("program", "line %d %s: %s", l.Line, l.How, strings.TrimSpace(l.Text))
		}
		if n := d.Program.MoreLines; n > 0 {
			add("program", "and %s", plural(n, "more line"))
		}
		switch p := d.Program; {
		case p.ContentUnknown:
			add("program", "the file changed; what it was is not known")
		case p.TooLarge:
			add("program", "the file changed; it is too large to be compared line by line")
		case len(p.Lines)+len(p.Steps)+len(p.Fields) == 0:
			add("program", "the file changed in its layout only")
		}
	}
	for _, v := range d.Environment {
		add("environment", "%s %s", v.Name, arrow(v.Before, v.After))
	}
	if d.Commits != nil {
		add("commits", "%s", d.Commits)
	}
	if d.PackagesUnknown {
		add("package", "the versions of one of the two runs are not known")
	}
	if d.ProgramUnknown {
		add("program", "the file of one of the two runs is not known")
	}
	if d.Empty() && len(list) == 0 {
		add("changed", "nothing that is known")
	}
	return list
}

// stepLines says how a step changed.
func stepLines(s compare.StepChange) []line {
	switch s.How {
	case compare.StepAdded, compare.StepRemoved:
		return []line{{"program", fmt.Sprintf("step %s %s: %s", s.ID, s.How, s.Text)}}
	case compare.StepMoved:
		return []line{{"program", fmt.Sprintf("step %s moved from place %d to %d", s.ID, s.Before+1, s.After+1)}}
	}
	var list []line
	for _, f := range s.Fields {
		list = append(list, line{"program", fmt.Sprintf("step %s: %s %s", s.ID, f.Name, arrow(f.Before, f.After))})
	}
	return list
}

// arrow is a value's way from before to after.
func arrow(before, after string) string {
	switch {
	case before == "":
		return "added: " + after
	case after == "":
		return "removed (was " + before + ")"
	}
	return before + " → " + after
}

func ref(r compare.RunRef) string { return fmt.Sprintf("%s (%s)", date(r), r.ID) }

// date is when a run began, for people.
func date(r compare.RunRef) string { return r.StartedAt.UTC().Format("2006-01-02 15:04 UTC") }

// maxText bounds the text of a line, in characters.
const maxText = 500

// clean makes a text one line that cannot drive a terminal.
func clean(text string) string {
	out := []rune(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == unicode.ReplacementChar:
			return '�'
		}
		return r
	}, text))
	if len(out) > maxText {
		out = append(out[:maxText-1], '…')
	}
	return string(out)
}
