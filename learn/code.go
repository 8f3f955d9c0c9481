package learn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
)

// PatchCode writes one file of the code of the task's program; name is relative
// to the folder of the code, which is made where it is missing. Whoever reads the
// file meanwhile sees it as it was or as it is. The errors are a *StrictError
// where the author may not, a *program.LockedError where the program or a step
// that runs a script is locked, and a *WriteError where the file cannot be
// written. created says that there was no such file before.
func PatchCode(ctx context.Context, t Task, name string, data []byte, by Author) (created bool, err error) {
	if err := program.CheckCodePath(name); err != nil {
		return false, err
	}
	if len(data) > program.MaxFileBytes {
		return false, fmt.Errorf("%s has more than %d MiB", name, program.MaxFileBytes>>20)
	}
	// The program's folder is locked meanwhile: nobody locks the program, or
	// makes it strict, between the look and the writing.
	err = update(ctx, t.ProgramFile(), func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, fmt.Errorf("%s does not exist", t.ProgramFile())
		}
		if err := by.mayCode(old); err != nil {
			return nil, err
		}
		created, err = writeCode(ctx, program.CodeFolder(t.ProgramFile()), name, data)
		return old, err
	})
	return created, err
}

// mayCode says whether the author may change the code of the program in the
// file. A locked step locks what it runs, and what that imports.
func (a Author) mayCode(old []byte) error {
	if err := a.may(policy.Patch, old); err != nil || a.Unlock {
		return err
	}
	guards := program.GuardsOf(old)
	switch {
	case guards.Locked:
		return &program.LockedError{}
	case len(guards.LockedScripts) > 0:
		return &program.LockedError{StepID: guards.LockedScripts[0]}
	}
	return nil
}

// writeCode writes a file below the folder, and never through a link.
func writeCode(ctx context.Context, dir, name string, data []byte) (created bool, err error) {
	file := filepath.Join(dir, filepath.FromSlash(name))
	for at := dir; ; at = filepath.Join(at, firstPart(file, at)) {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			created = true
		case err != nil:
			return false, &WriteError{file, fault(filepath.Dir(at), err)}
		case info.Mode()&fs.ModeSymlink != 0:
			return false, &WriteError{file, fmt.Errorf("%s is a link, and code is not written through links", at)}
		case at == file && !info.Mode().IsRegular():
			return false, &WriteError{file, errors.New("is no regular file")}
		case at != file && !info.IsDir():
			return false, &WriteError{file, fmt.Errorf("%s is no folder", at)}
		}
		if created || at == file {
			break
		}
	}
	return created, update(ctx, file, func([]byte) ([]byte, error) { return data, nil })
}

// firstPart is the first name on the way from the folder to the file below it.
func firstPart(file, dir string) string {
	rest, err := filepath.Rel(dir, file)
	if err != nil {
		return ""
	}
	for at := filepath.ToSlash(rest); ; {
		up := path.Dir(at)
		if up == "." {
			return at
		}
		at = up
	}
}
