package junit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/opendesk/opendesk/results"
)

// maxNameValue is how much of an id and of a postcondition goes into a
// testcase's name, in characters. The step's index alone makes it unique.
const maxNameValue = 120

// cases makes the testcases of one program.
type cases struct {
	program   *results.Program
	classname string
	opts      Options
	// bare leaves out what no limits would leave of testcases that passed;
	// counted leaves out all but what there is to count.
	bare, counted bool
}

func (c *cases) all() []testcase {
	final := c.program.Final()
	if final == nil || len(final.Steps) == 0 {
		return []testcase{c.whole(final)}
	}
	list := make([]testcase, len(final.Steps))
	for i := range final.Steps {
		list[i] = c.step(final, &final.Steps[i])
	}
	list = c.blame(final, list)
	if !c.counted {
		c.attachLogs(list)
	}
	return list
}

// whole is the one testcase of a program of which no step is known.
func (c *cases) whole(final *results.Attempt) testcase {
	p := c.program
	tc := c.newCase("program", 1, p.DurationMS)
	switch p.Status {
	case results.Passed, results.Flaky:
	case results.Skipped:
		tc.Skipped = result("skipped", orElse(p.Reason, "skipped"), nil)
	case results.Failed:
		tc.Failure = c.programResult(final)
	case results.Invalid:
		tc.Name = "file is valid" + repetition(p)
		tc.Error = c.invalid(&tc)
	default:
		tc.Error = c.programResult(final)
	}
	list := []testcase{tc}
	c.attachLogs(list)
	return list[0]
}

// invalid is the error of a file that did not load, located at the first of
// its problems.
func (c *cases) invalid(tc *testcase) *junit.Result {
	var body []string
	for _, p := range c.program.Problems {
		body = append(body, p.Severity+": "+p.Place()+": "+p.Text())
	}
	message := c.program.Reason
	if e := c.program.FirstError(); e != nil {
		message, tc.Line = e.Place()+": "+e.Text(), max(e.Line, 1)
	}
	return result("invalid", orElse(message, "the file is invalid"), body)
}

// programResult is the failure or error of a program that no step accounts
// for.
func (c *cases) programResult(final *results.Attempt) *junit.Result {
	kind, reason := string(c.program.Status), c.program.Reason
	body := []string{reason}
	if final != nil && final.Fault != nil {
		kind = string(final.Fault.Kind)
		reason = orElse(reason, final.Fault.Reason)
		body = append(body, lines(final.Fault.Explain())...)
	}
	return result(kind, reason, body)
}

// blame makes sure that a program that failed or broke has a testcase that
// says so: where no step does, the first one that was not done.
func (c *cases) blame(final *results.Attempt, list []testcase) []testcase {
	status := c.program.Status
	if status != results.Failed && status != results.Broken {
		return list
	}
	firstSkipped := -1
	for i := range list {
		if list[i].Failure != nil || list[i].Error != nil {
			return list
		}
		if list[i].Skipped != nil && firstSkipped < 0 {
			firstSkipped = i
		}
	}
	if firstSkipped < 0 {
		list = append(list, c.newCase("program", 1, 0))
		firstSkipped = len(list) - 1
	}
	for i := firstSkipped + 1; i < len(list); i++ {
		list[i].Skipped = result("blocked", "blocked by step "+final.Steps[firstSkipped].ID, nil)
	}
	culprit := &list[firstSkipped]
	culprit.Skipped = nil
	if status == results.Failed {
		culprit.Failure = c.programResult(final)
	} else {
		culprit.Error = c.programResult(final)
	}
	return list
}

// newCase is a testcase with its identity.
func (c *cases) newCase(name string, line int, ms int64) testcase {
	tc := testcase{Time: seconds(ms), File: oneLine(c.program.File), Line: line}
	tc.Name, tc.Classname = oneLine(name)+repetition(c.program), c.classname
	return tc
}

