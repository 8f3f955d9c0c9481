package ci_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// step is a step of a workflow or of the action.
type step struct {
	Name, ID, If, Uses, Run, Shell string
	With, Env                      map[string]string
}

// workflow is what this runner knows of a workflow.
type workflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		Outputs map[string]string
		Steps   []step
	}
}

// action is what it knows of an action.
type action struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct{ Steps []step }
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// github stands for the service: it runs every shell step as it is written, with
// the files that a runner gives, and keeps caches and artifacts in folders.
type github struct {
	t *testing.T
	// project is what a checkout gives.
	project string
	// kept has the caches, and per run the artifacts.
	kept string
	// bin is a folder in front of PATH.
	bin string
	// binary is the opendesk that is installed.
	binary string
	// ran names the scripts of steps that have run.
	ran map[string]bool
	// runs counts the runs of workflows.
	runs int
}

// job is one job under way.
type job struct {
	*github
	values  map[string]string // what expressions name
	failed  bool
	path    string // PATH
	home    string
	work    string
	log     strings.Builder
	summary string // a file
}

func (g *github) newJob(values map[string]string) *job {
	dir := g.t.TempDir()
	j := &job{github: g, values: maps.Clone(values), home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"), summary: filepath.Join(dir, "summary.md")}
	j.path = g.bin + ":" + os.Getenv("PATH")
	for _, d := range []string{j.home, filepath.Join(dir, "temp")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			g.t.Fatal(err)
		}
	}
	copyDir(g.t, g.project, j.work)
	j.values["runner.temp"] = filepath.Join(dir, "temp")
	return j
}

// do runs the steps of one job, and of the action that they use.
func (j *job) do(steps []step, actionPath string) {
	for _, s := range steps {
		if !j.wanted(s.If) {
			continue
		}
		uses, _, _ := strings.Cut(s.Uses, "@")
		switch uses {
		case "":
			j.shell(s, actionPath)
		case "actions/checkout", "actions/setup-go":
		case "actions/cache/restore":
			j.copyIf(filepath.Join(j.kept, "cache"), j.inWork(s.With["path"]))
		case "actions/cache/save":
			j.copyIf(j.inWork(s.With["path"]), filepath.Join(j.kept, "cache"))
		case "actions/upload-artifact":
			if s.With["include-hidden-files"] != "true" {
				j.t.Error("hidden files are left out of artifacts")
			}
			j.copyIf(j.inWork(j.expand(s.With["path"])), j.artifact(j.expand(s.With["name"])))
		case "actions/download-artifact":
			if name := s.With["name"]; name != "" {
				j.copyIf(j.artifact(name), j.inWork(s.With["path"]))
				continue
			}
			found, _ := filepath.Glob(j.artifact(s.With["pattern"])) // a pattern of ours
			for _, from := range found {
				j.copyIf(from, j.inWork(s.With["path"]))
			}
		case "opendesk/opendesk/ci", "./ci":
			j.act(s)
		default:
			j.t.Fatalf("no such action here: %s", s.Uses)
		}
	}
}

func (j *job) inWork(path string) string { return filepath.Join(j.work, path) }

func (j *job) artifact(name string) string {
	return filepath.Join(j.kept, fmt.Sprintf("run-%d", j.runs), name)
}

// act runs the action's steps.
func (j *job) act(s step) {
	var a action
	readYAML(j.t, "action.yml", &a)
	inner := *j
	inner.log = strings.Builder{}
	inner.values = map[string]string{"runner.temp": j.values["runner.temp"]}
	for name, input := range a.Inputs {
		inner.values["inputs."+name] = input.Default
	}
	for name, value := range s.With {
		if _, known := a.Inputs[name]; !known {
			j.t.Errorf("the action has no input %s", name)
		}
		inner.values["inputs."+name] = j.expand(value)
	}
	inner.values["inputs.binary"] = j.binary
	here, err := os.Getwd()
	if err != nil {
		j.t.Fatal(err)
	}
	inner.do(a.Runs.Steps, here)
	j.failed = inner.failed
	j.path = inner.path
	j.log.WriteString(inner.log.String())
	for name, output := range a.Outputs {
		j.values["steps."+s.ID+".outputs."+name] = inner.expand(output.Value)
	}
}

// shell runs a script as the runner does: bash with -e and pipefail, and files
// for what it says.
func (j *job) shell(s step, actionPath string) {
	j.ran[s.Run] = true
	dir := j.t.TempDir()
	script := filepath.Join(dir, "step.sh")
	if err := os.WriteFile(script, []byte(j.expand(s.Run)), 0o644); err != nil {
		j.t.Fatal(err)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	cmd.Dir = j.work
	cmd.Env = []string{"CI=true", "GITHUB_ACTIONS=true", "PATH=" + j.path, "HOME=" + j.home, "TMPDIR=" + os.Getenv("TMPDIR"),
		"GITHUB_WORKSPACE=" + j.work, "GITHUB_ACTION_PATH=" + actionPath, "GITHUB_STEP_SUMMARY=" + j.summary,
		"GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "GITHUB_ENV=" + filepath.Join(dir, "env"), "GITHUB_PATH=" + filepath.Join(dir, "path"),
		"GITHUB_SERVER_URL=https://github.example", "GITHUB_REPOSITORY=team/desk", fmt.Sprintf("GITHUB_RUN_ID=%d", j.runs),
		"RUNNER_TEMP=" + j.values["runner.temp"]}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+j.expand(value))
	}
	out, err := cmd.CombinedOutput()
	j.log.Write(out)
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		j.t.Fatal(err)
	}
	j.failed = j.failed || err != nil
	for line := range strings.Lines(contentOf(filepath.Join(dir, "output"))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		j.values["steps."+s.ID+".outputs."+name] = value
	}
	for line := range strings.Lines(contentOf(filepath.Join(dir, "path"))) {
		j.path = strings.TrimSpace(line) + ":" + j.path
	}
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// expand gives a text with its expressions replaced.
func (j *job) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		return j.value(expression.FindStringSubmatch(e)[1])
	})
}

// value is that of an expression: the first that is not empty of names and
// texts with || between them.
func (j *job) value(e string) string {
	for one := range strings.SplitSeq(e, "||") {
		one = strings.TrimSpace(one)
		if text, ok := strings.CutPrefix(one, "'"); ok {
			return strings.TrimSuffix(text, "'")
		}
		if v := j.values[one]; v != "" {
			return v
		}
	}
	return ""
}

// wanted says whether a step runs: comparisons with && between them.
func (j *job) wanted(condition string) bool {
	condition = strings.TrimSuffix(strings.TrimPrefix(condition, "${{"), "}}")
	if j.failed && !strings.Contains(condition, "!cancelled()") {
		return false
	}
	for term := range strings.SplitSeq(condition, "&&") {
		left, right, isEqual := strings.Cut(term, "==")
		if !isEqual {
			left, right, _ = strings.Cut(term, "!=")
		}
		left, right = strings.TrimSpace(left), strings.Trim(strings.TrimSpace(right), "'")
		if left != "" && left != "!cancelled()" && (j.values[left] == right) != isEqual {
			return false
		}
	}
	return true
}

func (j *job) copyIf(from, to string) {
	info, err := os.Stat(from)
	switch {
	case err != nil:
	case info.IsDir():
		copyDir(j.t, from, to)
	default:
		if err := os.WriteFile(to, []byte(contentOf(from)), 0o644); err != nil {
			j.t.Fatal(err)
		}
	}
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-rT", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// contentOf is what is in a file, "" where there is none.
func contentOf(path string) string {
	data, _ := os.ReadFile(path) // "" for none
	return string(data)
}
