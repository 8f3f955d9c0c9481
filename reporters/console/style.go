package console

import "github.com/opendesk/opendesk/results"

// style is a colour, as the parameter of a terminal's colour sequence.
type style string

const (
	none    style = ""
	bold    style = "1"
	dim     style = "2"
	red     style = "1;31"
	green   style = "32"
	yellow  style = "33"
	magenta style = "1;35"
	cyan    style = "36"
)

// paint colours a clean text where colours are on.
func (c *Console) paint(st style, s string) string {
	if !c.opts.Color || st == none || s == "" {
		return s
	}
	return "\x1b[" + string(st) + "m" + s + "\x1b[0m"
}

// labelWidth fits the longest of the labels.
const labelWidth = len("INVALID")

// label is a status in a line about a program.
func label(s results.Status) (string, style) {
	switch s {
	case results.Passed:
		return "PASS", green
	case results.Flaky:
		return "FLAKY", yellow
	case results.Failed:
		return "FAIL", red
	case results.Invalid:
		return "INVALID", yellow
	case results.Skipped:
		return "SKIP", cyan
	default:
		return "BROKEN", magenta
	}
}

// stepLabel is a status in a line about a step.
func stepLabel(s results.StepStatus) (string, style) {
	switch s {
	case results.StepPassed:
		return "ok", green
	case results.StepFailed:
		return "failed", red
	case results.StepBlocked:
		return "blocked", dim
	default:
		return "broken", magenta
	}
}
