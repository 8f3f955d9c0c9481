// Package project knows a project's folders and its eval.yaml.
//
// A project is a folder with .opendesk in it. Learned programs are in
// .opendesk/learned and are never written to; what a run produces is in
// .opendesk/eval. The optional .opendesk/eval.yaml says how to run them.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Project is one project with a valid configuration.
type Project struct {
	// Dir is the project's folder, absolute.
	Dir string
	// Config is what eval.yaml says, with the defaults where it is silent.
	Config Config
}

// Open finds the project in dir and reads its eval.yaml. All problems are
// given at once; the project is nil where there is one.
func Open(dir string) (*Project, []Problem) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, []Problem{{File: dir, Message: "has no absolute path: " + cause(err)}}
	}
	if problem := checkFolders(abs); problem != nil {
		return nil, []Problem{*problem}
	}
	config, problems := loadConfig(abs)
	if len(problems) > 0 {
		return nil, problems
	}
	return &Project{Dir: abs, Config: config}, nil
}

// checkFolders says what keeps dir from being a project.
func checkFolders(dir string) *Problem {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Problem{File: dir, Message: "does not exist: name the folder that holds .opendesk"}
	case err != nil:
		return &Problem{File: dir, Message: "cannot be opened: " + cause(err)}
	case !info.IsDir():
		return &Problem{File: dir, Message: "is no folder: name the folder that holds .opendesk"}
	}
	info, err = os.Stat(filepath.Join(dir, ".opendesk"))
	switch {
	case errors.Is(err, fs.ErrNotExist) && insideOpendesk(dir):
		return &Problem{File: dir, Message: "is inside of a project: name the folder that holds .opendesk"}
	case errors.Is(err, fs.ErrNotExist):
		return &Problem{File: dir, Message: "has no .opendesk folder: name the project's folder, or put programs into " +
			filepath.Join(dir, ".opendesk", "learned")}
	case err != nil:
		return &Problem{File: filepath.Join(dir, ".opendesk"), Message: "cannot be opened: " + cause(err)}
	case !info.IsDir():
		return &Problem{File: filepath.Join(dir, ".opendesk"), Message: "is no folder: programs are in .opendesk/learned"}
	}
	return nil
}

func insideOpendesk(dir string) bool {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) == ".opendesk" {
			return true
		}
	}
	return false
}

// LearnedDir is the folder of the programs.
func (p *Project) LearnedDir() string { return filepath.Join(p.Dir, ".opendesk", "learned") }

// EvalDir is the folder of everything that runs write.
func (p *Project) EvalDir() string { return filepath.Join(p.Dir, ".opendesk", "eval") }

// RunsDir is the folder of the runs, one folder each.
func (p *Project) RunsDir() string { return filepath.Join(p.EvalDir(), "runs") }

// HistoryFile is the file of what came of earlier runs.
func (p *Project) HistoryFile() string { return filepath.Join(p.EvalDir(), "history.db") }

// NewRunDir makes the folder of a new run. It is an error if there is a run of
// this id already.
func (p *Project) NewRunDir(id string) (string, error) {
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, `/\`) {
		return "", fmt.Errorf("%q is no id for a run: it would be no folder of its own", id)
	}
	if err := os.MkdirAll(p.RunsDir(), 0o755); err != nil {
		return "", fmt.Errorf("the folder of the runs cannot be made: %w", err)
	}
	dir := filepath.Join(p.RunsDir(), id)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("the run's folder cannot be made: %w", err)
	}
	return dir, nil
}

// HomeSkeleton is the folder that is copied into each private HOME, or "" if
// the project has none.
func (p *Project) HomeSkeleton() string {
	dir := filepath.Join(p.EvalDir(), "home")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

const gitignore = `# Written by opendesk once; yours to change.
/runs/
/history.db*
`

// WriteGitignore keeps what runs write out of git: it writes
// .opendesk/eval/.gitignore, unless there is one.
func (p *Project) WriteGitignore() error {
	if err := os.MkdirAll(p.EvalDir(), 0o755); err != nil {
		return fmt.Errorf("the folder of the runs cannot be made: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(p.EvalDir(), ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(gitignore)
	return errors.Join(err, f.Close())
}

// GitRoot is the folder of the git work tree that dir is in, found by going up
// to the first .git (a folder, or a file as in work trees and submodules), or
// "" where there is none.
func GitRoot(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
		at = filepath.Dir(at)
	}
}
