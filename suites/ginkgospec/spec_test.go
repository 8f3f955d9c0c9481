//go:build linux

package ginkgospec

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/opendesk/opendesk/results/resultstest"
)

// TestVerdicts: whatever opendesk comes to, the spec says it.
func TestVerdicts(t *testing.T) {
	project := makeProject(t, "passes", "passes with code 3", "fails", "flaky", "breaks", "quarantined", "hostile",
		"crashes", "crashes when failed", "torn", "refuses")
	output := t.TempDir()
	run := runInner(t, inner{Project: project, Output: output})
	const file = "{file}"
	for name, want := range map[string]struct {
		state types.SpecState
		first string   // the message's first line
		rest  []string // further parts of it
		kept  bool     // the run's folder
	}{
		"passes":             {types.SpecStatePassed, "", nil, false},
		"passes with code 3": {types.SpecStateFailed, "broken: opendesk ended with exit code 3, but its events say 0", nil, true},
		"fails": {types.SpecStateFailed, resultstest.NotFoundReason, []string{
			"at: " + file + ":12:5, step s3: click [AXButton] 'PDF' in Numbers",
			"detail: the app has 1 window: 'Report'", "closest: [push button] 'Save as PDF…'",
			"artifacts/fails/attempt-1/s3.png",
		}, true},
		"flaky": {types.SpecStatePassed, "", nil, true},
		"breaks": {types.SpecStateFailed, "broken: the session did not start: Xvfb gave no display within 10000 ms", []string{
			"at: " + file, "probe: X server: FAILED, no answer within 2000 ms", "says nothing about the program",
		}, true},
		"quarantined": {types.SpecStateSkipped, "quarantined: https://example.org/issues/7", nil, false},
		"hostile":     {types.SpecStateFailed, `\x1b[2J { {red}}gone{ {/}}\nnext`, nil, true},
		"crashes": {types.SpecStateFailed, "broken: opendesk ended without a verdict: signal: killed", []string{
			"  fatal error: out of luck",
		}, true},
		"crashes when failed": {types.SpecStateFailed, resultstest.NotFoundReason, []string{
			"also: opendesk ended without a verdict: signal: killed",
		}, true},
		"torn":    {types.SpecStateFailed, "broken: opendesk ended without a verdict: events.ndjson:13: the last line is torn", nil, true},
		"refuses": {types.SpecStateFailed, "broken: opendesk ended without a verdict, with exit code 2 (", []string{"  opendesk: unknown flag: --color"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			spec := run.spec(t, name)
			if spec.State != want.state {
				t.Errorf("is %s, not %s", spec.State, want.state)
			}
			if location := spec.LeafNodeLocation.FileName; location != programFile(project, name) {
				t.Errorf("its location is %s", location)
			}
			message := spec.Failure.Message
			if first, _, _ := strings.Cut(message, "\n"); !strings.HasPrefix(first, want.first) || (first == "") != (want.first == "") {
				t.Errorf("the message begins with %q, not with %q", first, want.first)
			}
			for _, part := range want.rest {
				if part = strings.ReplaceAll(part, file, programFile(project, name)); !strings.Contains(message, part) {
					t.Errorf("the message lacks %q:\n%s", part, message)
				}
			}
			kept, err := filepath.Glob(filepath.Join(output, "opendesk-"+fileName(name)+"-[0-9]*"))
			if err != nil || (len(kept) == 1) != want.kept || len(kept) > 1 {
				t.Errorf("kept %q, %v", kept, err)
			}
			if want.kept && entry(spec, "run") != kept[0] {
				t.Errorf("the report says that the run is in %q, not in %s", entry(spec, "run"), kept)
			}
			if shot := entry(spec, "screenshot"); name == "fails" || name == "flaky" {
				if _, err := os.Stat(shot); err != nil {
					t.Errorf("the screenshot of the report: %v", err)
				}
			}
		})
	}
	if text := entry(run.spec(t, "flaky"), "flaky"); text != "passed on a retry: s3 was late" {
		t.Errorf("the report says on the flaky program: %q", text)
	}
	if text := entry(run.spec(t, "passes"), "warning"); text != "s1 vacuous: held before the action" {
		t.Errorf("the report has the warning %q", text)
	}
	for _, bad := range []string{"\x1b[2J", "{{red}}"} {
		if strings.Contains(run.console, bad) {
			t.Errorf("the console holds %q", bad)
		}
	}
}

func programFile(project, name string) string {
	return filepath.Join(project, ".opendesk", "learned", filepath.FromSlash(name)+".program.json")
}

// entry gives the value of a spec's report entry, "" where there is none.
func entry(spec types.SpecReport, name string) string {
	for _, e := range spec.ReportEntries {
		if e.Name == name {
			return e.StringRepresentation()
		}
	}
	return ""
}

// steps are the texts of the spec's By, in order.
func steps(spec types.SpecReport) (texts []string) {
	for _, e := range spec.SpecEvents {
		if e.SpecEventType == types.SpecEventByStart {
			texts = append(texts, e.Message)
		}
	}
	return texts
}

