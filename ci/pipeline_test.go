package ci_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A project of five programs, one of which always fails; what they do is quick.
var learned = map[string]string{
	"notes": notes("Notes"),
	"known": `{"name": "known", "version": 1, "steps": [{"id": "s1", "tool": "app", "params": {"action": "open", "name": "nowhere-to-be-found"}}]}`,
	"one":   `{"name": "one", "version": 1, "steps": [{"id": "s1", "tool": "wait"}]}`,
	"two":   `{"name": "two", "version": 1, "steps": [{"id": "s1", "tool": "wait"}]}`,
	"three": `{"name": "three", "version": 1, "steps": [{"id": "s1", "tool": "wait"}]}`,
}

func notes(title string) string {
	return fmt.Sprintf(`{"name": "notes", "version": 1, "steps": [{"id": "s1", "tool": "app", "params": {"action": "open", "name": "Notes"},
  "postcondition": {"kind": "window_title_contains", "value": %q, "timeout_ms": 3000}}]}`, title)
}

func newGitHub(t *testing.T) *github {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Fatal("the machine has no Xvfb (ci/install-deps.sh installs it)")
	}
	dir := t.TempDir()
	g := &github{t: t, project: filepath.Join(dir, "project"), kept: filepath.Join(dir, "kept"), bin: filepath.Join(dir, "bin"),
		binary: os.Getenv("OPENDESK_BINARY"), ran: map[string]bool{}}
	for _, d := range []string{g.kept, g.bin} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if g.binary == "" {
		g.binary = filepath.Join(dir, "opendesk")
		if out, err := exec.Command("go", "build", "-o", g.binary, "../cmd/opendesk").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for name, text := range learned {
		g.write(filepath.Join(".opendesk", "learned", name+".program.json"), text)
	}
	g.write(".opendesk/eval.yaml", "apps:\n  Notes: [xterm, -title, Notes, -e, /bin/cat]\n")
	return g
}

