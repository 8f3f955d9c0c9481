package ci_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/opendesk/opendesk"

// row is one line of the import table in ARCHITECTURE.md.
type row struct {
	line int
	// all is set where every package may be imported.
	all  bool
	may  []string
	sole []string // what only this package may import, of other modules
}

// variants are the builds whose imports are looked at: files behind build
// tags have imports as well.
var variants = [][]string{
	{"GOOS=linux", "CGO_ENABLED=1"},
	{"GOOS=linux", "CGO_ENABLED=0"},
	{"GOOS=darwin", "CGO_ENABLED=0"},
	{"GOOS=windows", "CGO_ENABLED=0"},
}

// TestImports holds every package's imports against the table. Imports of
// tests are free; packages whose name ends in "test" help tests, need no row
// and may be imported by tests and by each other only.
func TestImports(t *testing.T) {
	table := readTable(t)
	problems := map[string]bool{} // the variants have most of them in common
	for _, variant := range variants {
		for _, p := range listPackages(t, variant) {
			for _, problem := range table.check(p) {
				problems[problem] = true
			}
		}
	}
	for _, problem := range slices.Sorted(maps.Keys(problems)) {
		t.Error(problem)
	}
}

// importTable is the table, by path.
type importTable map[string]row

// listed is what `go list -json` tells of a package.
type listed struct {
	ImportPath string
	Imports    []string
	// GoFiles and CgoFiles are those of the build, without tests.
	GoFiles, CgoFiles []string
}

func (p listed) path() string { return ours(p.ImportPath) }

// ours is the path below the module, "" for other modules' packages.
func ours(importPath string) string {
	if importPath == module {
		return "."
	}
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return rest
}

func helpsTests(path string) bool { return strings.HasSuffix(path, "test") }

// check gives what is wrong with the imports of one package.
func (table importTable) check(p listed) (problems []string) {
	path := p.path()
	r, ok := table[path]
	if len(p.GoFiles)+len(p.CgoFiles) == 0 {
		return nil // nothing but tests
	}
	if !ok && !helpsTests(path) {
		return []string{fmt.Sprintf("package %s has no row in the import table of ARCHITECTURE.md: add one", path)}
	}
	for _, imported := range p.Imports {
		dependency := ours(imported)
		switch {
		case dependency == "":
			problems = append(problems, table.checkSole(path, imported)...)
		case helpsTests(path):
		case helpsTests(dependency):
			problems = append(problems, fmt.Sprintf("%s imports %s, which is for tests only", path, dependency))
		case !r.all && !slices.Contains(r.may, dependency):
			problems = append(problems, fmt.Sprintf("%s imports %s, which its row does not allow (ARCHITECTURE.md:%d)",
				path, dependency, r.line))
		}
	}
	return problems
}

// checkSole holds an import of another module's package against the rows that
// claim to be its only importer.
func (table importTable) checkSole(path, imported string) (problems []string) {
	for owner, r := range table {
		for _, sole := range r.sole {
			if path != owner && slices.Contains(strings.Split(imported, "/"), sole) {
				problems = append(problems, fmt.Sprintf("%s imports %s, but %s is the only importer of %s (ARCHITECTURE.md:%d)",
					path, imported, owner, sole, r.line))
			}
		}
	}
	return problems
}

var (
	quoted       = regexp.MustCompile("`([^`]+)`")
	soleImporter = regexp.MustCompile(`the only importer of ([\w-]+)`)
)

// readTable reads the table whose heading is | path | responsibility | may import |.
func readTable(t *testing.T) importTable {
	t.Helper()
	b, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	table, err := parseTable(b)
	if err != nil {
		t.Fatalf("ARCHITECTURE.md: %v", err)
	}
	return table
}

