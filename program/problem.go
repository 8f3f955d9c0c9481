package program

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxProblems is how many errors, and how many warnings, of one file are kept.
const maxProblems = 1000

// String gives the problem as one line: file:line:col: message, with the JSON
// path before the message and "warning:" before that of a warning.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	if p.File != "" {
		b.WriteString(": ")
	}
	if p.Severity == Warning {
		b.WriteString("warning: ")
	}
	if p.JSONPath != "" {
		b.WriteString(p.JSONPath)
		b.WriteByte(' ')
	}
	b.WriteString(p.Message)
	return b.String()
}

// HasErrors reports whether a problem among them keeps the file from running.
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}

// collector gathers the problems of one file.
type collector struct {
	src              *source
	problems         []Problem
	errors, warnings int
}

// add notes a problem at the byte offset; the code says whether it is an error.
func (c *collector) add(code string, offset int, path, format string, args ...any) {
	severity := severityOf[code]
	count := &c.errors
	if severity == Warning {
		count = &c.warnings
	}
	*count++
	if *count > maxProblems {
		return
	}
	line, column := c.src.position(offset)
	c.problems = append(c.problems, Problem{
		Severity: severity, Code: code, File: c.src.file, Line: line, Column: column, JSONPath: path,
		Message: fmt.Sprintf(format, args...),
	})
}

// sorted gives the problems in the order of the file.
func (c *collector) sorted() []Problem {
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if left := max(0, c.errors-maxProblems) + max(0, c.warnings-maxProblems); left > 0 {
		c.problems = append(c.problems, Problem{
			Severity: Warning, Code: CodeTooManyProblems, File: c.src.file,
			Message: fmt.Sprintf("%d more problems are not listed", left),
		})
	}
	return c.problems
}
