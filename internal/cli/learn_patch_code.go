package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/script"
)

// defaultScript is the file that learn patch --code writes where none is named.
const defaultScript = "main.py"

// patchCode writes one file of a program's code.
func (o *taskOptions) patchCode(ctx context.Context, st *State, name, from, file string, by learn.Author) error {
	task, err := o.find(name)
	if err != nil {
		return err
	}
	if !task.HasProgram {
		return noProgram(task)
	}
	if err := program.CheckCodePath(file); err != nil {
		return usage("--file: %w", err)
	}
	source, err := readSource(ctx, st, from)
	if err != nil {
		return err
	}
	if len(source) > program.MaxFileBytes {
		return usage("%s has more than %d MiB", from, program.MaxFileBytes>>20)
	}
	if err := checkSource(ctx, st, from, file, source); err != nil {
		return err
	}
	created, err := learn.PatchCode(ctx, task, file, source, by)
	if err != nil {
		return err
	}
	where := fromHere(program.CodeFolder(task.ProgramFile())) + "/" + file
	if o.json {
		return printJSON(st, struct {
			Task    string `json:"task"`
			File    string `json:"file"`
			Bytes   int    `json:"bytes"`
			Created bool   `json:"created"`
		}{task.Name, where, len(source), created})
	}
	done := "replaced"
	if created {
		done = "written"
	}
	fmt.Fprintf(st.Stdout, "%s: %s %s (%s)\n", said(task.Name), file, done, where)
	return nil
}

// readSource reads a file, or standard input for -.
func readSource(ctx context.Context, st *State, from string) ([]byte, error) {
	if from == "-" {
		return readInput(ctx, st.Stdin)
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, usage("--code: %w", err)
	}
	defer f.Close() // nothing is written through it
	source, err := readAtMost(f)
	if err != nil && err != io.EOF {
		return nil, usage("--code: %s cannot be read: %w", from, err)
	}
	return source, nil
}

// checkSource refuses what Python cannot read.
func checkSource(ctx context.Context, st *State, from, file string, source []byte) error {
	if !isPython(file) {
		return nil
	}
	problems, err := script.Check(ctx, file, source)
	if err != nil {
		fmt.Fprintf(st.Stderr, "opendesk: the syntax is not checked: %v\n", err)
		return ctx.Err()
	}
	if len(problems) == 0 {
		return nil
	}
	if from == "-" {
		from = "standard input"
	}
	invalid := &program.InvalidError{What: "the code"}
	for _, p := range problems {
		invalid.Problems = append(invalid.Problems, program.Problem{
			Severity: program.Error, Code: program.CodeCodeSyntax, File: from, Line: p.Line, Column: p.Column,
			Message: "is not valid Python: " + p.Message,
		})
	}
	return invalid
}
