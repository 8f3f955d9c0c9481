package program

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// CodeDir is the name of the folder of a program's scripts: it lies in the
// folder that is called as the program, beside the program's file.
const CodeDir = "code"

// Limits of a program's code. A program beyond one of them does not load.
const (
	// MaxCodeBytes is what all files may have together.
	MaxCodeBytes = 16 << 20
	// MaxCodeFiles is how many files there may be.
	MaxCodeFiles = 1_000
)

// CodeFile is one file of a program's code.
type CodeFile struct {
	// Name is the path below the folder, with forward slashes.
	Name string
	Data []byte
}

// CodeFolder is the folder of the scripts of the program in that file.
func CodeFolder(file string) string {
	return filepath.Join(strings.TrimSuffix(file, Suffix), CodeDir)
}

// CodeSHA256 identifies the names and contents of a program's code, in
// hexadecimal; it is "" where there is none.
func CodeSHA256(files []CodeFile) string {
	if len(files) == 0 {
		return ""
	}
	hash := sha256.New()
	for _, f := range files {
		_, _ = fmt.Fprintf(hash, "%d %s %d\n", len(f.Name), f.Name, len(f.Data)) // never fails
		_, _ = hash.Write(f.Data)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Scripts reports whether a step of the program runs a script.
func (p *Program) Scripts() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Tool == "script" })
}

// place is where a value stands in a file.
type place struct {
	line, column int
	path         string // in the document
}

func (d *decoder) placeOf(offset int, path string) place {
	line, column := d.src.position(offset)
	return place{line, column, path}
}

// CodeProblem is an error about the script that the step runs, at the place
// where the program names it.
func (s Step) CodeProblem(file, code, format string, args ...any) Problem {
	return Problem{
		Severity: severityOf[code], Code: code, File: file, Line: s.codeAt.line, Column: s.codeAt.column,
		JSONPath: s.codeAt.path, Message: fmt.Sprintf(format, args...),
	}
}

// CheckCodePath says why a path cannot name a file of a program's code, nil
// where it can: it must be relative, with forward slashes, and lead nowhere else.
func CheckCodePath(name string) error {
	if name == "" {
		return errors.New("the name of the file is empty: use one such as main.py")
	}
	if wrong := checkCodePath(name); wrong != "" {
		return fmt.Errorf("%s %s", quote(name), wrong)
	}
	return nil
}

// checkCodePath says what keeps a path from naming a file of a program's code,
// "" for nothing.
func checkCodePath(name string) string {
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }):
		return "is no path with forward slashes"
	case !filepath.IsLocal(filepath.FromSlash(name)) || path.IsAbs(name):
		return "leads out of the folder of the program's code: name a file in it, such as main.py"
	case path.Clean(name) != name || name == ".":
		return "is no plain path: name a file in the folder of the program's code, such as main.py"
	case slices.ContainsFunc(strings.Split(name, "/"), ignoredCode):
		return "is a hidden file or one that Python makes: it is no part of the program's code"
	}
	return ""
}

// ignoredCode tells by its name what is no part of a program's code: hidden
// files, what editors keep, and what Python makes of it.
func ignoredCode(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || name == "__pycache__" || strings.HasSuffix(name, ".pyc")
}

// loadCode reads the code of a program with scripts.
func (p *Program) loadCode(file string) []Problem {
	if !p.Scripts() {
		return nil
	}
	var first Step
	for _, s := range p.Steps {
		if s.Tool == "script" {
			first = s
			break
		}
	}
	shown := strings.TrimSuffix(p.Path, Suffix) + "/" + CodeDir // wherever the project lies
	files, wrong := readCode(CodeFolder(file), shown)
	var problems []Problem
	for _, w := range wrong {
		problems = append(problems, first.CodeProblem(p.Path, w.code, "%s", w.message))
	}
	if len(problems) > 0 {
		return problems
	}
	p.Code = files
	for _, s := range p.Steps {
		if s.Tool != "script" {
			continue
		}
		if name := s.Text("file"); !slices.ContainsFunc(files, func(f CodeFile) bool { return f.Name == name }) {
			problems = append(problems, s.CodeProblem(p.Path, CodeMissingCode, "%s is not in %s%s", quote(name), shown, p.nearCode(name)))
		}
	}
	return problems
}

