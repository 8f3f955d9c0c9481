package console

import (
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// recapFrom is the number of programs from which on those that did not pass
// are listed once more at the end, since they have scrolled away.
const recapFrom = 8

// summary ends the report.
func (c *Console) summary(run *results.Run) {
	if c.opts.Verbosity >= Normal {
		c.gap()
		c.recap(run)
		c.skipped(run)
		c.counts(run)
		if run.News != "" {
			c.line(clean(run.News))
		}
		for _, note := range run.Notes {
			c.line(c.paint(yellow, "note: ") + clean(note))
		}
	}
	word, st := verdict(run)
	text := c.paint(st, word)
	if c.opts.Verbosity < Normal {
		text += "  " + countsText(run.Counts)
	}
	c.line(text + "  " + exitText(run))
	if c.opts.ResultsDir != "" {
		c.line(c.paint(dim, "results in ") + clean(c.opts.ResultsDir))
	}
}

// recap lists what did not pass, in a line each.
func (c *Console) recap(run *results.Run) {
	if len(run.Programs) < recapFrom {
		return
	}
	for i := range run.Programs {
		p := &run.Programs[i]
		switch p.Status {
		case results.Passed, results.Skipped:
			if !p.Excused() {
				continue
			}
		}
		c.block = false
		word, st := label(p.Status)
		text := c.paint(st, word) + strings.Repeat(" ", labelWidth-len(word)+1) + pad(programName(p), c.name)
		if final := p.Final(); final != nil && p.Status != results.Flaky {
			if s := faultyStep(final); s != nil {
				text += "  " + clean(s.ID)
			}
		}
		c.line(text + "  " + clean(p.Reason))
	}
	c.gap()
}

// skipped groups the skipped programs by reason.
func (c *Console) skipped(run *results.Run) {
	var order []string
	byReason := map[string]int{}
	for i := range run.Programs {
		if p := &run.Programs[i]; p.Status == results.Skipped && !p.Excused() {
			if byReason[p.Reason] == 0 {
				order = append(order, p.Reason)
			}
			byReason[p.Reason]++
		}
	}
	for _, reason := range order {
		c.line(c.paint(cyan, "skipped ") + fmt.Sprintf("%d: ", byReason[reason]) + clean(reason))
	}
}

// counts is how many programs and postconditions ended how.
func (c *Console) counts(run *results.Run) {
	n := run.Counts
	text := c.paint(bold, plural(n.Programs, "program"))
	if parts := countParts(n, c.paint); len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	c.line(text)
	c.line(fmt.Sprintf("%d of %s met, %s, %s",
		n.PostconditionsMet, plural(n.Postconditions, "postcondition"), plural(n.Steps, "step"), seconds(run.DurationMS)))
}

// countParts is every count that is not zero, worst first.
func countParts(n results.Counts, paint func(style, string) string) []string {
	var parts []string
	for _, one := range []struct {
		n    int
		word results.Status
	}{
		{n.Failed, results.Failed}, {n.Broken, results.Broken}, {n.Invalid, results.Invalid},
		{n.Flaky, results.Flaky}, {n.Passed, results.Passed}, {n.Skipped, results.Skipped},
	} {
		if one.n > 0 {
			_, st := label(one.word)
			parts = append(parts, paint(st, fmt.Sprintf("%d %s", one.n, one.word)))
		}
	}
	return parts
}

func countsText(n results.Counts) string {
	parts := countParts(n, func(_ style, s string) string { return s })
	return strings.Join(append(parts, fmt.Sprintf("%d/%d postconditions", n.PostconditionsMet, n.Postconditions)), ", ")
}

// verdict is the run in one word.
func verdict(run *results.Run) (string, style) {
	switch run.ExitCode {
	case results.ExitPassed:
		return "PASSED", green
	case results.ExitFailed:
		return "FAILED", red
	case results.ExitInterrupted:
		return "INTERRUPTED", yellow
	case results.ExitBroken:
		return "BROKEN", magenta
	}
	if run.Counts.Invalid > 0 {
		return "INVALID", yellow
	}
	return "NOTHING TO RUN", yellow
}

// exitText says what the exit code means, for codes that follow from the
// counts; a stricter policy names its own reasons in the run's notes.
func exitText(run *results.Run) string {
	text := fmt.Sprintf("exit code %d", run.ExitCode)
	n := run.Counts
	excused := 0
	for i := range run.Programs {
		if run.Programs[i].Excused() {
			excused++
		}
	}
	switch {
	case run.ExitCode == results.ExitPassed && n.Failed+n.Invalid > 0:
		return text + ": what failed was failing before (--fail-on new-failures)"
	case run.ExitCode == results.ExitPassed && excused > 0:
		return text + ": " + plural(excused, "program") + " failed in quarantine, nothing else did"
	case run.ExitCode == results.ExitPassed && n.Programs == n.Skipped:
		return text + ": nothing was run"
	case run.ExitCode == results.ExitPassed && n.Flaky > 0:
		return text + ": " + plural(n.Flaky, "program") + " passed on a retry only"
	case run.ExitCode == results.ExitPassed && n.Skipped > 0:
		return text + ": all programs that were run passed"
	case run.ExitCode == results.ExitFailed && n.Failed == 0:
		return text
	case run.ExitCode == results.ExitFailed && run.Interrupted:
		return text + ": " + results.ExitMeaning(run.ExitCode) + "; the run was interrupted"
	case run.ExitCode == results.ExitInvalid && n.Invalid > 0:
		return text + ": " + plural(n.Invalid, "file") + " invalid"
	case run.ExitCode == results.ExitInvalid:
		return text + ": no program was run"
	default:
		return text + ": " + results.ExitMeaning(run.ExitCode)
	}
}
