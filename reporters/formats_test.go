package reporters_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/reporters/console"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// All formats at once: each in its place, and on standard output the console
// with the annotations.
func TestAllAtOnce(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary.md")
	env := reporters.Env{Stdout: &out, RunDir: filepath.Join(dir, "run"), WorkDir: dir, Summary: summary, Console: console.Options{Dots: true}}
	if err := run(t, env, "ctrf", "github", "console", "html", "json", "junit", "markdown", "ndjson:events.txt"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run/ctrf.json", "run/report.html", "run/results.json", "run/junit.xml", "run/report.md", "events.txt", "summary.md"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	text := out.String()
	if n := strings.Count(text, "::error file="); n != 6 || strings.Count(text, "\n::error file=") != n || !strings.Contains(text, "exit code 1") {
		t.Errorf("standard output:\n%s", out.String())
	}
	if strings.Contains(out.String(), "## ") {
		t.Error("the summary is on standard output")
	}
}

// The many pictures of a trace are in the page alone; a film is in every list of
// files.
func TestFilesOfAttempts(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	p := resultstest.Program("p")
	steps := resultstest.NotFoundSteps("x.png")
	s := resultstest.NewStream(p).Begin(p).Attempt(steps...).Steps(steps...)
	s.Artifact(results.KindTrace, "artifacts/p/s1~trace.jpg").Artifact(results.KindVideo, "artifacts/p/screen.mkv")
	s.EndAttempt(results.Failed, "no", nil).End(results.Failed, "no").Finish(false)
	env := reporters.Env{Stdout: &out, RunDir: dir, WorkDir: dir, Console: console.Options{ResultsDir: "r"}}
	m, err := reporters.NewManager([]string{"console", "junit", "ctrf"}, env)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Finish(s.Run()); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"console": out.String()}
	for _, name := range []string{"junit.xml", "ctrf.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(data)
	}
	for name, text := range texts {
		if strings.Contains(text, "~trace.jpg") || !strings.Contains(text, "artifacts/p/screen.mkv") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// The events that are written are the events, in the run and after it.
func TestNDJSON(t *testing.T) {
	var live, after bytes.Buffer
	if err := run(t, reporters.Env{Stdout: &live, RunDir: t.TempDir()}, "ndjson:-"); err != nil {
		t.Fatal(err)
	}
	rebuilt, err := results.Rebuild(bytes.NewReader(live.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(rebuilt.Programs) != 10 || rebuilt.ExitCode != resultstest.Mixed().Run().ExitCode {
		t.Errorf("rebuilt: %+v", rebuilt.Counts)
	}
	events := filepath.Join(t.TempDir(), "events.ndjson")
	if err := os.WriteFile(events, append(live.Bytes(), `{"seq":99`...), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := reporters.NewManager([]string{"ndjson:-"}, reporters.Env{Stdout: &after, RunDir: t.TempDir(), Events: events})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Finish(rebuilt); err != nil || !bytes.Equal(after.Bytes(), live.Bytes()) {
		t.Errorf("%v: %d bytes, not %d", err, after.Len(), live.Len())
	}
	if _, err := reporters.New("ndjson", reporters.Env{RunDir: "x"}); err == nil || !strings.Contains(err.Error(), "needs a path") {
		t.Errorf("error %v", err)
	}
}

// A report that cannot be written keeps no other from being written.
func TestAFullDiskForOne(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	var out bytes.Buffer
	dir := t.TempDir()
	env := reporters.Env{Stdout: &out, RunDir: dir, WorkDir: dir, Summary: "/dev/full"}
	err := run(t, env, "ctrf:/dev/full", "github", "junit", "console")
	if err == nil || !strings.Contains(err.Error(), "reporter ctrf:/dev/full: ") || !strings.Contains(err.Error(), "reporter github: ") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "junit.xml")); err != nil || !strings.Contains(out.String(), "exit code 1") {
		t.Errorf("the others: %v\n%s", err, out.String())
	}
}