// TestRegistration: names, labels, decorators and what opendesk is told.
func TestRegistration(t *testing.T) {
	project := makeProject(t, "glob[*]{a,b}?", "glob*ab1", "folder/deep/passes", "fails")
	run := runInner(t, inner{
		Project: project, Isolation: "none", TimeoutScale: 2.5, Labels: []string{"desktop"},
		Programs: []string{"glob[[]*", "folder/**"},
	})
	if len(run.specs) != 2 {
		t.Fatalf("%d specs", len(run.specs))
	}
	if spec := run.spec(t, "glob[*]{a,b}?"); spec.State != types.SpecStatePassed {
		t.Errorf("a name with the characters of globs: %s", spec.Failure.Message)
	}
	spec := run.spec(t, "folder/deep/passes")
	if spec.FullText() != "sample folder/deep/passes" || !slices.Equal(spec.Labels(), []string{"folder", "deep", "desktop", "Serial"}) || !spec.IsSerial {
		t.Errorf("%q has the labels %q and is serial: %t", spec.FullText(), spec.Labels(), spec.IsSerial)
	}
	if want := []string{"s1: open Numbers", "s2: choose menu File > Export To in Numbers", "s3: click [AXButton] 'PDF' in Numbers"}; !slices.Equal(steps(spec), want) {
		t.Errorf("its steps are %q", steps(spec))
	}
	b, err := os.ReadFile(filepath.Join(run.log, "folder-deep-passes.args"))
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	if err := json.Unmarshal(b, &args); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(args, " "); !strings.HasSuffix(text, " --isolation none --timeout-scale 2.5") || !strings.Contains(text, " --project "+project+" ") {
		t.Errorf("opendesk was told %q", text)
	}
}

// TestUnrunnable: what cannot be run is a spec that fails and says all of it.
func TestUnrunnable(t *testing.T) {
	invalid := makeProject(t, "passes")
	addProgram(t, invalid, "typo", `{"version": 1, "steps": [
  {"id": "s1", "tool": "uii"},
  {"tool": "wait", "params": {"seconds": -1}}]}`)
	if err := os.Symlink("nowhere", filepath.Join(invalid, ".opendesk", "learned", "gone")); err != nil {
		t.Fatal(err)
	}
	badConfig := makeProject(t, "passes")
	if err := os.WriteFile(filepath.Join(badConfig, ".opendesk", "eval.yaml"), []byte("retrys: 1\nlocal: C\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	if err := os.MkdirAll(filepath.Join(empty, ".opendesk"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		in    inner
		spec  string
		parts []string
	}{
		"invalid file": {inner{Project: invalid}, "typo", []string{
			"invalid: the file has ", programFile(invalid, "typo") + ":2:24: ", `"uii"`, programFile(invalid, "typo") + ":3:3: ",
		}},
		"dangling link":  {inner{Project: invalid}, "gone", []string{"invalid: the file has an error", "nowhere"}},
		"no project":     {inner{Project: filepath.Join(empty, "missing")}, "can be run", []string{"does not exist"}},
		"no programs":    {inner{Project: empty}, "can be run", []string{"no programs in "}},
		"nothing chosen": {inner{Project: invalid, Programs: []string{"other"}}, "can be run", []string{"matches other"}},
		"bad glob":       {inner{Project: invalid, Programs: []string{"["}}, "can be run", []string{"not a valid glob"}},
		"bad eval.yaml":  {inner{Project: badConfig}, "can be run", []string{"eval.yaml:1:1", "eval.yaml:2:1"}},
		"no binary":      {inner{Project: invalid, Binary: "./missing"}, "passes", []string{"broken: the option Binary names no command"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := runInner(t, test.in)
			spec := run.spec(t, test.spec)
			if spec.State != types.SpecStateFailed {
				t.Errorf("is %s", spec.State)
			}
			for _, part := range test.parts {
				if !strings.Contains(spec.Failure.Message, part) {
					t.Errorf("the message lacks %q:\n%s", part, spec.Failure.Message)
				}
			}
		})
	}
}

// TestTimeout: a spec whose time is up interrupts opendesk, then kills it; its
// steps were told while it ran.
func TestTimeout(t *testing.T) {
	project := makeProject(t, "hangs", "stubborn")
	run := runInner(t, inner{Project: project, SpecTimeout: 1500, Grace: 500})
	for _, name := range []string{"hangs", "stubborn"} {
		spec := run.spec(t, name)
		if further := spec.Failure.AdditionalFailure; spec.State != types.SpecStateTimedout || further == nil ||
			!strings.Contains(further.Failure.Message, "\ninterrupted: spec timeout occurred\n") {
			t.Errorf("%s is %s, with %+v", name, spec.State, further)
		}
		if spec.RunTime > 20*time.Second {
			t.Errorf("%s took %s", name, spec.RunTime)
		}
		var last types.SpecEvent
		for _, e := range spec.SpecEvents {
			if e.SpecEventType == types.SpecEventByStart {
				last = e
			}
		}
		if !strings.HasPrefix(last.Message, "s2: ") || !last.TimelineLocation.Time.Before(spec.Failure.TimelineLocation.Time) {
			t.Errorf("%s: step %q was told at %s, time was up at %s", name, last.Message,
				last.TimelineLocation.Time, spec.Failure.TimelineLocation.Time)
		}
	}
	if _, err := os.Stat(filepath.Join(run.log, "hangs.interrupted")); err != nil {
		t.Errorf("opendesk was not interrupted: %v", err)
	}
}

// TestKilledSuite: opendesk does not outlive a test process that is killed.
func TestKilledSuite(t *testing.T) {
	cmd, log, _ := innerCommand(t, inner{Project: makeProject(t, "hangs")})
	console, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := false
	for lines := bufio.NewScanner(console); !begun && lines.Scan(); {
		begun = strings.Contains(lines.Text(), "s2: ")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !begun {
		t.Fatalf("the suite ended with %v, its second step began: %t", err, begun)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(log, "hangs.interrupted")); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("opendesk was not interrupted")
		}
	}
}

// TestCommandHasNoGinkgo: ginkgo would add its flags to the command's.
func TestCommandHasNoGinkgo(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../cmd/opendesk").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/opendesk/opendesk/suites") {
		t.Fatalf("%d dependencies without the suites", len(deps))
	}
	for _, dep := range deps {
		if strings.Contains(dep, "ginkgo") {
			t.Errorf("the command contains %s", dep)
		}
	}
}