// step is the testcase of one step of the deciding attempt.
func (c *cases) step(final *results.Attempt, s *results.Step) testcase {
	var tc testcase
	if !c.counted {
		tc = c.newCase(stepName(s), s.Line, s.Timing.TotalMS)
	}
	switch s.Status {
	case results.StepPassed:
	case results.StepFailed:
		if c.program.Excused() {
			tc.Skipped = result("quarantine", c.program.Reason, c.trace(s))
			break
		}
		tc.Failure = c.stepResult(s)
		if final.Fault != nil {
			tc.print("fault after this: " + oneLine(final.Fault.Reason))
		}
	case results.StepBlocked:
		tc.Skipped = result("blocked", blockedBy(final, s), nil)
	default:
		tc.Error = c.stepResult(s)
	}
	if c.counted {
		return tc
	}
	if !c.bare || s.Status != results.StepPassed {
		c.properties(&tc, s)
		c.output(&tc, final, s)
	}
	c.reruns(&tc, final, s)
	return tc
}

// stepName is the step's id, its index from 1, and what it tests: its
// postcondition, or its action where it has none.
func stepName(s *results.Step) string {
	what := orElse(s.Summary, orElse(s.Action, s.Tool))
	if s.Postcondition != nil {
		what = s.Postcondition.String()
	}
	return short(s.ID) + " [" + strconv.Itoa(s.Index+1) + "] " + short(what)
}

// short is as much of a text as a name has.
func short(text string) string {
	if len(text) <= maxNameValue { // in bytes: no more characters, either
		return text
	}
	if runes := []rune(text); len(runes) > maxNameValue {
		return string(runes[:maxNameValue]) + "…"
	}
	return text
}

func blockedBy(final *results.Attempt, s *results.Step) string {
	for i := range final.Steps {
		if by := &final.Steps[i]; s.BlockedBy != "" && by.ID == s.BlockedBy {
			return "blocked by step " + by.ID
		}
	}
	return orElse(final.Reason, "not reached")
}

// stepResult is the failure or error of a step.
func (c *cases) stepResult(s *results.Step) *junit.Result {
	kind, reason := string(s.Status), ""
	if s.Failure != nil {
		kind, reason = string(s.Failure.Kind), s.Failure.Reason
	}
	return result(kind, reason, c.trace(s))
}

// trace is the body of a failure: the place, the step, the reason, and all
// that is known.
func (c *cases) trace(s *results.Step) []string {
	body := []string{fmt.Sprintf("%s:%d:%d: %s %s", c.program.File, s.Line, s.Column, s.ID, s.Summary)}
	if s.Failure != nil {
		body = append(body, s.Failure.Reason)
	}
	return append(body, lines(s.Explain())...)
}

// lines writes an explanation.
func lines(explanation []results.Line) []string {
	out := make([]string, len(explanation))
	for i, l := range explanation {
		out[i] = "  " + l.Label + ": " + strings.TrimSpace(l.Text)
	}
	return out
}

// properties says by what the step did what it did.
func (c *cases) properties(tc *testcase, s *results.Step) {
	tc.property("status", string(s.Status))
	if s.Resolution != nil {
		tc.property("target.means", string(s.Resolution.Means))
		if s.Resolution.Matched > 1 {
			tc.property("target.matched", strconv.Itoa(s.Resolution.Matched))
			tc.property("target.rule", s.Resolution.Rule)
		}
	}
	tc.property("acted_by", s.ActedBy)
	if s.Script != nil {
		tc.property("exit_code", strconv.Itoa(s.Script.ExitCode))
	}
	if pc := s.Postcondition; pc != nil {
		tc.property("postcondition", pc.Kind)
		tc.property("means", string(pc.Means))
		if pc.Vacuous {
			tc.property("vacuous", "true")
		}
		if pc.OCR != nil {
			tc.property("ocr", pc.OCR.String())
		}
	}
	for _, w := range c.program.Warnings {
		if w.Step == s.ID {
			tc.property("warning", warningText(w))
		}
	}
}
