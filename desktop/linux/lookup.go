package linux

import (
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// The ways in which a name is found (desktop.Opened.How).
const (
	howMap     = "map"
	howPath    = "path"
	howPATH    = "PATH"
	howDesktop = "desktop"
)

// command is what a name was found to mean.
type command struct {
	how  string
	args []string // args[0] is an absolute path
	// entry is the .desktop file, where it was found by one.
	entry *entry
}

// findCommand finds what to start for l: the app map's command, a path, an
// executable on PATH, the id or Name of a .desktop file, the name in lower
// case on PATH. *desktop.AppNotFoundError where there is none.
func findCommand(l desktop.Launch, env environ, cat *catalog) (*command, error) {
	notFound := &desktop.AppNotFoundError{Name: l.Name}
	missing := func(where string) { notFound.Tried = append(notFound.Tried, where) }

	if len(l.Command) > 0 {
		if p := resolveExecutable(l.Command[0], l.Dir, env); p != "" {
			return &command{how: howMap, args: append([]string{p}, l.Command[1:]...)}, nil
		}
		missing("the app map (" + l.Command[0] + ": " + whyNot(l.Command[0], l.Dir, env) + ")")
		return nil, notFound
	}
	if strings.Contains(l.Name, "/") {
		if p := resolveExecutable(l.Name, l.Dir, env); p != "" {
			return &command{how: howPath, args: []string{p}}, nil
		}
		missing(l.Name + " (" + whyNot(l.Name, l.Dir, env) + ")")
		return nil, notFound
	}
	if p := env.lookPath(l.Name); p != "" {
		return &command{how: howPATH, args: []string{p}}, nil
	}
	if e := cat.find(l.Name, env); e != nil {
		p := resolveExecutable(e.exec[0], "", env)
		return &command{how: howDesktop, args: append([]string{p}, e.exec[1:]...), entry: e}, nil
	}
	if p := env.lookPath(strings.ToLower(l.Name)); p != "" {
		return &command{how: howPATH, args: []string{p}}, nil
	}
	missing("PATH")
	missing(".desktop files")
	notFound.Near = near(l.Name, env, cat)
	return nil, notFound
}

// resolveExecutable is the absolute path of an executable given by its name
// or by a path, which is relative to dir (or to the home); "" where it is none.
func resolveExecutable(name, dir string, env environ) string {
	if !strings.Contains(name, "/") {
		return env.lookPath(name)
	}
	if p := absolute(name, dir, env); isExecutable(p) {
		return p
	}
	return ""
}

func absolute(name, dir string, env environ) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	if dir == "" {
		dir = env.get("HOME")
	}
	return filepath.Join(dir, name)
}

// whyNot says why an executable cannot be started.
func whyNot(name, dir string, env environ) string {
	if !strings.Contains(name, "/") {
		return "not on PATH"
	}
	fi, err := os.Stat(absolute(name, dir, env))
	switch {
	case os.IsNotExist(err):
		return "no such file"
	case err != nil:
		return "not readable"
	case fi.IsDir():
		return "a folder"
	}
	return "not executable"
}

// maxNear bounds the suggestions of a name that was not found.
const maxNear = 3

// near lists names that look like name, best first.
func near(name string, env environ, cat *catalog) []string {
	want := fold.Text(name)
	limit := max(1, min(3, len([]rune(want))/3))
	distances := map[string]int{}
	consider := func(candidate string, penalty int) {
		have := fold.Text(candidate)
		if have == "" || abs(len(have)-len(want)) > limit {
			return
		}
		d := levenshtein.ComputeDistance(want, have)
		if d > limit {
			return
		}
		if old, ok := distances[candidate]; !ok || d*2+penalty < old {
			distances[candidate] = d*2 + penalty
		}
	}
	for _, e := range cat.entries {
		if e.noDisplay {
			continue
		}
		consider(e.name, 0)
		consider(e.program(), 0)
		consider(e.id, 0)
	}
	for _, dir := range filepath.SplitList(env.get("PATH")) {
		files, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, f := range files {
			consider(f.Name(), 1)
		}
	}
	names := make([]string, 0, len(distances))
	for n := range distances {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := distances[names[i]], distances[names[j]]; a != b {
			return a < b
		}
		return names[i] < names[j]
	})
	return names[:min(len(names), maxNear)]
}

func abs(n int) int { return max(n, -n) }
