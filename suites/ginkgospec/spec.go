package ginkgospec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/opendesk/opendesk/results"
)

// spec is one program as a spec.
type spec struct {
	// project is the project's folder, file the program's, both absolute.
	project, file string
	// path is the program's path in the project, name its short name.
	path, name string
	options    *options
}

// run is the body of the spec.
func (s *spec) run(ctx ginkgo.SpecContext) {
	binary, err := findBinary(ctx, s.options.binary)
	if err != nil {
		ginkgo.Fail(brokenPrefix + err.Error())
	}
	folder, err := s.makeFolder()
	if err != nil {
		ginkgo.Fail(fmt.Sprintf("%sthe folder of the run cannot be made: %v", brokenPrefix, err))
	}
	args := []string{
		"eval", "run", suite, "--project", s.project, "--program", escapeGlob(s.path),
		"--output", folder, "--color", "never",
	}
	o := play(ctx, binary, append(args, s.options.arguments()...), folder, s.path, tell)
	v := s.judge(&o, context.Cause(ctx), folder)
	for _, w := range o.program.Warnings {
		s.entry("warning", warning(w), ginkgo.ReportEntryVisibilityFailureOrVerbose)
	}
	if v.keep {
		s.addFiles(&o, folder)
	} else if err := os.RemoveAll(folder); err != nil {
		s.entry("left behind", err.Error(), ginkgo.ReportEntryVisibilityAlways)
	}
	switch {
	case v.failure != "":
		ginkgo.Fail(v.failure)
	case v.skip != "":
		ginkgo.Skip(v.skip)
	case v.remark != "":
		s.entry("flaky", v.remark, ginkgo.ReportEntryVisibilityAlways)
	}
}

// makeFolder makes a folder for the run, whose name says which program it is.
func (s *spec) makeFolder() (string, error) {
	base := s.options.output
	if base == "" {
		base = os.TempDir()
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(base, "opendesk-"+fileName(s.name)+"-")
}

// maxFileName bounds what a folder's name has of a program's.
const maxFileName = 40

// fileName is a name that any file system takes.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), maxFileName)]
}

// tell shows an event to whoever watches the spec.
func tell(ev results.Event) {
	switch {
	case ev.Type == results.EventAttemptStarted && ev.AttemptNumber > 1:
		ginkgo.By(fmt.Sprintf("attempt %d", ev.AttemptNumber))
	case ev.Type == results.EventStepStarted && ev.Step != nil:
		ginkgo.By(plain(ev.Step.ID + ": " + ev.Step.Summary))
	case ev.Type == results.EventStepFinished && ev.Step != nil && ev.Step.Status != results.StepBlocked:
		ginkgo.GinkgoWriter.Println(finished(ev.Step))
	}
}

// finished is one line on a step that has ended.
func finished(st *results.Step) string {
	text := fmt.Sprintf("%s %s", st.ID, st.Status)
	switch pc := st.Postcondition; {
	case st.Failure != nil:
		text += ": " + st.Failure.Reason
	case pc != nil && pc.Met:
		text += ": " + pc.String()
		if pc.Means != "" {
			text += fmt.Sprintf(" (by %s)", pc.Means)
		}
	}
	return plain(text)
}

// warning is a warning as one line.
func warning(w results.Warning) string {
	text := string(w.Kind) + ": " + w.Message
	if w.Step != "" {
		text = w.Step + " " + text
	}
	return text
}

// entry adds a line to the spec's report, under the program's file.
func (s *spec) entry(name, line string, visible ginkgo.ReportEntryVisibility) {
	ginkgo.AddReportEntry(name, plain(line), visible, s.location())
}

// location is the program's file as Ginkgo has places.
func (s *spec) location() types.CodeLocation {
	return types.CodeLocation{FileName: s.file, LineNumber: 1}
}

// addFiles says in the report where the files of the run are.
func (s *spec) addFiles(o *outcome, folder string) {
	for i := range o.program.Attempts {
		for _, a := range artifacts(&o.program.Attempts[i]) {
			s.entry(a.Kind, artifactPath(folder, a), ginkgo.ReportEntryVisibilityFailureOrVerbose)
		}
	}
	s.entry("run", folder, ginkgo.ReportEntryVisibilityFailureOrVerbose)
}

// artifactPath is where an artifact of the run is.
func artifactPath(folder string, a results.Artifact) string {
	return filepath.Join(folder, filepath.FromSlash(a.Name))
}

// artifacts lists the files of an attempt and of its steps.
func artifacts(at *results.Attempt) []results.Artifact {
	var all []results.Artifact
	for i := range at.Steps {
		all = append(all, at.Steps[i].Artifacts...)
	}
	return append(all, at.Artifacts...)
}