func parseTable(document []byte) (importTable, error) {
	table := importTable{}
	inside := false
	lines := bufio.NewScanner(bytes.NewReader(document))
	for n := 1; lines.Scan(); n++ {
		cells := strings.Split(strings.Trim(lines.Text(), "| "), " | ")
		switch {
		case slices.Equal(cells, []string{"path", "responsibility", "may import"}):
			inside = true
			continue
		case !inside || strings.HasPrefix(lines.Text(), "|--"):
			continue
		case !strings.HasPrefix(lines.Text(), "|"):
			return table, nil
		case len(cells) != 3:
			return nil, fmt.Errorf("line %d has %d cells instead of 3", n, len(cells))
		}
		r := row{line: n, all: cells[2] == "all", may: inner(cells[2])}
		for _, m := range soleImporter.FindAllStringSubmatch(cells[1], -1) {
			r.sole = append(r.sole, m[1])
		}
		if !r.all && len(r.may) == 0 && cells[2] != "–" {
			return nil, fmt.Errorf("line %d: the last cell is neither a list of `packages` nor – nor all", n)
		}
		for _, path := range inner(cells[0]) {
			if _, twice := table[path]; twice {
				return nil, fmt.Errorf("line %d: %s has a row already", n, path)
			}
			table[path] = r
		}
	}
	if len(table) == 0 {
		return nil, errors.New("no import table found")
	}
	return table, lines.Err()
}

func inner(cell string) []string {
	var paths []string
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		paths = append(paths, m[1])
	}
	return paths
}

func listPackages(t *testing.T, environment []string) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,GoFiles,CgoFiles", "./...")
	command.Dir = ".."
	command.Env = append(os.Environ(), environment...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list (%s): %v\n%s", strings.Join(environment, " "), err, stderr.String())
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestCheck makes sure that the rules see what they are to see.
func TestCheck(t *testing.T) {
	table := importTable{
		"a": {line: 1, sole: []string{"robotgo"}},
		"b": {line: 2, may: []string{"a"}},
		"c": {line: 3, all: true},
	}
	for name, test := range map[string]struct {
		path    string
		imports []string
		problem string
	}{
		"allowed":        {"b", []string{module + "/a", "fmt"}, ""},
		"all":            {"c", []string{module + "/a", module + "/b"}, ""},
		"no row":         {"d", nil, "package d has no row"},
		"test helper":    {"x/atest", []string{module + "/b"}, ""},
		"not allowed":    {"a", []string{module + "/b"}, "a imports b, which its row does not allow (ARCHITECTURE.md:1)"},
		"helper used":    {"c", []string{module + "/x/atest"}, "for tests only"},
		"sole importer":  {"a", []string{"github.com/go-vgo/robotgo"}, ""},
		"other importer": {"c", []string{"github.com/go-vgo/robotgo/key"}, "a is the only importer of robotgo"},
	} {
		t.Run(name, func(t *testing.T) {
			p := listed{ImportPath: module + "/" + test.path, Imports: test.imports, GoFiles: []string{"x.go"}}
			got := strings.Join(table.check(p), "\n")
			if !strings.Contains(got, test.problem) || (test.problem == "") != (got == "") {
				t.Fatalf("problems are %q, not %q", got, test.problem)
			}
		})
	}
}

// TestParseTable holds the reader of the table against small tables.
func TestParseTable(t *testing.T) {
	const head = "text\n\n| path | responsibility | may import |\n|---|---|---|\n"
	for name, test := range map[string]struct{ document, err string }{
		"good":         {head + "| `a` | one | – |\n| `b`, `c` | the only importer of robotgo | `a` |\n| `d` | x | all |\n", ""},
		"none":         {"text\n", "no import table found"},
		"unclear cell": {head + "| `a` | one | nothing |\n", "line 5: the last cell is neither"},
		"twice":        {head + "| `a` | one | – |\n| `a` | two | – |\n", "line 6: a has a row already"},
		"short row":    {head + "| `a` | one |\n", "line 5 has 2 cells instead of 3"},
	} {
		t.Run(name, func(t *testing.T) {
			table, err := parseTable([]byte(test.document))
			switch {
			case test.err == "" && err != nil:
				t.Fatal(err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Fatalf("error is %v, not %q", err, test.err)
			case test.err != "":
				return
			}
			if !slices.Equal(table["c"].may, []string{"a"}) || !slices.Equal(table["b"].sole, []string{"robotgo"}) ||
				!table["d"].all || table["a"].may != nil {
				t.Fatalf("read %+v", table)
			}
		})
	}
}
