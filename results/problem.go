package results

import "fmt"

// Place is where the problem is, "FILE:LINE:COLUMN", or the file alone.
func (p *Problem) Place() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	return p.File
}

// Text says where in the document the problem is, and what is wrong.
func (p *Problem) Text() string {
	if p.JSONPath != "" {
		return p.JSONPath + " " + p.Message
	}
	return p.Message
}

// FirstError is the first problem that keeps the file from being run, nil for
// none.
func (p *Program) FirstError() *Problem {
	for i := range p.Problems {
		if p.Problems[i].Severity == "error" {
			return &p.Problems[i]
		}
	}
	return nil
}
