package junit

import (
	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/opendesk/opendesk/results"
)

// output is the step's one system-out: remarks, then attachments, each in a
// line of its own, those of other attempts too.
func (c *cases) output(tc *testcase, final *results.Attempt, s *results.Step) {
	for _, note := range s.Notes {
		tc.print("note: " + oneLine(note))
	}
	if s.Value != "" {
		tc.print("value: " + oneLine(s.Value))
	}
	if s.Script != nil && s.Failure == nil {
		for _, l := range s.Script.Told() {
			tc.print(l.Label + ": " + oneLine(l.Text))
		}
	}
	if pc := s.Postcondition; pc != nil && pc.Met && pc.Means == results.MeansOCR && pc.OCR != nil {
		tc.print("text found by OCR: " + oneLine(pc.OCR.String()))
	}
	for i := range c.program.Attempts {
		at := &c.program.Attempts[i]
		if at == final {
			c.attach(tc, s.Artifacts)
		} else if other := sameStep(at, s); other != nil {
			c.attach(tc, other.Artifacts)
		}
	}
}

// sameStep is the step in another attempt, nil where it has none.
func sameStep(at *results.Attempt, s *results.Step) *results.Step {
	for i := range at.Steps {
		if at.Steps[i].Index == s.Index && at.Steps[i].ID == s.ID {
			return &at.Steps[i]
		}
	}
	return nil
}

// attachLogs adds the files that belong to no step, of every attempt, to the
// testcase that did not pass, or to the last one.
func (c *cases) attachLogs(list []testcase) {
	place := len(list) - 1
	for i := range list {
		if list[i].Failure != nil || list[i].Error != nil {
			place = i
			break
		}
	}
	for _, at := range c.program.Attempts {
		c.attach(&list[place], at.Artifacts)
	}
}

// attachment is the property that names a file, attachmentLine the beginning of
// a line of output that does.
const (
	attachment     = "attachment"
	attachmentLine = "[[ATTACHMENT|"
)

// attach adds files in the two forms that readers know, but no picture of a
// trace: of those there are too many.
func (c *cases) attach(tc *testcase, artifacts []results.Artifact) {
	for _, a := range artifacts {
		if a.Kind == results.KindTrace {
			continue
		}
		name := c.opts.attachment(a)
		tc.property(attachment, name)
		tc.print(attachmentLine + name + "]]")
	}
}

// print adds a line of legal text to system-out.
func (tc *testcase) print(line string) {
	if tc.SystemOut == nil {
		tc.SystemOut = &junit.Output{}
	}
	tc.SystemOut.Data += line + "\n"
}

// reruns adds the other attempts at this step that did not pass, at most
// maxReruns. A step that
// the environment broke and that passed later is no flake.
func (c *cases) reruns(tc *testcase, final *results.Attempt, s *results.Step) {
	for i := range c.program.Attempts {
		at := &c.program.Attempts[i]
		other := sameStep(at, s)
		if at == final || other == nil {
			continue
		}
		failed := other.Status == results.StepFailed
		broke := other.Status == results.StepBroken
		switch {
		case len(tc.Flaky)+len(tc.Rerun) == maxReruns:
		case s.Status == results.StepPassed && failed:
			tc.Flaky = append(tc.Flaky, c.rerun(other))
		case s.Status == results.StepPassed && broke:
			tc.print("an earlier attempt broke here: " + oneLine(c.stepResult(other).Message))
		case (tc.Failure != nil || tc.Error != nil) && (failed || broke):
			tc.Rerun = append(tc.Rerun, c.rerun(other))
		case failed:
			tc.print("failed here in another attempt: " + oneLine(c.stepResult(other).Message))
		}
	}
}

func (c *cases) rerun(s *results.Step) rerun {
	r := c.stepResult(s)
	return rerun{Message: r.Message, Type: r.Type, StackTrace: junit.Output{Data: r.Data}}
}
