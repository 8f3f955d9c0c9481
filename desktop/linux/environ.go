package linux

import (
	"os"
	"path/filepath"
	"strings"
)

// environ is an environment for applications: KEY=VALUE, the last one counts.
type environ []string

// get is the value of the variable, or "".
func (e environ) get(key string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e[i], "="); ok && k == key {
			return v
		}
	}
	return ""
}

// lookPath finds the executable of that name on the environment's own PATH,
// or "". Relative folders on PATH are passed over, as os/exec does.
func (e environ) lookPath(name string) string {
	if name == "" || strings.Contains(name, "/") {
		return ""
	}
	for _, dir := range filepath.SplitList(e.get("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p := filepath.Join(dir, name); isExecutable(p) {
			return p
		}
	}
	return ""
}

// dataDirs are the folders in which applications install their data, the most
// important first, by the XDG Base Directory Specification.
func (e environ) dataDirs() []string {
	home := e.get("XDG_DATA_HOME")
	if home == "" && e.get("HOME") != "" {
		home = filepath.Join(e.get("HOME"), ".local", "share")
	}
	rest := e.get("XDG_DATA_DIRS")
	if rest == "" {
		rest = "/usr/local/share:/usr/share"
	}
	var dirs []string
	for _, d := range append([]string{home}, filepath.SplitList(rest)...) {
		if filepath.IsAbs(d) {
			dirs = append(dirs, filepath.Clean(d))
		}
	}
	return dirs
}

// isExecutable reports whether path is a file that may be executed. Root may
// execute what anyone may.
func isExecutable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode().Perm()&0o111 != 0
}
