package learn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
)

// FileName makes a file's name, without its ending, of a task's name: in lower
// case, trimmed, nothing kept but letters, digits, "_", "-" and spaces, and
// runs of spaces turned into "_". It is "task" where nothing is left.
func FileName(task string) string {
	// The separators U+001C to U+001F count as spaces at the ends.
	trimmed := strings.TrimFunc(cases.Lower(language.Und).String(task), func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F
	})
	kept := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("_- ", r) {
			return r
		}
		return -1
	}, trimmed)
	var b strings.Builder
	for i, r := range kept {
		if r != ' ' {
			b.WriteRune(r)
		} else if i == 0 || kept[i-1] != ' ' {
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "task"
	}
	return b.String()
}

// UnknownError says that no task, or more than one, is meant by a name.
type UnknownError struct {
	Name string
	// Matches are the names of the tasks that are meant, where there are several.
	Matches []string
	// Closest is the task that may have been meant, "" for none.
	Closest string
	// Project is where it was looked for; Empty is set where it has no tasks.
	Project string
	Empty   bool
}

func (e *UnknownError) Error() string {
	switch {
	case len(e.Matches) > 0:
		return fmt.Sprintf("%q can be several tasks: use one of %s", e.Name, strings.Join(e.Matches, ", "))
	case e.Closest != "":
		return fmt.Sprintf("there is no learned task %q (did you mean %q?)", e.Name, e.Closest)
	case e.Empty:
		return fmt.Sprintf("there is no learned task %q: there are none in %s", e.Name, Folder{e.Project}.Dir())
	default:
		return fmt.Sprintf("there is no learned task %q: see opendesk learn list", e.Name)
	}
}

// Find gives the task that a name means: its path below the learned folder,
// with or without an ending, as the console prints it or from the project on;
// the path of a file anywhere; or, where none of these fits, the task's name,
// whose file is called as FileName says, in the folder itself or else in one
// below it. Otherwise the error is an *UnknownError.
func (f Folder) Find(name string) (Task, error) {
	if name == "" {
		return Task{}, fmt.Errorf("the name of the task is empty")
	}
	tasks, problems, err := f.Tasks()
	if err != nil {
		return Task{}, err
	}
	if matches := f.exact(name, tasks); len(matches) > 0 {
		return one(name, matches)
	}
	if problem := denied(name, problems); problem != nil {
		return Task{}, &DeniedError{Name: name, Problem: *problem}
	}
	dir, base := path.Split(shortForm(name))
	called := FileName(base)
	inFolder := func(t Task) bool {
		d, b := path.Split(t.Name)
		return d == dir && FileName(b) == called
	}
	below := func(t Task) bool {
		return dir == "" && FileName(path.Base(t.Name)) == called
	}
	for _, means := range []func(Task) bool{inFolder, below} {
		matches := slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return !means(t) })
		if len(matches) > 0 {
			return one(name, matches)
		}
	}
	for _, p := range problems {
		if p.Code == program.CodePermission || p.Code == program.CodeUnreadable {
			return Task{}, &DeniedError{Name: name, Problem: p}
		}
	}
	names := make([]string, 0, 2*len(tasks))
	for _, t := range tasks {
		names = append(names, t.Name)
	}
	closest := tools.Closest(shortForm(name), names)
	for _, t := range tasks {
		if closest == "" && tools.Closest(base, []string{path.Base(t.Name)}) != "" {
			closest = t.Name
		}
	}
	return Task{}, &UnknownError{Name: name, Closest: closest, Project: f.Project, Empty: len(tasks) == 0}
}

// DeniedError says that nobody can tell whether there is a task of a name: where
// it may be cannot be read.
type DeniedError struct {
	Name    string
	Problem program.Problem
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("whether there is a learned task %q cannot be told: %s %s", e.Name, e.Problem.File, e.Problem.Message)
}

// denied is what keeps the very file of that name from being looked for: a
// folder on the way to it that cannot be read.
func denied(name string, problems []program.Problem) *program.Problem {
	at := path.Join(program.LearnedDir, shortForm(name))
	for i, p := range problems {
		if strings.HasPrefix(at, p.File+"/") {
			return &problems[i]
		}
	}
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrPermission) && shortForm(name) != filepath.ToSlash(name) {
		_, found := program.Load(name, name)
		return &found[0]
	}
	return nil
}

// exact gives the tasks whose path, or whose file, is called so.
func (f Folder) exact(name string, tasks []Task) []Task {
	short := shortForm(name)
	var matches []Task
	for _, t := range tasks {
		if t.Name == short || t.Name == name {
			matches = append(matches, t)
		}
	}
	file, ok := elsewhere(name)
	if !ok {
		return matches
	}
	for _, t := range tasks {
		if t.same(file) {
			file = t
		}
	}
	if !slices.Contains(matches, file) {
		matches = append(matches, file)
	}
	return matches
}

func one(name string, matches []Task) (Task, error) {
	if len(matches) == 1 {
		return matches[0], nil
	}
	e := &UnknownError{Name: name}
	for _, t := range matches {
		e.Matches = append(e.Matches, t.Name)
	}
	return Task{}, e
}

// shortForm takes from a name what people may write around it.
func shortForm(name string) string {
	short := filepath.ToSlash(name)
	for _, prefix := range []string{"./", program.LearnedDir + "/", path.Base(program.LearnedDir) + "/"} {
		if rest, ok := strings.CutPrefix(short, prefix); ok && rest != "" {
			short = rest
			if prefix != "./" {
				break
			}
		}
	}
	for _, suffix := range []string{program.Suffix, program.TrajectorySuffix, program.ProcedureSuffix} {
		if rest, ok := strings.CutSuffix(short, suffix); ok && rest != "" && !strings.HasSuffix(rest, "/") {
			return rest
		}
	}
	return short
}

// maxName bounds the names of new files, in bytes: file systems take 255, and
// endings and temporary files need some of them.
const maxName = 200

// Place gives the task that a name means, or a new one of that name. A new
// task's folders and file are called as FileName says.
func (f Folder) Place(name string) (Task, error) {
	if name == "" {
		return Task{}, fmt.Errorf("the name of the task is empty")
	}
	tasks, _, err := f.Tasks()
	if err != nil {
		return Task{}, err
	}
	if matches := f.exact(name, tasks); len(matches) > 0 {
		return one(name, matches)
	}
	short := shortForm(name)
	if path.IsAbs(short) || filepath.IsAbs(name) {
		return Task{}, fmt.Errorf("%q is no file that exists: a new task goes into %s, give its name without a path", name, program.LearnedDir)
	}
	parts := strings.Split(short, "/")
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			return Task{}, fmt.Errorf("%q is no name for a task: a new one goes into %s", name, program.LearnedDir)
		}
		if parts[i] = FileName(part); len(parts[i]) > maxName {
			return Task{}, fmt.Errorf("the task's name is too long: it may have %d bytes, not %d", maxName, len(parts[i]))
		}
	}
	t := f.task(strings.Join(parts, "/"))
	for _, known := range tasks {
		if known.Name == t.Name {
			return known, nil
		}
	}
	return t, nil
}
