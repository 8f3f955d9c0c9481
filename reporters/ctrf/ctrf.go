// Package ctrf writes a run in the Common Test Report Format, as JSON that its
// schema accepts.
//
// A program is a test, and its steps are the test's steps. The deciding attempt
// is what a test shows; the others are its retryAttempts. The environment's
// faults and invalid files are "other", which is neither passed nor failed;
// rawStatus has our own word. What CTRF has no field for is in "extra".
package ctrf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/opendesk/opendesk/results"
)

// specVersion is the version of the format that is written.
const specVersion = "0.0.0"

// Options say where things are.
type Options struct {
	// RunDir is the run's folder, which artifact names are relative to.
	RunDir string
	// ReportDir is the folder that the report will be in, which attachments
	// are relative to. Where either is empty, attachments are artifact names.
	ReportDir string
}

// Write writes the run as CTRF.
func Write(w io.Writer, run *results.Run, opts Options) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(convert(run, opts)); err != nil {
		return fmt.Errorf("write results as CTRF: %w", err)
	}
	return nil
}

func convert(run *results.Run, opts Options) *report {
	c, n := converter{opts}, results.Count(run.Programs)
	r := &report{
		ReportFormat: "CTRF", SpecVersion: specVersion, RunID: run.ID, GeneratedBy: cmp.Or(run.Tool.Name, "opendesk"),
		Extra: &extraOfRun{
			ExitCode: run.ExitCode, Interrupted: run.Interrupted, Notes: run.Notes,
			Postconditions: n.Postconditions, PostconditionsMet: n.PostconditionsMet,
		},
	}
	start := millis(run.StartedAt)
	if start > 0 {
		r.Timestamp = run.StartedAt.UTC().Add(time.Duration(run.DurationMS) * time.Millisecond).Format(time.RFC3339)
	}
	r.Results = runResults{
		Tool: tool{Name: cmp.Or(run.Tool.Name, "opendesk"), Version: run.Tool.Version},
		Summary: summary{
			Tests: n.Programs, Passed: n.Passed + n.Flaky, Failed: n.Failed, Skipped: n.Skipped,
			Other: n.Broken + n.Invalid, Flaky: n.Flaky,
			Start: start, Stop: start + run.DurationMS, Duration: run.DurationMS,
		},
		Tests: make([]test, 0, len(run.Programs)),
		Environment: environment{
			ReportName: run.Suite, Commit: run.Environment.Commit, OSPlatform: run.Environment.OS,
			TestEnvironment: strings.TrimSpace(run.Environment.Display + " " + run.Environment.Geometry),
			Healthy:         n.Broken == 0 && !run.Interrupted,
		},
	}
	if run.Plan != nil {
		r.Results.Environment.ShardID = run.Plan.Shard
	}
	for i := range run.Programs {
		r.Results.Tests = append(r.Results.Tests, c.test(run, &run.Programs[i]))
	}
	return r
}

// converter turns programs into tests.
type converter struct{ opts Options }

func (c converter) test(run *results.Run, p *results.Program) test {
	name := shortName(p.Path)
	id := p.Path
	if p.Repeat > 0 {
		suffix := fmt.Sprintf(" (repeat %d)", p.Repeat)
		name, id = name+suffix, id+suffix
	}
	t := test{
		TestID: id, Name: cmp.Or(name, "program"), Status: status(p.Status), Duration: p.DurationMS,
		Suite: []string{cmp.Or(run.Suite, "opendesk")}, Message: cut(p.Reason, maxMessage), RawStatus: string(p.Status),
		Tags: p.Tags, Type: "e2e", FilePath: p.File, Flaky: p.Status == results.Flaky,
		Retries: max(0, len(p.Attempts)-1),
		Extra:   extraOfTest{Path: p.Path, Description: p.Description},
	}
	if p.Excused() {
		t.RawStatus = "quarantined"
	}
	if q := p.Quarantine; q != nil {
		t.Extra.Quarantine = fmt.Sprintf("%s until %s", q.Issue, q.Until)
	}
	for _, w := range p.Warnings {
		text := string(w.Kind) + ": " + w.Message
		if w.Step != "" {
			text = w.Step + ": " + text
		}
		t.Extra.Warnings = append(t.Extra.Warnings, text)
	}
	final := p.Final()
	if final == nil {
		t.Trace = problems(p)
		if e := p.FirstError(); e != nil {
			t.Line = e.Line
		}
		return t
	}
	t.Trace, t.Line = trace(p, final)
	t.Attachments = c.attachments(final)
	t.Start = millis(p.Attempts[0].StartedAt)
	if t.Start > 0 {
		t.Stop = t.Start + p.DurationMS
	}
	for i := range final.Steps {
		t.Steps = append(t.Steps, convertStep(&final.Steps[i]))
	}
	for i := range p.Attempts {
		if at := &p.Attempts[i]; at != final {
			t.Earlier = append(t.Earlier, c.attempt(p, at))
		}
	}
	return t
}