func (g *github) write(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// pullRequest runs the workflow of pull requests; the last job is the merge.
func (g *github) pullRequest(perShard string) (shards []*job, merge *job) {
	g.runs++
	var w workflow
	readYAML(g.t, "github/regression.yml", &w)
	values := map[string]string{}
	for name, value := range w.Env {
		values["env."+name] = value
	}
	values["env.PER_SHARD"] = perShard
	plan := g.newJob(values)
	plan.do(w.Jobs["plan"].Steps, "")
	if plan.failed {
		g.t.Fatalf("the plan failed:\n%s", plan.log.String())
	}
	for name, value := range w.Jobs["plan"].Outputs {
		values["needs.plan.outputs."+name] = plan.expand(value)
	}
	var numbers []int
	if err := json.Unmarshal([]byte(values["needs.plan.outputs.shards"]), &numbers); err != nil {
		g.t.Fatal(err)
	}
	for _, number := range numbers {
		values["matrix.shard"] = fmt.Sprint(number)
		shard := g.newJob(values)
		shard.do(w.Jobs["shard"].Steps, "")
		shards = append(shards, shard)
	}
	merge = g.newJob(values)
	merge.do(w.Jobs["merge"].Steps, "")
	return shards, merge
}

// night runs the workflow of the night.
func (g *github) night() *job {
	g.runs++
	var w workflow
	readYAML(g.t, "github/nightly.yml", &w)
	j := g.newJob(map[string]string{"env.PROJECT": w.Env["PROJECT"], "github.token": "token"})
	j.do(w.Jobs["nightly"].Steps, "")
	return j
}

// A night learns what is known; a pull request that changes nothing is green
// although a program fails; one that breaks a program is red, in shards that
// are green themselves, and names that program and no other.
func TestPipeline(t *testing.T) {
	t.Parallel()
	g := newGitHub(t)
	g.bin = t.TempDir()
	issues := filepath.Join(t.TempDir(), "issues")
	gh := "#!/bin/sh\nprintf '%s\\n' \"$@\" >>" + issues + "\nwhile [ $# -gt 1 ]; do [ \"$1\" != --body-file ] || cat \"$2\" >>" + issues + "; shift; done\n"
	if err := os.WriteFile(filepath.Join(g.bin, "gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}

	first := g.night()
	if !first.failed { // the known failure is new the first time
		t.Errorf("the first night is green:\n%s", first.log.String())
	}
	if told := contentOf(issues); !strings.Contains(told, "newly failing (1)") && !strings.Contains(told, "1 newly failing") || !strings.Contains(told, "known") {
		t.Errorf("the issue says\n%s", told)
	}
	if !strings.Contains(contentOf(issues), "https://github.example/team/desk/actions/runs/1") {
		t.Errorf("the issue does not say where the run is:\n%s", contentOf(issues))
	}
	_ = os.Remove(issues)
	if os.Getenv("OPENDESK_FULL") != "" { // each of them takes some seconds
		if second := g.night(); second.failed || contentOf(issues) != "" {
			t.Errorf("the second night has news:\n%s\n%s", second.log.String(), contentOf(issues))
		}
		if _, merge := g.pullRequest("2"); merge.failed {
			t.Errorf("a pull request that changes nothing is red:\n%s", merge.log.String())
		}
	}

	g.write(".opendesk/learned/notes.program.json", notes("Saved"))
	shards, merge := g.pullRequest("2")
	if len(shards) != 3 {
		t.Errorf("%d shards", len(shards))
	}
	for i, shard := range shards {
		if shard.failed {
			t.Errorf("shard %d is red by itself:\n%s", i+1, shard.log.String())
		}
	}
	log, summary := merge.log.String(), contentOf(merge.summary)
	if !merge.failed || !strings.Contains(log, "1 newly failing, 1 still failing (exit code 1)") {
		t.Errorf("the pull request is not red for one program (failed: %v):\n%s", merge.failed, log)
	}
	for _, want := range []string{"learned/notes", "newly failing (1)", "still failing (1)", "'Notes' → 'Saved'"} {
		if !strings.Contains(strings.ToLower(strings.ReplaceAll(summary, "**", "")), strings.ToLower(want)) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
	if !regexp.MustCompile(`(?m)^::error file=\.opendesk/learned/notes\.program\.json,line=1`).MatchString(log) {
		t.Errorf("no annotation at the program:\n%s", log)
	}
	if named := slices.Collect(maps.Keys(newlyFailing(t, merge))); !slices.Equal(named, []string{".opendesk/learned/notes.program.json"}) {
		t.Errorf("newly failing are %v", named)
	}

	// Every script of the action and of the workflows has run.
	var a action
	readYAML(t, "action.yml", &a)
	steps := a.Runs.Steps
	for _, path := range []string{"github/regression.yml", "github/nightly.yml"} {
		var w workflow
		readYAML(t, path, &w)
		for _, j := range w.Jobs {
			steps = append(steps, j.Steps...)
		}
	}
	for _, s := range steps {
		if s.Run != "" && !g.ran[s.Run] {
			t.Errorf("never run: %s", s.Run)
		}
	}
}

// newlyFailing are the programs of a merged run that the history does not know
// as failing, by what is in its artifact.
func newlyFailing(t *testing.T, j *job) map[string]bool {
	t.Helper()
	var run struct {
		Programs []struct {
			Path, Status string
			Warnings     []struct{ Kind string }
		}
	}
	text := contentOf(filepath.Join(j.artifact("opendesk-merged"), "results.json"))
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		t.Fatal(err)
	}
	failing := map[string]bool{}
	for _, p := range run.Programs {
		if p.Status == "failed" && !slices.ContainsFunc(p.Warnings, func(w struct{ Kind string }) bool { return w.Kind == "known" }) {
			failing[p.Path] = true
		}
	}
	return failing
}
