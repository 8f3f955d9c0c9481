package program

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Names in the folder that programs live in.
const (
	// LearnedDir is the folder of the programs, relative to the project.
	LearnedDir = ".opendesk/learned"
	// Suffix ends the name of every program file.
	Suffix = ".program.json"
	// TrajectorySuffix ends the name of every raw recording.
	TrajectorySuffix = ".trajectory.json"
	// ProcedureSuffix ends the name of every natural-language procedure; the
	// names of the other files end in it as well.
	ProcedureSuffix = ".json"
)

// Found is one program file of a project, or a folder or link in which there
// may be programs that cannot be reached.
type Found struct {
	// Path is the path relative to the project, with forward slashes: the
	// program's identity.
	Path string
	// File is the path to open.
	File string
	// Problem is nil for a program file. For a folder that cannot be read and
	// for a link that leads nowhere it says why; Load of it fails as well.
	Problem *Problem
}

// Discover finds every program file under the project's learned folder, also
// in subfolders, sorted by path. Links are followed; a folder reached twice is
// listed once, under its own path where it has one there, so loops end. What
// cannot be read is found with a Problem. A project without learned folder has
// no programs; the error is for a learned folder that is none.
func Discover(projectDir string) ([]Found, error) {
	return discover(projectDir, func(name string) bool { return strings.HasSuffix(name, Suffix) })
}

// DiscoverProcedures finds every file of a natural-language procedure in the
// same way. What cannot be reached is not in it: Discover tells of that.
func DiscoverProcedures(projectDir string) ([]Found, error) {
	found, err := discover(projectDir, func(name string) bool {
		return strings.HasSuffix(name, ProcedureSuffix) && !strings.HasPrefix(name, ".") &&
			!strings.HasSuffix(name, Suffix) && !strings.HasSuffix(name, TrajectorySuffix)
	})
	return slices.DeleteFunc(found, func(f Found) bool { return f.Problem != nil }), err
}

// DiscoverTrajectories finds every file of a raw recording in the same way.
func DiscoverTrajectories(projectDir string) ([]Found, error) {
	found, err := discover(projectDir, func(name string) bool { return strings.HasSuffix(name, TrajectorySuffix) })
	return slices.DeleteFunc(found, func(f Found) bool { return f.Problem != nil }), err
}

// discover finds the files whose name is wanted.
func discover(projectDir string, wanted func(name string) bool) ([]Found, error) {
	root := filepath.Join(projectDir, filepath.FromSlash(LearnedDir))
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(root); err == nil {
			return nil, fmt.Errorf("%s: %s", root, fileProblem(root, fs.ErrNotExist).Message)
		}
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %s", root, fileProblem(root, err).Message)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is %s, not a folder", root, kindOfFile(info.Mode()))
	}
	resolved, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", root, fileProblem(root, err).Message)
	}
	if resolved, err = filepath.Abs(resolved); err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	f := finder{root: resolved, wanted: wanted}
	f.folder(root, LearnedDir, info)
	// Links come last, so that what is reached both ways is found by its own path.
	for len(f.links) > 0 {
		link := f.links[0]
		f.links = f.links[1:]
		f.link(link)
	}
	slices.SortFunc(f.found, func(a, b Found) int { return cmp.Compare(a.Path, b.Path) })
	return f.found, nil
}

// finder walks the learned folder.
type finder struct {
	root    string // the learned folder, absolute and without links
	wanted  func(name string) bool
	found   []Found
	visited []fs.FileInfo // every folder that was read
	links   []Found       // links to folders, or to nothing, not yet followed
}

func (f *finder) folder(dir, rel string, info fs.FileInfo) {
	if slices.ContainsFunc(f.visited, func(seen fs.FileInfo) bool { return os.SameFile(seen, info) }) {
		return
	}
	f.visited = append(f.visited, info)
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.unreachable(Found{Path: rel, File: dir}, err)
	}
	for _, e := range entries {
		file, at := filepath.Join(dir, e.Name()), path.Join(rel, e.Name())
		switch {
		case isCode(dir, e.Name()): // nothing in it is a program
		case e.IsDir():
			sub, err := e.Info()
			if err != nil {
				f.unreachable(Found{Path: at, File: file}, err)
				continue
			}
			f.folder(file, at, sub)
		case f.wanted(e.Name()) && !linkToFolder(e, file):
			f.found = append(f.found, Found{Path: at, File: file})
		case e.Type()&fs.ModeSymlink != 0:
			f.links = append(f.links, Found{Path: at, File: file})
		}
	}
}

// isCode reports whether what is called so in the folder is the code of a
// program beside the folder.
func isCode(dir, name string) bool {
	if name != CodeDir {
		return false
	}
	_, err := os.Stat(dir + Suffix)
	return err == nil
}

// linkToFolder tells a link to a folder from a program, whatever its name.
func linkToFolder(e fs.DirEntry, file string) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}

// link follows a link to a folder. One to a folder around the learned folder
// is a loop and leads to nothing new.
func (f *finder) link(l Found) {
	info, err := os.Stat(l.File)
	if err != nil {
		f.unreachable(l, err)
		return
	}
	if info.IsDir() && !f.aroundRoot(info) {
		f.folder(l.File, l.Path, info)
	}
}

// aroundRoot reports whether the folder contains the learned folder.
func (f *finder) aroundRoot(outer fs.FileInfo) bool {
	for at := f.root; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, outer) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

func (f *finder) unreachable(found Found, err error) {
	p := fileProblem(found.File, err)
	p.File = found.Path
	found.Problem = p
	f.found = append(f.found, found)
}

// Procedure gives the bytes of the natural-language procedure that stands next
// to a program file (<name>.json), or nil where there is none to read.
func Procedure(file string) []byte {
	name, ok := strings.CutSuffix(file, Suffix)
	if !ok {
		return nil
	}
	data, problem := readFile(name + ProcedureSuffix)
	if problem != nil || len(data) > MaxFileBytes {
		return nil
	}
	return data
}
