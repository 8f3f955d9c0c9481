package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/runner/script"
)

// scriptChecks finds what is wrong with programs' scripts beyond that they are
// there: what Python cannot read, and what asks for more than is allowed.
type scriptChecks struct {
	ctx  context.Context
	caps program.ScriptCaps
	// known are the sources that were checked: many programs may have one.
	known map[[sha256.Size]byte][]script.Problem
	// unchecked says why sources could not be checked, nil where all were.
	unchecked error
}

func newScriptChecks(ctx context.Context, c project.Config) *scriptChecks {
	return &scriptChecks{ctx: ctx, caps: c.Scripts.Caps(), known: map[[sha256.Size]byte][]script.Problem{}}
}

// problems are the errors of a program that loads.
func (c *scriptChecks) problems(p *program.Program) []program.Problem {
	if !p.Scripts() {
		return nil
	}
	problems := c.caps.Problems(p)
	for _, f := range p.Code {
		if !isPython(f.Name) && !runsFile(p, f.Name) {
			continue
		}
		for _, wrong := range c.check(f) {
			problems = append(problems, program.Problem{
				Severity: program.Error, Code: program.CodeCodeSyntax, Line: wrong.Line, Column: wrong.Column, Message: wrong.Message,
				File: strings.TrimSuffix(p.Path, program.Suffix) + "/" + program.CodeDir + "/" + f.Name,
			})
		}
	}
	return problems
}

// isPython tells by its name a file that Python is to read.
func isPython(name string) bool { return path.Ext(name) == ".py" }

// runsFile reports whether a step of the program runs the file.
func runsFile(p *program.Program, file string) bool {
	for _, s := range p.Steps {
		if s.Tool == "script" && s.Text("file") == file {
			return true
		}
	}
	return false
}

func (c *scriptChecks) check(f program.CodeFile) []script.Problem {
	sum := sha256.Sum256(f.Data)
	found, checked := c.known[sum]
	if checked || c.unchecked != nil {
		return found
	}
	found, err := script.Check(c.ctx, f.Name, f.Data)
	if err != nil {
		c.unchecked = fmt.Errorf("the syntax of scripts is not checked: %w", err)
		return nil
	}
	for i := range found {
		found[i].Message = "is not valid Python: " + found[i].Message
	}
	c.known[sum] = found
	return found
}

// load reads a program with its scripts.
func (c *scriptChecks) load(file, at string) (*program.Program, []program.Problem) {
	p, problems := program.Load(file, at)
	if p == nil {
		return nil, problems
	}
	if wrong := c.problems(p); len(wrong) > 0 {
		return nil, append(problems, wrong...)
	}
	return p, problems
}

// warn says what could not be checked.
func (c *scriptChecks) warn(st *State) {
	if c.unchecked != nil && !errors.Is(c.unchecked, context.Canceled) {
		fmt.Fprintf(st.Stderr, "opendesk: %v\n", c.unchecked)
	}
}
