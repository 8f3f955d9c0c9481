package desktop

import (
	"path"
	"strconv"
	"strings"

	"github.com/opendesk/opendesk/internal/fold"
)

// processNameLimit is the length in bytes to which the kernel cuts the name of
// a process.
const processNameLimit = 15

// Matches reports whether name names the application. A name is any of the
// application's own names, in any case and with "-", "_" or a space between
// words: its name in the accessibility tree, either half of WM_CLASS, its
// process, the id (with or without ".desktop") or Name of its .desktop file,
// the last component of a reverse-DNS id, or the path of its executable. It is
// never a part of one: "Text" does not name "Text Editor".
//
// An interpreter (python3, java) is the name of a script's application only
// where nothing else is known of it.
func (a AppInfo) Matches(name string) bool {
	asked := queryKeys(name)
	if len(asked.exact) == 0 {
		return false
	}
	own, hasID := a.keys()
	if !hasID {
		asked.exact = append(asked.exact, asked.last...)
	}
	for _, q := range asked.exact {
		for _, k := range own {
			if q == k {
				return true
			}
		}
	}
	return a.matchesCutProcess(asked.raw)
}

// Display is the application's best name for people, or "" for none.
func (a AppInfo) Display() string {
	for _, n := range []string{a.DesktopName, a.OpenedAs, a.Name, a.Class, a.Instance, a.Process, a.DesktopID} {
		if n != "" && !IsInterpreter(n) {
			return n
		}
	}
	for _, n := range []string{a.Name, a.Process} {
		if n != "" {
			return n
		}
	}
	if a.PID != 0 {
		return "pid " + strconv.Itoa(a.PID)
	}
	return ""
}

// IsInterpreter reports whether an executable of that name runs other people's
// programs, so that its name says nothing about the application.
func IsInterpreter(name string) bool {
	base := strings.ToLower(path.Base(name))
	// python3.11, ruby2.7, perl5.36.0
	stem := strings.TrimRight(base, "0123456789.-")
	return interpreters[stem] || interpreters[base]
}

var interpreters = map[string]bool{
	"python": true, "pypy": true, "perl": true, "ruby": true, "node": true, "nodejs": true,
	"java": true, "sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "fish": true,
	"gjs": true, "gjs-console": true, "mono": true, "dotnet": true, "php": true, "lua": true,
	"wish": true, "tclsh": true, "guile": true, "env": true,
}

// keys are the names of the application in the form in which they are
// compared; hasID says that one of them is a reverse-DNS id.
func (a AppInfo) keys() (keys []string, hasID bool) {
	for _, n := range []string{a.Name, a.Class, a.Instance, a.DesktopID, a.DesktopName} {
		if n == "" || IsInterpreter(n) {
			continue
		}
		k := key(n)
		keys = append(keys, k)
		if stem, ok := scriptStem(k); ok {
			keys = append(keys, stem)
		}
		if last, vendor, ok := reverseDNS(k); ok {
			hasID = true
			keys = append(keys, last, vendor)
		}
	}
	if a.OpenedAs != "" {
		keys = append(keys, key(a.OpenedAs))
		if strings.Contains(a.OpenedAs, "/") {
			keys = append(keys, key(path.Base(a.OpenedAs)))
		}
	}
	if a.Process != "" && (!IsInterpreter(a.Process) || len(keys) == 0) {
		keys = append(keys, key(a.Process))
	}
	return keys, hasID
}

// matchesCutProcess compares a long name with a process name that the kernel
// cut. A longer name of the application that begins like the process is the
// whole name, and the cut one is then not asked.
func (a AppInfo) matchesCutProcess(name string) bool {
	if len(a.Process) != processNameLimit || len(name) <= processNameLimit || IsInterpreter(a.Process) {
		return false
	}
	cut := fold.Text(a.Process)
	for _, n := range []string{a.Name, a.Class, a.Instance} {
		if f := fold.Text(n); len(f) > len(cut) && strings.HasPrefix(f, cut) {
			return false
		}
	}
	return fold.Text(name[:processNameLimit]) == cut
}

// query is a name in all the forms in which it may be meant.
type query struct {
	raw string // without path and ".desktop", to compare with cut names
	// exact forms are compared with every name of an application.
	exact []string
	// last is the last component of a reverse-DNS id. It is compared only
	// with applications that have no such id themselves.
	last []string
}

func queryKeys(name string) query {
	name = strings.TrimSpace(name)
	var q query
	if strings.Contains(name, "/") {
		q.exact = append(q.exact, key(name))
		name = path.Base(name)
		if stem, ok := scriptStem(key(name)); ok {
			q.exact = append(q.exact, stem)
		}
	}
	if cut := len(name) - len(".desktop"); cut > 0 && strings.EqualFold(name[cut:], ".desktop") {
		name = name[:cut]
	}
	q.raw = name
	k := key(name)
	if k == "" || k == "/" || k == "." {
		return query{}
	}
	q.exact = append(q.exact, k)
	if last, vendor, ok := reverseDNS(k); ok {
		q.exact = append(q.exact, vendor)
		q.last = append(q.last, last)
	}
	return q
}

// key folds a name: without case, and with one sort of separator.
func key(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return ' '
		}
		return r
	}, fold.Text(name))
}

// reverseDNS takes the folded id org.gnome.calculator apart: its last
// component (calculator) and that after the vendor's name (gnome calculator),
// which is how such applications often call their executable.
func reverseDNS(k string) (last, vendor string, ok bool) {
	parts := strings.Split(k, ".")
	if len(parts) < 3 || strings.ContainsAny(parts[0], " /") || !(len(parts[0]) == 2 || domains[parts[0]]) {
		return "", "", false
	}
	for _, p := range parts {
		if p == "" {
			return "", "", false
		}
	}
	last = parts[len(parts)-1]
	if scriptEndings[last] {
		return "", "", false
	}
	return last, parts[len(parts)-2] + " " + last, true
}

var domains = map[string]bool{
	"org": true, "com": true, "net": true, "edu": true, "gov": true, "info": true,
	"dev": true, "app": true, "page": true, "name": true, "art": true, "xyz": true,
}

// scriptStem is a script's file name without its ending.
func scriptStem(k string) (string, bool) {
	i := strings.LastIndexByte(k, '.')
	if i <= 0 || !scriptEndings[k[i+1:]] {
		return "", false
	}
	return k[:i], true
}

var scriptEndings = map[string]bool{
	"py": true, "sh": true, "pl": true, "rb": true, "js": true, "jar": true, "appimage": true, "bin": true, "exe": true,
}
