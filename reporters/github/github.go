// Package github tells GitHub Actions about a run: annotations at the lines of
// the programs, as workflow commands on standard output, and a summary of the
// job.
package github

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opendesk/opendesk/reporters/markdown"
	"github.com/opendesk/opendesk/results"
)

// MaxSummary is how large the summary of one step of a job may be, in bytes:
// GitHub drops one of more than 1 MiB without a word.
const MaxSummary = 1<<20 - 1024

// minSummary is what a summary takes at least, in bytes: the verdict.
const minSummary = 16 << 10

// maxAnnotations is how many of each level GitHub shows of a step.
const maxAnnotations = 10

// What is written of single texts at most, in bytes.
const (
	maxMessage = 4 << 10
	maxTitle   = 200
)

// annotation is one annotation before it is escaped.
type annotation struct {
	level       string // error or warning
	file        string
	line        int
	column      int
	title, text string
}

// WriteAnnotations writes an annotation for each program that did not pass, as
// workflow commands: errors for what failed, broke or is invalid, warnings for
// what is flaky, failed in quarantine, or failed before where only new failures
// count. Where there are more than GitHub shows,
// the last one of a level says how many.
func WriteAnnotations(w io.Writer, run *results.Run) error {
	var errs, warnings []annotation
	for _, status := range []results.Status{results.Failed, results.Broken, results.Invalid, results.Flaky, results.Skipped} {
		for i := range run.Programs {
			p := &run.Programs[i]
			switch {
			case p.Status != status:
			case p.Excused(), status == results.Flaky, run.Excepted(p):
				warnings = append(warnings, annotate("warning", p))
			case status != results.Skipped:
				errs = append(errs, annotate("error", p))
			}
		}
	}
	var b strings.Builder
	for _, level := range [][]annotation{errs, warnings} {
		more := 0
		if len(level) > maxAnnotations {
			more = len(level) - (maxAnnotations - 1)
			level = level[:maxAnnotations-1]
		}
		for _, a := range level {
			b.WriteString(a.command())
		}
		if more > 0 {
			b.WriteString(annotation{level: level[0].level, title: "opendesk", text: fmt.Sprintf("%d more: see the job's summary, or results.json", more)}.command())
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write annotations: %w", err)
	}
	return nil
}

// annotate places a program's failure.
func annotate(level string, p *results.Program) annotation {
	word := string(p.Status)
	if p.Excused() {
		word = "failed in quarantine"
	}
	a := annotation{level: level, file: p.File, line: 1, text: p.Reason, title: word + ": " + shortName(p.Path)}
	final := p.Final()
	if final == nil || p.Status == results.Flaky {
		if e := p.FirstError(); e != nil {
			a.line, a.column, a.text = max(e.Line, 1), e.Column, e.Text()
		}
		return a
	}
	lines := []string{p.Reason}
	for i := range final.Steps {
		s := &final.Steps[i]
		if s.Failure == nil || s.Status != results.StepFailed && s.Status != results.StepBroken {
			continue
		}
		a.line, a.column = max(s.Line, 1), s.Column
		a.title = fmt.Sprintf("%s: %s, step %s", word, shortName(p.Path), s.ID)
		for _, l := range s.Explain() {
			lines = append(lines, l.Label+": "+strings.TrimSpace(cut(l.Text, maxMessage)))
		}
		break
	}
	a.text = strings.Join(lines, "\n")
	return a
}

// shortName is a program's path without what is the same in all of them.
func shortName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, ".opendesk/"), ".program.json")
}

// command is the annotation as a workflow command, in one line.
func (a annotation) command() string {
	var properties []string
	add := func(name, value string) {
		if value != "" {
			properties = append(properties, name+"="+escapeProperty(value))
		}
	}
	add("file", a.file)
	if a.file != "" {
		add("line", fmt.Sprint(a.line))
		if a.column > 0 {
			add("col", fmt.Sprint(a.column))
		}
	}
	add("title", cut(a.title, maxTitle))
	text := cut(a.text, maxMessage)
	if strings.TrimSpace(text) == "" {
		text = "no reason was given"
	}
	return fmt.Sprintf("::%s %s::%s\n", a.level, strings.Join(properties, ","), escapeData(text))
}

// The runner's own rules; see @actions/core.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func escapeData(text string) string { return dataEscapes.Replace(clean(text)) }

func escapeProperty(text string) string { return propertyEscapes.Replace(clean(text)) }

// clean replaces controls other than line ends, and formatting characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return r
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			return '\uFFFD'
		}
		return r
	}, text)
}

// cut is the text up to limit bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return results.Clip(text, limit) + "…"
}

// AppendSummary appends the run's summary to the file, which GitHub shows with
// the job. What the file holds already counts towards its limit.
func AppendSummary(path string, run *results.Run) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	limit := MaxSummary
	if err == nil && info.Mode().IsRegular() {
		limit -= int(min(info.Size(), MaxSummary))
	}
	if limit < minSummary {
		return fmt.Errorf("%s is full: GitHub takes no more than 1 MiB", path)
	}
	var text strings.Builder
	if err := markdown.Write(&text, run, markdown.Options{Limit: limit}); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text.String() + "\n")
	return errors.Join(err, f.Close())
}
