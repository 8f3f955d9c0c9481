package reporters_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// run feeds the mixed run to the reporters of these specs.
func run(t *testing.T, env reporters.Env, specs ...string) error {
	t.Helper()
	m, err := reporters.NewManager(specs, env)
	if err != nil {
		t.Fatal(err)
	}
	stream := resultstest.Mixed()
	for _, ev := range stream.Events {
		m.Event(ev)
	}
	return m.Finish(stream.Run())
}

func TestDefaultPlaces(t *testing.T) {
	var out bytes.Buffer
	dir := filepath.Join(t.TempDir(), "runs", "1")
	if err := run(t, reporters.Env{Stdout: &out, RunDir: dir}, "console", "json", "junit"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "exit code 1: at least one program failed") {
		t.Errorf("console wrote\n%s", out.String())
	}
	var back results.Run
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &back); err != nil || len(back.Programs) != 10 {
		t.Errorf("results.json has %d programs, %v", len(back.Programs), err)
	}
	data, err = os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(data, new(struct{})); err != nil {
		t.Errorf("junit.xml: %v", err)
	}
	// Nothing else is left, no half-written file either.
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

func TestGivenPlaces(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	env := reporters.Env{Stdout: &out, RunDir: filepath.Join(dir, "runs", "1"), WorkDir: dir}
	abs := filepath.Join(dir, "abs", "r.json")
	if err := run(t, env, "junit:deep/er/report.xml", "json:"+abs, "json:-", "console:log.txt"); err != nil {
		t.Fatal(err)
	}
	xmlData, err := os.ReadFile(filepath.Join(dir, "deep", "er", "report.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(xmlData, []byte("[[ATTACHMENT|../../runs/1/artifacts/calc/1/total.png]]")) {
		t.Error("attachments are not relative to the report")
	}
	jsonData, err := os.ReadFile(abs)
	if err != nil || !bytes.Equal(jsonData, out.Bytes()) {
		t.Errorf("the file and standard output differ (%v)", err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log.txt"))
	if err != nil || !bytes.Contains(log, []byte("FAILED")) || bytes.ContainsRune(log, 0x1b) {
		t.Errorf("log is %q, %v", log, err)
	}
	if _, err := os.Stat(env.RunDir); err == nil {
		t.Error("the run's folder was made for nothing")
	}
}

func TestFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t, reporters.Env{RunDir: dir}, "json"); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); !bytes.HasPrefix(data, []byte("{\n")) {
		t.Errorf("file is %q", data)
	}
}

func TestDevicesAreNotReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no device files")
	}
	if err := run(t, reporters.Env{}, "json:"+os.DevNull); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(os.DevNull)
	if err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
}

func TestWrongSpecs(t *testing.T) {
	env := reporters.Env{RunDir: t.TempDir()}
	for spec, want := range map[string]string{
		"jnuit":    `reporter "jnuit" is unknown (did you mean "junit"?); there are console, ctrf, github, html, json, junit, markdown, ndjson`,
		"JSON":     `reporter "JSON" is unknown (did you mean "json"?); there are console, ctrf, github, html, json, junit, markdown, ndjson`,
		"allure":   `reporter "allure" is unknown; there are console, ctrf, github, html, json, junit, markdown, ndjson`,
		"":         `reporter "" is unknown; there are console, ctrf, github, html, json, junit, markdown, ndjson`,
		"htm:x":    `reporter "htm" is unknown (did you mean "html"?); there are console, ctrf, github, html, json, junit, markdown, ndjson`,
		"json:":    `reporter "json:" has an empty path after the colon`,
		"console:": `reporter "console:" has an empty path after the colon`,
	} {
		if _, err := reporters.New(spec, env); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", spec, err, want)
		}
		if err := reporters.Check(spec); err == nil {
			t.Errorf("%q passes the check", spec)
		}
	}
	for _, spec := range []string{"console", "json", "junit:x/y.xml", "json:-"} {
		if err := reporters.Check(spec); err != nil {
			t.Errorf("%q: %v", spec, err)
		}
	}
	if _, err := reporters.New("json", reporters.Env{}); err == nil || !strings.Contains(err.Error(), "needs a path") {
		t.Errorf("error %v", err)
	}
}

func TestSamePlaceTwice(t *testing.T) {
	env := reporters.Env{RunDir: "/runs/1", WorkDir: "/runs"}
	for _, specs := range [][]string{{"json", "junit:1/results.json"}, {"console", "json:-"}, {"console", "console"}} {
		if _, err := reporters.NewManager(specs, env); err == nil || !strings.Contains(err.Error(), "same place") {
			t.Errorf("%v: error %v", specs, err)
		}
	}
	_, err := reporters.NewManager([]string{"nope", "never", "json"}, env)
	if err == nil || strings.Count(err.Error(), "is unknown") != 2 {
		t.Errorf("not all mistakes are told: %v", err)
	}
}

// bad fails in every way.
type bad struct{ panics bool }

var errBad = errors.New("bad reporter")

func (b bad) Event(results.Event) {
	if b.panics {
		panic("in Event")
	}
}

func (b bad) Finish(*results.Run) error {
	if b.panics {
		panic("in Finish")
	}
	return errBad
}

func TestOneThatFailsKeepsNoOtherFromItsWork(t *testing.T) {
	dir := t.TempDir()
	m, err := reporters.NewManager(nil, reporters.Env{})
	if err != nil {
		t.Fatal(err)
	}
	m.Add("panicking", bad{panics: true})
	m.Add("failing", bad{})
	blocked, err := reporters.New("json:"+filepath.Join(dir, "results.json"), reporters.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "results.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	m.Add("blocked", blocked)
	good, err := reporters.New("json:"+filepath.Join(dir, "good.json"), reporters.Env{})
	if err != nil {
		t.Fatal(err)
	}
	m.Add("good", good)

	stream := resultstest.Passing()
	for _, ev := range stream.Events {
		m.Event(ev)
	}
	err = m.Finish(stream.Run())
	for _, want := range []string{
		"reporter panicking: internal fault: in Event", "internal fault: in Finish",
		"reporter failing: bad reporter", "reporter blocked: ", "is a folder, not a file",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if !errors.Is(err, errBad) {
		t.Error("the error is not the reporter's")
	}
	if _, err := os.Stat(filepath.Join(dir, "good.json")); err != nil {
		t.Error(err)
	}
}

// Files that were finished before are not written once more by Finish, but by
// FinishFiles; the console comes last.
func TestFilesAreFinishedBeforeTheRest(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	m, err := reporters.NewManager([]string{"json", "console"}, reporters.Env{Stdout: &out, RunDir: dir, WorkDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "results.json")
	noted := func() bool {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(data), "known by now")
	}
	run := resultstest.Passing().Run()
	m.FinishFiles(run)
	if noted() || out.Len() > 0 {
		t.Errorf("printed %q", &out)
	}
	run.Notes = append(run.Notes, "known by now")
	m.FinishFiles(run)
	if !noted() || out.Len() > 0 {
		t.Errorf("printed %q", &out)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := m.Finish(run); err != nil || out.Len() == 0 {
		t.Errorf("%v, printed %q", err, &out)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file was written once more")
	}
	// What kept the last attempt at a file from being made is an error, what kept
	// an earlier one is not.
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	m.FinishFiles(run)
	if err := m.Finish(run); err == nil {
		t.Error("a file that could not be written is no error")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	m.FinishFiles(run)
	if err := m.Finish(run); err != nil {
		t.Error(err)
	}
}
