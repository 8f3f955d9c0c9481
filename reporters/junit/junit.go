// Package junit writes a run as JUnit XML, in the dialect that the common
// readers agree on.
//
// One flat testsuite per program; exactly one testcase per step of its
// deciding attempt, in the program's order, so that a testcase has the same
// identity in every run. A program without steps (an invalid file, one that
// was not run) has one testcase. Where an attempt broke outside any step, the
// first step that was not done carries the error.
//
// A testcase has at most one of failure (the program or the app), error (the
// environment, or the file) and skipped (blocked by an earlier step). A step
// that failed in another attempt carries Surefire's elements: flakyFailure
// where it passed in the deciding one, rerunFailure where it failed there too.
//
// Texts are bounded, and bounded more where the report would be larger than
// readers take; testcases and verdicts are all there in any case.
package junit

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// Options say where things are.
type Options struct {
	// RunDir is the run's folder, which artifact names are relative to.
	RunDir string
	// ReportDir is the folder that the report will be in, which attachments
	// are relative to. Where either is empty, attachments are artifact names.
	ReportDir string
}

// Write writes the run as JUnit XML.
func Write(w io.Writer, run *results.Run, opts Options) error {
	r := report{run: run, opts: opts, classnames: classnames(run), limits: levels[len(levels)-1]}
	if r.cases()*leastCase <= maxFile {
		for _, r.limits = range levels {
			fits, err := r.fits()
			if err != nil {
				return fmt.Errorf("write results as JUnit XML: %w", err)
			}
			if fits {
				break
			}
		}
	}
	if err := r.write(w); err != nil {
		return fmt.Errorf("write results as JUnit XML: %w", err)
	}
	return nil
}

// classnames are those of the programs, in their order; repetitions share
// theirs.
func classnames(run *results.Run) []string {
	names := make([]string, len(run.Programs))
	taken, known := map[string]bool{}, map[string]string{}
	for i := range run.Programs {
		p := &run.Programs[i]
		if known[p.Path] == "" || p.Repeat == 0 {
			known[p.Path] = uniqueClassname(p.Path, taken)
		}
		names[i] = known[p.Path]
	}
	return names
}

// uniqueClassname is the program's path without its ending and without dots,
// which readers take for packages and extensions. Two programs that come out
// the same are numbered.
func uniqueClassname(programPath string, taken map[string]bool) string {
	name := oneLine(strings.TrimSuffix(programPath, ".program.json"))
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.TrimLeft(part, "."), ".", "_")
	}
	name = orElse(strings.TrimLeft(path.Join(parts...), "/"), "program")
	unique := name
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s~%d", name, n)
	}
	taken[unique] = true
	return unique
}

// suite is the program's.
func (c *cases) suite(run *results.Run) testsuite {
	p := c.program
	var ts testsuite
	ts.Name = orElse(oneLine(p.Path), c.classname) + repetition(p)
	ts.Time = seconds(p.DurationMS)
	ts.Hostname = oneLine(run.Environment.Hostname)
	ts.File = oneLine(p.File)
	started := run.StartedAt
	if len(p.Attempts) > 0 {
		started = p.Attempts[0].StartedAt
	}
	if !started.IsZero() {
		ts.Timestamp = started.UTC().Format("2006-01-02T15:04:05") // without a zone, as the readers' own schemas have it
	}
	ts.property("status", string(p.Status))
	ts.property("reason", p.Reason)
	if n := len(p.Attempts); n > 1 {
		ts.property("attempts", fmt.Sprint(n))
	}
	if len(p.Tags) > 0 {
		ts.property("tags", strings.Join(p.Tags, ","))
	}
	if q := p.Quarantine; q != nil {
		ts.property("quarantine", fmt.Sprintf("%s until %s", q.Issue, q.Until))
	}
	for _, w := range p.Warnings {
		if w.Step == "" {
			ts.property("warning", warningText(w))
		}
	}
	ts.take(c.all())
	return ts
}

// repetition tells the repetitions of a program apart, in names.
func repetition(p *results.Program) string {
	if p.Repeat == 0 {
		return ""
	}
	return fmt.Sprintf(" (repeat %d)", p.Repeat)
}

// property adds a property with a value.
func (ts *testsuite) property(name, value string) {
	if value = oneLine(value); value != "" {
		ts.AddProperty(name, value)
	}
}

func warningText(w results.Warning) string { return string(w.Kind) + ": " + w.Message }

// attachment is the artifact's path from the report's folder.
func (o Options) attachment(a results.Artifact) string {
	name := oneLine(a.Name)
	if o.RunDir == "" || o.ReportDir == "" {
		return name
	}
	full := filepath.Join(o.RunDir, filepath.FromSlash(name))
	rel, err := filepath.Rel(o.ReportDir, full)
	if err != nil {
		rel = full // on another volume
	}
	return filepath.ToSlash(rel)
}
