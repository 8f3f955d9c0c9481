package reporters_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/opendesk/opendesk/ci/consumers/npmtest"
	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// manyFailures is a run of 200 programs that fail for reasons of 10 KB.
func manyFailures() *results.Run {
	reason := strings.Repeat("no <such> thing; ", 600)
	run := &results.Run{ID: "r", Suite: "s", ExitCode: results.ExitFailed, StartedAt: resultstest.Start}
	for i := range 200 {
		steps := resultstest.NotFoundSteps("x.png")
		steps[2].Failure.Reason = reason
		p := resultstest.Program(fmt.Sprint("p", i))
		p.Status, p.Reason = results.Failed, reason
		p.Attempts = []results.Attempt{{Number: 1, Status: results.Failed, Reason: reason, Steps: steps}}
		run.Programs = append(run.Programs, p)
	}
	return run
}

// reported are runs whose reports others read.
func reported() map[string]*results.Run {
	return map[string]*results.Run{
		"empty": resultstest.Empty().Run(), "passing": resultstest.Passing().Run(), "mixed": resultstest.Mixed().Run(),
		"cut": resultstest.Cut().Run(), "hostile": resultstest.Hostile().Run(), "many": manyFailures(),
	}
}

// report writes the run as junit and ctrf into a folder.
func report(t *testing.T, run *results.Run) string {
	t.Helper()
	dir := t.TempDir()
	m, err := reporters.NewManager([]string{"junit", "ctrf"}, reporters.Env{RunDir: dir, WorkDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Finish(run); err != nil {
		t.Fatal(err)
	}
	return dir
}

// command runs a program and gives what it printed.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// libxml2, which many readers are made with, takes every junit.xml.
func TestXMLLint(t *testing.T) {
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Fatal("xmllint is not installed: ci/install-deps.sh test")
	}
	for name, run := range reported() {
		file := filepath.Join(report(t, run), "junit.xml")
		command(t, "xmllint", "--noout", file)
		n := results.Count(run.Programs)
		got := strings.TrimSpace(command(t, "xmllint", "--xpath", "count(//testcase[failure])", file))
		if want := fmt.Sprint(n.Failed); got != want {
			t.Errorf("%s: %s testcases failed, not %s", name, got, want)
		}
	}
}

// The readers from npm find in reports what is in the results.
func TestReadersFromNPM(t *testing.T) {
	modules := filepath.Join(npmtest.Dir(t), "node_modules")
	schema := ctrfSchema(t, filepath.Join(modules, "ctrf", "dist", "ctrf-schema-0.0.json"))
	for name, run := range reported() {
		if os.Getenv("OPENDESK_FULL") == "" && name != "mixed" && name != "hostile" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := report(t, run)
			validate(t, schema, filepath.Join(dir, "ctrf.json"))
			if len(run.Programs) == 0 {
				return // both of the others take a report without tests for none
			}
			n := results.Count(run.Programs)

			converted := filepath.Join(dir, "converted.json")
			command(t, filepath.Join(modules, ".bin", "junit-to-ctrf"), filepath.Join(dir, "junit.xml"), "-o", converted)
			var ctrf struct {
				Results struct{ Summary map[string]int }
			}
			data, err := os.ReadFile(converted)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &ctrf); err != nil {
				t.Fatal(err)
			}
			got := ctrf.Results.Summary
			if got["failed"] != n.Failed+n.Broken+n.Invalid || got["flaky"] != n.Flaky || got["tests"] < n.Programs {
				t.Errorf("junit-to-ctrf counts %v of %+v", got, n)
			}

			if name == "many" {
				return // xunit-viewer ends before its reader has got so much text
			}
			page := filepath.Join(dir, "viewer.html")
			out := command(t, filepath.Join(modules, ".bin", "xunit-viewer"), "-r", filepath.Join(dir, "junit.xml"), "-o", page, "-c")
			for word, want := range map[string]int{"failure": n.Failed, "error": n.Broken + n.Invalid, "flakyFailure": n.Flaky} {
				if got := counted(out, word); got != want {
					t.Errorf("xunit-viewer counts %d %s, not %d", got, word, want)
				}
			}
			if info, err := os.Stat(page); err != nil || info.Size() == 0 {
				t.Errorf("xunit-viewer's page: %v", err)
			}
		})
	}
}

// counted is the number before a word in xunit-viewer's last line of counts.
func counted(out, word string) int {
	found := regexp.MustCompile(`(\d+) `+word+`(,|\n|$)`).FindAllStringSubmatch(out, -1)
	if found == nil {
		return 0
	}
	n := 0
	_, _ = fmt.Sscan(found[len(found)-1][1], &n)
	return n
}

func ctrfSchema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // read only
	value, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s is not what CTRF's schema says: %v", file, err)
	}
}
