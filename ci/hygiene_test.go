package ci_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const maxLines = 600

// rules are what no file may hold, and why. The words are put together here
// since this file is looked at as well.
var rules = []struct {
	why   string
	words []string
}{
	{"end processes by the id of what you started, never by name", []string{"p" + "kill", "kill" + "all"}},
	{"no host of a package registry belongs in a file", []string{
		"proxy." + "golang.org", "sum." + "golang.org", "deb." + "debian.org", "archive." + "ubuntu.com",
		"registry." + "npmjs.org", "pypi." + "org", "pythonhosted." + "org", "repo1." + "maven.org", "index." + "crates.io",
	}},
}

// TestHygiene holds the house rules against every file of the repository.
func TestHygiene(t *testing.T) {
	for path, content := range files(t) {
		for _, rule := range rules {
			for _, word := range rule.words {
				if i := bytes.Index(content, []byte(word)); i >= 0 {
					t.Errorf("%s:%d holds %q: %s", path, 1+bytes.Count(content[:i], []byte("\n")), word, rule.why)
				}
			}
		}
		if lines := bytes.Count(content, []byte("\n")); isSource(path) && lines > maxLines {
			t.Errorf("%s has %d lines, more than %d: split it", path, lines, maxLines)
		}
		if strings.HasSuffix(path, ".go") {
			checkGo(t, path, content)
		}
	}
}

func isSource(path string) bool {
	return slices.Contains([]string{".go", ".py", ".sh"}, filepath.Ext(path))
}

func checkGo(t *testing.T, path string, content []byte) {
	formatted, err := format.Source(content)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	if !bytes.Equal(formatted, content) {
		t.Errorf("%s is not as gofmt writes it", path)
	}
	if strings.HasSuffix(path, "_test.go") {
		return
	}
	for _, at := range sleeps(path, content) {
		t.Errorf("%s calls time.Sleep: wait on a channel or timer together with the context", at)
	}
}

// sleeps gives the places where time.Sleep is used.
func sleeps(path string, content []byte) []token.Position {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, content, parser.SkipObjectResolution)
	if err != nil {
		return nil // reported by checkGo
	}
	var places []token.Position
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Sleep" {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" {
				places = append(places, set.Position(s.Pos()))
			}
		}
		return true
	})
	return places
}

// files reads what belongs to the repository: not what was built or what
// runs left.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	contents := map[string][]byte{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		if d.IsDir() {
			if slices.Contains([]string{"../.git", "../bin", "../dist"}, path) || strings.HasSuffix(path, ".opendesk/eval") {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		contents[strings.TrimPrefix(path, "../")] = content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(contents) == 0 {
		t.Fatal("no files found")
	}
	return contents
}

// TestSleeps makes sure that the rule sees what it is to see.
func TestSleeps(t *testing.T) {
	const source = "package p\n\nimport \"time\"\n\n// time.Sleep in a comment\nfunc f() { time.Sleep(1) }\n"
	if got := sleeps("p.go", []byte(source)); len(got) != 1 || got[0].Line != 6 {
		t.Fatalf("found %v", got)
	}
}