func (c converter) attempt(p *results.Program, at *results.Attempt) attempt {
	a := attempt{
		Number: max(1, at.Number), Status: status(at.Status), Duration: max(0, at.DurationMS),
		Message: cut(at.Reason, maxMessage), Start: millis(at.StartedAt), Attachments: c.attachments(at),
	}
	if a.Start > 0 {
		a.Stop = a.Start + a.Duration
	}
	a.Trace, a.Line = trace(p, at)
	return a
}

// attachments are the attempt's files, those of its steps first, without the
// many pictures of a trace.
func (c converter) attachments(at *results.Attempt) []attachment {
	var list []attachment
	add := func(artifacts []results.Artifact) {
		for _, a := range artifacts {
			if a.Kind == results.KindTrace {
				continue
			}
			list = append(list, attachment{Name: cmp.Or(a.Kind, "file"), ContentType: cmp.Or(a.MediaType, "application/octet-stream"), Path: c.path(a)})
		}
	}
	for i := range at.Steps {
		add(at.Steps[i].Artifacts)
	}
	add(at.Artifacts)
	return list
}

// path is the artifact's path from the report's folder.
func (c converter) path(a results.Artifact) string {
	if c.opts.RunDir == "" || c.opts.ReportDir == "" {
		return a.Name
	}
	full := filepath.Join(c.opts.RunDir, filepath.FromSlash(a.Name))
	if rel, err := filepath.Rel(c.opts.ReportDir, full); err == nil {
		full = rel
	}
	return filepath.ToSlash(full)
}

func convertStep(s *results.Step) step {
	out := step{Name: cut(cmp.Or(strings.TrimSpace(s.ID+" "+s.Summary), "step"), maxMessage), Status: stepStatus(s.Status), Extra: extraOfStep{
		ID: s.ID, Line: s.Line, RawStatus: string(s.Status), Duration: s.Timing.TotalMS, BlockedBy: s.BlockedBy, ActedBy: s.ActedBy,
	}}
	if s.Failure != nil {
		out.Extra.Reason = cut(s.Failure.Reason, maxMessage)
	}
	if s.Resolution != nil {
		out.Extra.TargetMeans = string(s.Resolution.Means)
	}
	if pc := s.Postcondition; pc != nil {
		out.Extra.Postcondition, out.Extra.Means, out.Extra.Vacuous = cut(pc.String(), maxMessage), string(pc.Means), pc.Vacuous
		if pc.Checked {
			out.Extra.Met = &pc.Met
		}
		if pc.OCR != nil {
			out.Extra.OCR = cut(pc.OCR.String(), maxMessage)
		}
	}
	return out
}

// trace is all that is known of why an attempt did not pass, and the line that
// it did not pass at.
func trace(p *results.Program, at *results.Attempt) (text string, line int) {
	var lines []string
	explain := func(list []results.Line) {
		for _, l := range list {
			lines = append(lines, "  "+l.Label+": "+cut(strings.TrimSpace(l.Text), maxTrace))
		}
	}
	for i := range at.Steps {
		s := &at.Steps[i]
		if s.Failure == nil || s.Status != results.StepFailed && s.Status != results.StepBroken {
			continue
		}
		if line == 0 {
			line = s.Line
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s %s", p.File, s.Line, s.Column, s.ID, s.Summary), cut(s.Failure.Reason, maxTrace))
		explain(s.Explain())
	}
	if at.Fault != nil && line == 0 {
		lines = append(lines, cut(at.Fault.Reason, maxTrace))
		explain(at.Fault.Explain())
	}
	return cut(strings.Join(lines, "\n"), maxTrace), line
}

// problems is what the loader found.
func problems(p *results.Program) string {
	var lines []string
	for _, f := range p.Problems {
		lines = append(lines, f.Place()+": "+f.Severity+": "+f.Text())
	}
	return cut(strings.Join(lines, "\n"), maxTrace)
}

func status(s results.Status) string {
	switch s {
	case results.Passed, results.Flaky:
		return "passed"
	case results.Failed:
		return "failed"
	case results.Skipped:
		return "skipped"
	}
	return "other"
}

func stepStatus(s results.StepStatus) string {
	switch s {
	case results.StepPassed:
		return "passed"
	case results.StepFailed:
		return "failed"
	case results.StepBlocked:
		return "skipped"
	}
	return "other"
}

// shortName is a program's path without the learned folder and its ending.
func shortName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, ".opendesk/"), ".program.json")
}

// millis is the moment in milliseconds since 1970, 0 where it is unknown.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// What is written of single texts at most, in bytes.
const (
	maxMessage = 8 << 10
	maxTrace   = 64 << 10
)

// cut is the text up to limit bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return results.Clip(text, limit) + "… (more in results.json)"
}
