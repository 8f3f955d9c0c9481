// Package learn keeps a project's learned tasks: it finds them by name, and
// writes programs and procedures so that nothing is lost, whoever else writes
// and however the writing ends.
package learn

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/program"
)

// Folder is the learned folder of the project in Dir.
type Folder struct {
	// Project is the project's folder.
	Project string
}

// Dir is the folder itself.
func (f Folder) Dir() string { return filepath.Join(f.Project, filepath.FromSlash(program.LearnedDir)) }

// Task is one learned task: a program, the procedure and the recording of the
// same name, or any of the three.
type Task struct {
	// Name is the path below the learned folder without an ending; of a program
	// elsewhere it is the path as it was given.
	Name string
	// HasProgram, HasProcedure and HasTrajectory say which of the files there are.
	HasProgram, HasProcedure, HasTrajectory bool
	// identity is the program's path relative to the project, base the files'
	// path without ending.
	identity, base string
}

// ProgramPath is the program's identity: its path relative to the project.
func (t Task) ProgramPath() string { return t.identity }

// ProgramFile is where the program is, or would be.
func (t Task) ProgramFile() string { return t.base + program.Suffix }

// ProcedureFile is where the procedure is, or would be.
func (t Task) ProcedureFile() string { return t.base + program.ProcedureSuffix }

// TrajectoryFile is where the recording is, or would be.
func (t Task) TrajectoryFile() string { return t.base + program.TrajectorySuffix }

// task is the task of that name in the folder.
func (f Folder) task(name string) Task {
	return Task{
		Name:     name,
		identity: path.Join(program.LearnedDir, name) + program.Suffix,
		base:     filepath.Join(f.Dir(), filepath.FromSlash(name)),
	}
}

// Tasks lists the tasks of the project, sorted by name. Problems are folders
// and links that cannot be reached.
func (f Folder) Tasks() ([]Task, []program.Problem, error) {
	programs, err := program.Discover(f.Project)
	if err != nil {
		return nil, nil, err
	}
	procedures, err := program.DiscoverProcedures(f.Project)
	if err != nil {
		return nil, nil, err
	}
	recordings, err := program.DiscoverTrajectories(f.Project)
	if err != nil {
		return nil, nil, err
	}
	byName := map[string]Task{}
	named := func(path, suffix string) Task {
		name := strings.TrimSuffix(strings.TrimPrefix(path, program.LearnedDir+"/"), suffix)
		if t, ok := byName[name]; ok {
			return t
		}
		return f.task(name)
	}
	var problems []program.Problem
	for _, found := range programs {
		if found.Problem != nil {
			problems = append(problems, *found.Problem)
			continue
		}
		t := f.task(program.TaskName(found.Path))
		t.HasProgram = true
		byName[t.Name] = t
	}
	for _, found := range procedures {
		t := named(found.Path, program.ProcedureSuffix)
		t.HasProcedure = true
		byName[t.Name] = t
	}
	for _, found := range recordings {
		t := named(found.Path, program.TrajectorySuffix)
		t.HasTrajectory = true
		byName[t.Name] = t
	}
	tasks := make([]Task, 0, len(byName))
	for _, t := range byName {
		tasks = append(tasks, t)
	}
	slices.SortFunc(tasks, func(a, b Task) int { return strings.Compare(a.Name, b.Name) })
	return tasks, problems, nil
}

// elsewhere is the task of which the existing file is one, which need not be in
// a learned folder; ok is false where the file is none.
func elsewhere(file string) (t Task, ok bool) {
	base := ""
	for _, suffix := range []string{program.Suffix, program.TrajectorySuffix, program.ProcedureSuffix} {
		if base, ok = strings.CutSuffix(file, suffix); ok {
			break
		}
	}
	if !ok || !isFile(file) {
		return Task{}, false
	}
	t = Task{Name: file, identity: base + program.Suffix, base: base}
	t.HasProgram, t.HasProcedure, t.HasTrajectory = isFile(t.ProgramFile()), isFile(t.ProcedureFile()), isFile(t.TrajectoryFile())
	return t, true
}

func isFile(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// same reports whether two tasks have a file in common.
func (t Task) same(other Task) bool {
	for _, files := range [][2]string{{t.ProgramFile(), other.ProgramFile()}, {t.ProcedureFile(), other.ProcedureFile()},
		{t.TrajectoryFile(), other.TrajectoryFile()}} {
		a, errA := os.Stat(files[0])
		b, errB := os.Stat(files[1])
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return true
		}
	}
	return false
}
