package ginkgospec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// brokenPrefix begins the message of a spec that says nothing about its
// program.
const brokenPrefix = "broken: "

// verdict is what a spec comes to; all empty where the program passed.
type verdict struct {
	failure string
	skip    string
	// remark is for the report of a spec that passes all the same.
	remark string
	// keep says that the run's folder is worth keeping.
	keep bool
}

// judge turns what came of a run into the spec's verdict. The program's own
// failure goes before everything; nothing passes whose run is not trusted.
// stopped is why the spec was to end early, nil where it was not.
func (s *spec) judge(o *outcome, stopped error, folder string) verdict {
	untrusted := o.trusted()
	status := o.program.Status
	switch {
	case status == results.Failed:
		return s.fail(&o.program, "", folder, untrusted)
	case stopped != nil:
		return verdict{failure: note("interrupted: "+stopped.Error(), "run", folder), keep: true}
	case untrusted != nil:
		text := brokenPrefix + indentedAfterFirst(untrusted.Error())
		if console := lastLines(filepath.Join(folder, consoleFile)); console != "" {
			text += "\n" + indented(console)
		}
		return verdict{failure: note(text, "run", folder), keep: true}
	case o.run.Interrupted:
		return verdict{failure: note("interrupted: opendesk was told to end", "run", folder), keep: true}
	}
	switch status {
	case results.Passed:
		return verdict{}
	case results.Flaky:
		return verdict{remark: "passed on a retry: " + o.program.Reason, keep: true}
	case results.Skipped:
		return verdict{skip: plain(o.program.Reason)}
	case results.Invalid:
		return verdict{failure: s.invalid(loaded(o.program.Problems))}
	default:
		return s.fail(&o.program, brokenPrefix, folder, nil)
	}
}

// fail explains a program that failed or whose environment broke: the reason
// first, then where, and everything that is known about it.
func (s *spec) fail(p *results.Program, prefix, folder string, untrusted error) verdict {
	reason, at := p.Reason, p.Final()
	var lines []results.Line
	if at != nil {
		step, failure := decisive(at)
		switch {
		case step != nil:
			where := fmt.Sprintf("%s:%d:%d, step %s: %s", s.file, step.Line, step.Column, step.ID, step.Summary)
			lines = append(lines, results.Line{Label: "at", Text: where})
			if step.Note != "" {
				lines = append(lines, results.Line{Label: "note", Text: step.Note})
			}
			lines = append(lines, step.Explain()...)
		case failure != nil:
			lines = append(lines, results.Line{Label: "at", Text: s.file})
			lines = append(lines, failure.Explain()...)
		}
		if failure != nil && failure.Reason != "" {
			reason = failure.Reason
		}
		if len(p.Attempts) > 1 {
			lines = append(lines, results.Line{Label: "attempts", Text: attempts(p)})
		}
		for _, a := range artifacts(at) {
			lines = append(lines, results.Line{Label: a.Kind, Text: artifactPath(folder, a)})
		}
	}
	if untrusted != nil {
		lines = append(lines, results.Line{Label: "also", Text: untrusted.Error()})
	}
	text := prefix + plain(reason)
	if prefix != "" {
		lines = append(lines, results.Line{Label: "meaning", Text: "the environment is to blame; this says nothing about the program"})
	}
	for _, l := range lines {
		text = note(text, l.Label, l.Text)
	}
	return verdict{failure: note(text, "run", folder), keep: true}
}

// decisive is the step that ended the attempt and why; the step is nil where
// none did.
func decisive(at *results.Attempt) (*results.Step, *results.Failure) {
	for i := range at.Steps {
		if st := &at.Steps[i]; st.Status == results.StepFailed || st.Status == results.StepBroken {
			return st, st.Failure
		}
	}
	return nil, at.Fault
}

// attempts lists how the attempts ended.
func attempts(p *results.Program) string {
	var statuses []string
	for i := range p.Attempts {
		statuses = append(statuses, string(p.Attempts[i].Status))
	}
	return strings.Join(statuses, ", ")
}

// invalid lists every error of the program's file with its place, then the
// warnings.
func (s *spec) invalid(problems []program.Problem) string {
	var errs, warnings []string
	for _, p := range problems {
		p.File = s.file
		if p.Severity == program.Error {
			errs = append(errs, plain(p.String()))
		} else {
			warnings = append(warnings, plain(p.String()))
		}
	}
	first := fmt.Sprintf("invalid: the file has %d errors", len(errs))
	if len(errs) == 1 {
		first = "invalid: the file has an error"
	}
	return strings.Join(append(append([]string{first}, errs...), warnings...), "\n")
}

// loaded are problems in results as the loader has them.
func loaded(problems []results.Problem) []program.Problem {
	var out []program.Problem
	for _, p := range problems {
		out = append(out, program.Problem{
			Severity: program.Severity(p.Severity), Code: p.Code, File: p.File,
			Line: p.Line, Column: p.Column, JSONPath: p.JSONPath, Message: p.Message,
		})
	}
	return out
}

// note adds a labelled line.
func note(text, label, line string) string {
	return text + "\n  " + label + ": " + plain(line)
}

const (
	// maxConsole is how many lines of the console a message repeats, and
	// maxConsoleBytes how many bytes.
	maxConsole      = 20
	maxConsoleBytes = 8 << 10
)

// lastLines is the end of a text file, "" where there is none to read.
func lastLines(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(b[max(0, len(b)-maxConsoleBytes):]))
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-maxConsole):], "\n")
}

// indented is a text of several lines, each safe to print and set in.
func indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = "  " + plain(strings.TrimRight(line, "\r"))
	}
	return strings.Join(lines, "\n")
}

// indentedAfterFirst sets every line in but the first.
func indentedAfterFirst(text string) string { return indented(text)[2:] }
