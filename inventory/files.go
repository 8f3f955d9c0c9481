package inventory

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files gives every file whose package says what a command starts, each once:
// the executable under the name that it was found by and under its own (a link
// can be from another package), the interpreter of a script likewise, and files
// that the command names by absolute paths. lookPath finds a name on PATH, ""
// where there is none.
func Files(commands [][]string, lookPath func(name string) string) []string {
	var files []string
	add := func(path string) {
		for path != "" && !slices.Contains(files, path) {
			files = append(files, path)
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				return
			}
			if !slices.Contains(files, real) {
				files = append(files, real)
			}
			path = interpreter(real, lookPath)
		}
	}
	for _, command := range commands {
		for i, word := range command {
			if !filepath.IsAbs(word) {
				continue
			}
			if info, err := os.Stat(word); i == 0 || err == nil && info.Mode().IsRegular() {
				add(word)
			}
		}
	}
	return files
}

// maxShebang is the longest first line of a script that Linux reads, in bytes.
const maxShebang = 256

// interpreter is what runs the script, "" for a file that is none.
func interpreter(script string, lookPath func(string) string) string {
	file, err := os.Open(script)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // read only
	line, _ := bufio.NewReader(io.LimitReader(file, maxShebang)).ReadString('\n')
	rest, ok := strings.CutPrefix(line, "#!")
	words := strings.Fields(rest)
	if !ok || len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) == "env" {
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				return lookPath(word)
			}
		}
	}
	if !filepath.IsAbs(words[0]) {
		return ""
	}
	return words[0]
}
