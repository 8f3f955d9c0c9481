//go:build linux

package ginkgospec

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
)

// innerVariable says that the test binary is to run an inner suite: the
// package as its users see it.
const innerVariable = "GINKGOSPEC_TEST_INNER"

// inner says what an inner suite registers.
type inner struct {
	Project, Binary, Isolation, Output string
	Programs, Labels                   []string
	TimeoutScale                       float64
	// SpecTimeout and Grace are in milliseconds; 0 for the defaults.
	SpecTimeout, Grace int
}

var _ = registerInner()

func registerInner() bool {
	text := os.Getenv(innerVariable)
	if text == "" {
		return false
	}
	var in inner
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		panic(err)
	}
	if in.Grace > 0 {
		grace = time.Duration(in.Grace) * time.Millisecond
	}
	opts := []Option{Binary(in.Binary), Isolation(in.Isolation), Output(in.Output), Programs(in.Programs...), TimeoutScale(in.TimeoutScale)}
	if len(in.Labels) > 0 {
		opts = append(opts, Decorators(ginkgo.Label(in.Labels...), ginkgo.Serial))
	}
	if in.SpecTimeout > 0 {
		opts = append(opts, Decorators(ginkgo.SpecTimeout(time.Duration(in.SpecTimeout)*time.Millisecond)))
	}
	return Project(in.Project, opts...)
}

// TestInner is the inner suite.
func TestInner(t *testing.T) {
	if os.Getenv(innerVariable) == "" {
		t.Skip("is run by other tests")
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "Inner")
}

// innerRun is what came of an inner suite.
type innerRun struct {
	console string
	log     string // the folder in which the fake took notes
	specs   map[string]types.SpecReport
}

// innerCommand is an inner suite to be run, with the fake unless told
// otherwise.
func innerCommand(t *testing.T, in inner) (cmd *exec.Cmd, log, report string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if in.Binary == "" {
		in.Binary = self
	}
	if in.Output == "" {
		in.Output = t.TempDir()
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	log = t.TempDir()
	report = filepath.Join(log, "report.json")
	cmd = exec.Command(self, "-test.run=^TestInner$", "-test.timeout=2m", "-ginkgo.v", "-ginkgo.no-color", "-ginkgo.json-report="+report)
	cmd.Env = append(os.Environ(), innerVariable+"="+string(text), logVariable+"="+log)
	return cmd, log, report
}

// runInner runs an inner suite and reads its report.
func runInner(t *testing.T, in inner) innerRun {
	t.Helper()
	cmd, log, report := innerCommand(t, in)
	var console bytes.Buffer
	cmd.Stdout, cmd.Stderr = &console, &console
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the inner suite's console:\n%s", console.String())
		}
	})
	b, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v\n%s", err, console.String())
	}
	var reports []types.Report
	if err := json.Unmarshal(b, &reports); err != nil {
		t.Fatal(err)
	}
	run := innerRun{console: console.String(), log: log, specs: map[string]types.SpecReport{}}
	for _, r := range reports {
		for _, spec := range r.SpecReports {
			run.specs[spec.LeafNodeText] = spec
		}
		if failed := cmd.ProcessState.ExitCode() != 0; failed == r.SuiteSucceeded {
			t.Errorf("exit code is %d, suite succeeded is %t", cmd.ProcessState.ExitCode(), r.SuiteSucceeded)
		}
	}
	return run
}

// spec gives the report of one spec.
func (r innerRun) spec(t *testing.T, name string) types.SpecReport {
	t.Helper()
	spec, ok := r.specs[name]
	if !ok {
		t.Fatalf("there is no spec %q", name)
	}
	return spec
}

const validProgram = `{"version": 1, "name": "x", "steps": [
  {"id": "s1", "tool": "app", "params": {"action": "open", "name": "Numbers"},
   "postcondition": {"kind": "app_frontmost", "value": "Numbers"}}]}`

// makeProject makes a project with valid programs of these short names.
func makeProject(t *testing.T, names ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sample")
	for _, name := range names {
		addProgram(t, dir, name, validProgram)
	}
	return dir
}

func addProgram(t *testing.T, project, name, content string) {
	t.Helper()
	file := filepath.Join(project, ".opendesk", "learned", filepath.FromSlash(name)+".program.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
