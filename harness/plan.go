package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

// Plan is what is to be run, in order. It is made from loaded programs only,
// so nothing that did not validate can be run.
type Plan struct {
	Items []Item
}

// Item is one program of a plan. It has a Program, or the problems that keep
// it from being run.
type Item struct {
	// Path is the identity, File the path for annotations.
	Path, File string
	// Program is nil for an invalid file.
	Program *program.Program
	// Problems are the loader's findings.
	Problems []program.Problem
	// Refused is the content of an invalid file, nil where it could not be read.
	Refused []byte
	// Repeat is the number of the repetition, from 1, 0 where programs are not
	// repeated.
	Repeat int
	// Settings are what eval.yaml says about the program.
	Settings project.Settings
	// Quarantine is what of them concerns its failures, nil for none.
	Quarantine *results.Quarantine
}

// Content is the program's file as it was read, nil where it could not be.
func (it Item) Content() []byte {
	if it.Program == nil {
		return it.Refused
	}
	return it.Program.Raw
}

// sha256 is of the program's file, in hexadecimal, "" where it could not be
// read.
func (it Item) sha256() string {
	content := it.Content()
	if content == nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// about makes an event one about the item.
func (it Item) about(e results.Event) results.Event {
	e.Path, e.Repeat = it.Path, it.Repeat
	return e
}

// describe is the item as the run's results begin with it.
func (it Item) describe() results.Program {
	p := results.Program{
		Path: it.Path, File: it.File, Repeat: it.Repeat,
		Tags: slices.Clone(it.Settings.Tags), Quarantine: it.Quarantine, SHA256: it.sha256(),
	}
	if it.Program != nil {
		p.Name, p.Description = it.Program.Name, it.Program.Description
		p.CodeSHA256 = program.CodeSHA256(it.Program.Code)
	}
	for _, problem := range it.Problems {
		p.Problems = append(p.Problems, results.Problem{
			Severity: string(problem.Severity), Code: problem.Code, File: problem.File,
			Line: problem.Line, Column: problem.Column, JSONPath: problem.JSONPath, Message: problem.Message,
		})
	}
	return p
}

// invalidReason is one line that says why the file is not run.
func (it Item) invalidReason() string {
	var first string
	more := 0
	for _, p := range it.Problems {
		switch {
		case p.Severity != program.Error:
		case first == "":
			first = p.String()
		default:
			more++
		}
	}
	switch more {
	case 0:
		return first
	case 1:
		return first + " (and 1 more error)"
	default:
		return fmt.Sprintf("%s (and %d more errors)", first, more)
	}
}

// artifactDir is where the files of an attempt at the program go.
func (it Item) artifactDir(number int) string {
	name := strings.TrimSuffix(it.Path, program.Suffix)
	name = strings.TrimPrefix(name, program.LearnedDir+"/")
	if it.Repeat > 0 {
		name += "/repeat-" + strconv.Itoa(it.Repeat)
	}
	return "artifacts/" + name + "/attempt-" + strconv.Itoa(number)
}
