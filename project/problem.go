package project

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Problem is one mistake in a project, located in its eval.yaml where it is
// there. Every problem keeps the project from being used.
type Problem struct {
	// File is the file or folder that the problem is in.
	File string `json:"file"`
	// Line and Column count from 1 and are 0 for a problem without a place.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Path is the place inside of eval.yaml ("display.geometry").
	Path string `json:"path,omitempty"`
	// Message says what is wrong and what to do, without the place.
	Message string `json:"message"`
}

// Error gives the problem as one line: file:line:col: path message.
func (p Problem) Error() string { return p.String() }

// String gives the problem as one line: file:line:col: path message.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path)
		b.WriteByte(' ')
	}
	b.WriteString(p.Message)
	return b.String()
}

// cause gives an error without the path, which stands in front already.
func cause(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// meant gives " (did you mean …?)" for a misspelt word, or "".
func meant(word string, options []string) string {
	best, bestDistance := "", len(word)
	for _, option := range options {
		d := levenshtein.ComputeDistance(strings.ToLower(word), option)
		if d <= max(1, len(option)/3) && d < bestDistance {
			best, bestDistance = option, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
