package program

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
)

// Load reads the program in file; path names it in problems and is the
// program's identity (file itself where it is ""), and the code of its scripts.
// The program is nil where one of the problems is an error.
func Load(file, path string) (*Program, []Problem) {
	prog, _, problems := LoadWithContent(file, path)
	return prog, problems
}

// LoadWithContent is Load that also gives the file's content as it was read,
// nil where that could not be done or the file is too large.
func LoadWithContent(file, path string) (*Program, []byte, []Problem) {
	if path == "" {
		path = file
	}
	data, problem := readFile(file)
	if problem != nil {
		problem.File = path
		return nil, nil, []Problem{*problem}
	}
	prog, problems := Parse(path, data)
	switch {
	case len(data) > MaxFileBytes:
		data = nil
	case data == nil:
		data = []byte{}
	}
	if prog == nil {
		return nil, data, problems
	}
	if wrong := prog.loadCode(file); len(wrong) > 0 {
		return nil, data, append(problems, wrong...)
	}
	return prog, data, problems
}

// readFile reads a regular file up to one byte more than a program may have.
func readFile(file string) ([]byte, *Problem) {
	// Opening a pipe would wait for somebody to write into it.
	info, err := os.Stat(file)
	if err != nil {
		return nil, fileProblem(file, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &Problem{Severity: Error, Code: CodeNotRegular, Message: "is " + kindOfFile(info.Mode()) + ", not a file"}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fileProblem(file, err)
	}
	defer f.Close() // nothing is written through it
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return nil, fileProblem(file, err)
	}
	return data, nil
}

// fileProblem says why a file or folder cannot be read.
func fileProblem(file string, err error) *Problem {
	p := &Problem{Severity: Error}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Code, p.Message = CodeMissingFile, "does not exist"
		if to, linkErr := os.Readlink(file); linkErr == nil {
			p.Message = fmt.Sprintf("is a link to %s, which does not exist", quote(to))
		}
	case errors.Is(err, fs.ErrPermission):
		p.Code, p.Message = CodePermission, notAllowed(file)
	default:
		p.Code, p.Message = CodeUnreadable, "cannot be read: "+cause(err)
	}
	return p
}

// notAllowed says which user may not read a file, and the mode that forbids it.
func notAllowed(file string) string {
	who := fmt.Sprintf("user id %d", os.Geteuid())
	if u, err := user.Current(); err == nil {
		who = fmt.Sprintf("user %s (id %s)", u.Username, u.Uid)
	}
	info, err := os.Stat(file)
	if err != nil {
		return "cannot be read by " + who + ": a folder on the way to it may not be entered"
	}
	return fmt.Sprintf("cannot be read by %s: its mode is %s (%04o)", who, info.Mode(), info.Mode().Perm())
}

// cause gives an error without the path, which stands in front already.
func cause(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

func kindOfFile(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}
