package linux

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// maxEntryBytes bounds a .desktop file; the largest real ones have 60 KiB.
const maxEntryBytes = 1 << 20

// catalog is the applications that .desktop files describe.
type catalog struct {
	entries []*entry // by folder, then by id
}

// readCatalog reads the .desktop files of the environment. Of several files
// of one id the first folder's counts; a hidden one, or one whose TryExec is
// not installed, takes the id away.
// Unreadable and wrong files are passed over: they are other people's.
func readCatalog(env environ) *catalog {
	c := &catalog{}
	seen := map[string]bool{}
	for _, dir := range env.dataDirs() {
		root := filepath.Join(dir, "applications")
		var found []*entry
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".desktop") {
				return nil
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return nil
			}
			id := strings.ReplaceAll(strings.TrimSuffix(rel, ".desktop"), "/", "-")
			if seen[id] {
				return nil
			}
			e, err := readEntry(path)
			if err != nil {
				return nil
			}
			seen[id] = true
			e.id, e.file = id, path
			if !e.hidden && (e.tryExec == "" || resolveExecutable(e.tryExec, "", env) != "") {
				found = append(found, e)
			}
			return nil
		})
		sort.Slice(found, func(i, j int) bool { return found[i].id < found[j].id })
		c.entries = append(c.entries, found...)
	}
	return c
}

func readEntry(path string) (*entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxEntryBytes))
	if err != nil {
		return nil, err
	}
	return parseEntry(string(b))
}

// find is the entry that name names and that can be started here, or nil: by
// id first, then by Name, then by another of its names (the last component of
// the id). Of equals, one that menus show is taken, then the first.
func (c *catalog) find(name string, env environ) *entry {
	id := fold.Text(name)
	id = strings.TrimSuffix(id, ".desktop")
	var best *entry
	bestRank := 0
	for _, e := range c.entries {
		rank := 0
		switch {
		case fold.Text(e.id) == id:
			rank = 6
		case fold.Text(e.name) == id:
			rank = 4
		case (desktop.AppInfo{DesktopID: e.id, DesktopName: e.name}).Matches(name):
			rank = 2
		default:
			continue
		}
		if !e.noDisplay {
			rank++
		}
		if rank > bestRank && e.startable(env) {
			best, bestRank = e, rank
		}
	}
	return best
}

// startable reports whether the entry's program is installed.
func (e *entry) startable(env environ) bool {
	return len(e.exec) > 0 && resolveExecutable(e.exec[0], "", env) != ""
}

// of is the entry that a running application belongs to, or nil. program is
// the base name of its executable, or of its script where an interpreter runs
// one.
func (c *catalog) of(a desktop.AppInfo, program string) *entry {
	names := []string{a.Class, a.Instance, a.Name}
	var best *entry
	bestRank := 0
	for _, e := range c.entries {
		if r := e.rank(names, program); r > bestRank {
			best, bestRank = e, r
		}
	}
	return best
}

// rank says how well the entry fits an application of these names; 0 for not
// at all.
func (e *entry) rank(names []string, program string) int {
	rank := 0
	for _, n := range names {
		switch {
		case n == "" || desktop.IsInterpreter(n):
		case e.startupWMClass == n:
			rank = max(rank, 60)
		case strings.EqualFold(e.startupWMClass, n):
			rank = max(rank, 50)
		case e.id == n:
			rank = max(rank, 40)
		case strings.EqualFold(e.id, n):
			rank = max(rank, 30)
		}
	}
	if rank == 0 && program != "" && e.startupWMClass == "" && e.program() == program {
		rank = 20
	}
	if rank == 0 {
		return 0
	}
	// Several files start one program (an editor and its settings): the one
	// that is shown, is called like its program and has no arguments.
	if !e.noDisplay {
		rank += 4
	}
	if (desktop.AppInfo{DesktopID: e.id}).Matches(program) {
		rank += 2
	}
	if len(e.exec) == 1 {
		rank++
	}
	return rank
}

// program is the base name of what Exec starts: a script's where an
// interpreter or env comes first.
func (e *entry) program() string { return programOf(e.exec) }

// programOf is the base name of the program that a command line runs: a
// script's where an interpreter (or env) comes first, "" where an interpreter
// runs no script.
func programOf(args []string) string {
	for i, a := range args {
		switch {
		case i > 0 && (strings.HasPrefix(a, "-") || isAssignment(a)):
			if a == "-c" || a == "-m" || a == "-e" {
				return ""
			}
		case !desktop.IsInterpreter(a):
			return filepath.Base(a)
		}
	}
	return ""
}

// isAssignment reports whether an argument of env is KEY=VALUE.
func isAssignment(arg string) bool {
	k, _, ok := strings.Cut(arg, "=")
	return ok && k != "" && !strings.ContainsAny(k, "/. ")
}