// nearCode hints at the file that may have been meant.
func (p *Program) nearCode(name string) string {
	names := make([]string, len(p.Code))
	for i, f := range p.Code {
		names[i] = f.Name
	}
	if hint := meant(name, names); hint != "" || len(names) == 0 {
		return hint
	}
	if len(names) > maxListed {
		names = append(names[:maxListed-1], "…")
	}
	return fmt.Sprintf(" (it has %s)", list(names))
}

// codeFault is what keeps a folder of code from being used.
type codeFault struct{ code, message string }

// ReadCode reads the folder of a program's code. The error names everything
// that is wrong with it; one that is not there is an error as well.
func ReadCode(dir string) ([]CodeFile, error) {
	files, faults := readCode(dir, dir)
	var errs []error
	for _, f := range faults {
		errs = append(errs, errors.New(f.message))
	}
	return files, errors.Join(errs...)
}

// readCode calls the folder in its faults as it is shown.
func readCode(dir, shown string) ([]CodeFile, []codeFault) {
	unusable := func(format string, args ...any) []codeFault {
		return []codeFault{{CodeUnusableCode, fmt.Sprintf(format, args...)}}
	}
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, []codeFault{{CodeMissingCode, "is missing: the folder " + shown + " of the program's code does not exist"}}
	case err != nil:
		return nil, unusable("the folder %s of the program's code %s", shown, fileProblem(dir, err).Message)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, unusable("the folder %s of the program's code is a link: put the folder itself there", shown)
	case !info.IsDir():
		return nil, unusable("%s is no folder: the program's code belongs into a folder of that name", shown)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unusable("the folder %s of the program's code %s", shown, fileProblem(dir, err).Message)
	}
	defer root.Close() //nolint:errcheck // nothing is written through it
	r := codeReader{root: root, dir: dir, shown: shown}
	if err := fs.WalkDir(root.FS(), ".", r.visit); err != nil {
		r.fault("%s cannot be read: %s", shown, cause(err))
	}
	slices.SortFunc(r.files, func(a, b CodeFile) int { return strings.Compare(a.Name, b.Name) })
	return r.files, r.faults
}

// codeReader reads a folder of code, without ever leaving it.
type codeReader struct {
	root   *os.Root
	dir    string
	shown  string
	files  []CodeFile
	size   int
	faults []codeFault
}

func (r *codeReader) fault(format string, args ...any) {
	r.faults = append(r.faults, codeFault{CodeUnusableCode, fmt.Sprintf(format, args...)})
}

func (r *codeReader) visit(name string, d fs.DirEntry, err error) error {
	at, shown := filepath.Join(r.dir, filepath.FromSlash(name)), path.Join(r.shown, name)
	switch {
	case err != nil:
		r.fault("%s %s", shown, fileProblem(at, err).Message)
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case name != "." && ignoredCode(d.Name()):
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case d.IsDir():
		return nil
	case len(r.files) == MaxCodeFiles:
		r.fault("%s has more than %d files", r.shown, MaxCodeFiles)
		return fs.SkipAll
	}
	info, err := r.root.Stat(name) // a link that leads out of the folder is an error
	switch {
	case err != nil && d.Type()&fs.ModeSymlink != 0:
		r.fault("%s is a link that leads out of the folder, or to nothing", shown)
		return nil
	case err != nil:
		r.fault("%s %s", shown, fileProblem(at, err).Message)
		return nil
	case !info.Mode().IsRegular():
		r.fault("%s is %s, not a file", shown, kindOfFile(info.Mode()))
		return nil
	}
	data, err := r.read(name)
	if err != nil {
		r.fault("%s %s", shown, fileProblem(at, err).Message)
		return nil
	}
	if r.size += len(data); r.size > MaxCodeBytes {
		r.fault("%s has more than %d MiB", r.shown, MaxCodeBytes>>20)
		return fs.SkipAll
	}
	r.files = append(r.files, CodeFile{Name: name, Data: data})
	return nil
}

func (r *codeReader) read(name string) ([]byte, error) {
	f, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing is written through it
	return io.ReadAll(io.LimitReader(f, MaxCodeBytes+1))
}
