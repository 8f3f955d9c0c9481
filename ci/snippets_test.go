package ci_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// script runs a script in a folder with a scratch HOME, the installed opendesk
// and these variables.
func (g *github) script(dir, text string, env ...string) (log string, failed bool) {
	g.t.Helper()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + filepath.Dir(g.binary) + ":" + os.Getenv("PATH"), "HOME=" + g.kept, "TMPDIR=" + os.Getenv("TMPDIR")}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err != nil
}

func stepsFolder(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs("steps")
	if err != nil {
		t.Fatal(err)
	}
	return here
}

var attachment = regexp.MustCompile(`\[\[ATTACHMENT\|([^\]]+)\]\]`)

// The jobs of GitLab, run as they are written: the attachments of the test report
// are where GitLab looks for them, and are kept as artifacts. So they are for
// Jenkins, after the command that makes them absolute.
func TestGitLabAndJenkins(t *testing.T) {
	t.Parallel()
	g := newGitHub(t)
	for _, name := range []string{"one", "two", "three"} { // two are enough
		if err := os.Remove(filepath.Join(g.project, ".opendesk", "learned", name+".program.json")); err != nil {
			t.Fatal(err)
		}
	}
	type gitlabJob struct {
		Parallel  int
		Variables map[string]string
		Script    []string
		Artifacts struct {
			Paths   []string
			Reports struct{ JUnit string }
		}
	}
	var file struct {
		Run    gitlabJob `yaml:"opendesk"`
		Report gitlabJob `yaml:"opendesk-report"`
	}
	readYAML(t, "gitlab-ci.yml", &file)
	report := filepath.Join(t.TempDir(), "report")
	copyDir(t, g.project, report)
	steps := "STEPS=" + stepsFolder(t)
	for i := range file.Run.Parallel {
		dir := filepath.Join(t.TempDir(), "work")
		copyDir(t, g.project, dir)
		log, failed := g.script(dir, strings.Join(file.Run.Script, "\n"), steps, fmt.Sprintf("CI_NODE_INDEX=%d", i+1), fmt.Sprintf("CI_NODE_TOTAL=%d", file.Run.Parallel))
		if failed {
			t.Fatalf("shard %d is red by itself:\n%s", i+1, log)
		}
		for _, path := range file.Run.Artifacts.Paths {
			copyDir(t, filepath.Join(dir, path), filepath.Join(report, path))
		}
	}
	env := []string{steps}
	for name, value := range file.Report.Variables {
		env = append(env, name+"="+value)
	}
	log, failed := g.script(report, strings.Join(file.Report.Script, "\n"), env...)
	if !failed || !strings.Contains(log, "programs failed (exit code 1)") {
		t.Errorf("failed: %v\n%s", failed, log)
	}
	junit := filepath.Join(report, file.Report.Artifacts.Reports.JUnit)
	found := attachment.FindAllStringSubmatch(contentOf(junit), -1)
	if len(found) == 0 {
		t.Fatalf("no attachments in\n%s", contentOf(junit))
	}
	kept := file.Report.Artifacts.Paths[0] + "/"
	for _, a := range found {
		if _, err := os.Stat(filepath.Join(report, a[1])); err != nil || !strings.HasPrefix(a[1], kept) {
			t.Errorf("the attachment %s is not among the artifacts: %v", a[1], err)
		}
	}

	command := regexp.MustCompile(`sh '(sed [^']*)'`).FindStringSubmatch(contentOf("Jenkinsfile"))
	if command == nil {
		t.Fatal("the Jenkinsfile makes no names absolute")
	}
	// Groovy takes one backslash of two.
	if log, failed := g.script(report, strings.ReplaceAll(command[1], `\\`, `\`), "WORKSPACE="+report); failed {
		t.Fatal(log)
	}
	for _, a := range attachment.FindAllStringSubmatch(contentOf(junit), -1) {
		if _, err := os.Stat(a[1]); err != nil || !filepath.IsAbs(a[1]) {
			t.Errorf("Jenkins finds no %s: %v", a[1], err)
		}
	}
}

// The commands of the pods, run as they are written but for where their folders
// are: an index of the Job is a shard, a second try of one takes the place of the
// first, and the merge waits for all.
func TestPods(t *testing.T) {
	t.Parallel()
	if os.Getenv("OPENDESK_FULL") == "" {
		t.Skip("takes ten jobs: OPENDESK_FULL=1")
	}
	g := newGitHub(t)
	work := t.TempDir()
	copyDir(t, g.project, filepath.Join(work, "project"))
	text := strings.NewReplacer("/opt/opendesk/ci/steps", stepsFolder(t), "/work/", work+"/").Replace(contentOf("k8s/jobs.yaml"))
	type pod struct {
		Spec struct {
			Completions int
			Template    struct {
				Spec struct {
					Containers []struct {
						Command []string
						Env     []struct{ Name, Value string }
					}
				}
			}
		}
	}
	var pods []pod
	for document := range strings.SplitSeq(text, "\n---\n") {
		var p pod
		if err := yaml.Unmarshal([]byte(document), &p); err != nil {
			t.Fatal(err)
		}
		pods = append(pods, p)
	}
	run := func(p pod, env ...string) (string, bool) {
		c := p.Spec.Template.Spec.Containers[0]
		for _, e := range c.Env {
			env = append(env, e.Name+"="+e.Value)
		}
		return g.script(work, c.Command[2], env...)
	}
	for i := range pods[0].Spec.Completions {
		for try := range 2 {
			if i > 0 && try > 0 {
				break
			}
			if log, failed := run(pods[0], fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i)); failed {
				t.Fatalf("index %d: %s", i, log)
			}
		}
	}
	log, failed := run(pods[1])
	if !failed || !strings.Contains(log, "5 programs: 1 failed, 4 passed") {
		t.Errorf("failed: %v\n%s", failed, log)
	}
}

// Where the kernel keeps bwrap from user namespaces, the profile is loaded.
func TestInstallLoadsTheProfile(t *testing.T) {
	t.Parallel()
	g := newGitHub(t)
	told, restricted := filepath.Join(g.kept, "told"), filepath.Join(g.kept, "restricted")
	for name, text := range map[string]string{
		filepath.Join(g.bin, "apparmor_parser"): "#!/bin/sh\necho \"$@\" >" + told + "\n",
		filepath.Join(g.bin, "sudo"):            "#!/bin/sh\nshift\nexec \"$@\"\n",
		restricted:                              "0\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + g.bin + ":" + os.Getenv("PATH"), "OPENDESK_BINARY=" + g.binary, "OPENDESK_BIN=" + filepath.Join(g.kept, "bin"), "OPENDESK_USERNS_FILE=" + restricted}
	if log, failed := g.script(g.project, stepsFolder(t)+"/install.sh", env...); failed || contentOf(told) != "" {
		t.Fatalf("told %q\n%s", contentOf(told), log)
	}
	if err := os.WriteFile(restricted, []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	log, failed := g.script(g.project, stepsFolder(t)+"/install.sh", env...)
	if failed || !strings.HasSuffix(strings.TrimSpace(contentOf(told)), "apparmor/opendesk-bwrap") {
		t.Errorf("told %q\n%s", contentOf(told), log)
	}
}
