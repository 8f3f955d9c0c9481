package learn

import (
	"context"
	"path"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
)

// source says of a program that whoever did the task wrote it.
const source = "agent"

// ExistsError says that a file is there already and may not be replaced.
type ExistsError struct{ File string }

func (e *ExistsError) Error() string { return e.File + " exists already" }

// Compile writes a program for the task out of its text: a whole program, or
// nothing but the list of its steps (see program.Compose). A program that is
// there already is replaced only where overwrite is set: otherwise the error is
// an *ExistsError, and a *StrictError or a *program.LockedError where the author
// may not. title is the task's name in the caller's own words.
func Compile(ctx context.Context, t Task, title, description string, text []byte, overwrite bool, by Author) (*program.Composed, error) {
	composed, err := program.Compose(t.ProgramFile(), program.Header{Name: title, Source: source, Description: description}, text)
	if err != nil {
		return nil, err
	}
	return composed, writeProgram(ctx, t, composed.Data, overwrite, by)
}

// writeProgram writes a whole program: what compiles and what records one goes
// through it.
func writeProgram(ctx context.Context, t Task, data []byte, overwrite bool, by Author) error {
	return update(ctx, t.ProgramFile(), func(old []byte) ([]byte, error) {
		if old != nil && !overwrite {
			return nil, &ExistsError{t.ProgramFile()}
		}
		return data, by.may(policy.Compile, old)
	})
}

func write(ctx context.Context, file string, data []byte, overwrite bool) error {
	return update(ctx, file, func(old []byte) ([]byte, error) {
		if old != nil && !overwrite {
			return nil, &ExistsError{file}
		}
		return data, nil
	})
}

// Title is the name that a task is given where its text has none: what the
// caller called it, without folders and endings.
func Title(name string) string { return path.Base(shortForm(name)) }
