package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// runFolder writes the events of a run into the folder of a run of the
// project, as a run that was killed leaves them.
func runFolder(t *testing.T, project, id string, stream *resultstest.Stream) string {
	t.Helper()
	dir := filepath.Join(project, ".opendesk", "eval", "runs", id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := results.NewEventWriter(&buf)
	for _, ev := range stream.Events {
		if err := w.Write(&ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "events.ndjson"), buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// opendesk runs a command line in this process.
func opendesk(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	st := &State{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: time.Now}
	code = Run(context.Background(), st)
	return code, out.String(), errs.String()
}

func TestReportOfAKilledRun(t *testing.T) {
	project := t.TempDir()
	dir := runFolder(t, project, "2026-01-02T03-04-05Z-0001", resultstest.Cut())
	events := filepath.Join(dir, "events.ndjson")
	whole, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	for _, torn := range []string{"", `{"seq":13,"ti`} {
		if err := os.WriteFile(events, append(whole, torn...), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, errs := opendesk("eval", "report", "latest", "--project", project)
		if code != 0 || !strings.Contains(errs, "rebuilt from") {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		for _, want := range []string{"PASS    learned/export-report", "SKIP    learned/calc", "in step 2/3, s2", "exit code 130"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
		run, err := readResults(dir)
		if err != nil {
			t.Fatal(err)
		}
		if c := run.Counts; run.ExitCode != results.ExitInterrupted || !run.Interrupted || c.Passed != 1 || c.Skipped != 2 {
			t.Errorf("%+v, exit code %d", c, run.ExitCode)
		}
		if !exists(filepath.Join(dir, "junit.xml")) {
			t.Error("no junit.xml")
		}
		code, again, errs := opendesk("eval", "report", dir)
		if code != 0 || errs != "" || again != out {
			t.Errorf("the second time: exit code %d, %s\n%s", code, errs, again)
		}
		if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte("{"), 0o644); err != nil { // a full disk
			t.Fatal(err)
		}
	}
}

// A place that cannot be written to is no wrong usage; and results that are
// damaged are called so.
func TestReportThatCannotBeWritten(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "r", resultstest.Mixed())
	inTheWay := filepath.Join(dir, "events.ndjson", "junit.xml")
	code, _, errs := opendesk("eval", "report", dir, "--reporter", "junit:"+inTheWay)
	if code != exitInternal || !strings.Contains(errs, "junit") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if code, _, errs := opendesk("eval", "report", dir, "--reporter", "junits"); code != exitUsage {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(`{"schema_version": 1,`), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs = opendesk("eval", "report", dir)
	if code != 0 || !strings.Contains(errs, "the run's results cannot be read (") || !strings.Contains(errs, "rebuilt from") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestReaderGone(t *testing.T) {
	gone := &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.EPIPE}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{gone, true}, {fmt.Errorf("list: %w", gone), true}, {errors.Join(gone, errors.New("more")), false},
		{&fs.PathError{Op: "write", Path: "other", Err: syscall.EPIPE}, false}, {errors.New("x"), false},
	} {
		if got := readerGone(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
	}
}

func TestReportOfDamagedEvents(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "r", resultstest.Mixed())
	events := filepath.Join(dir, "events.ndjson")
	data, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if err := os.WriteFile(events, bytes.Join(append(lines[:20:20], lines[21:]...), nil), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := opendesk("eval", "report", dir)
	if code != exitInternal || !strings.Contains(errs, "events are missing or doubled") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if !strings.Contains(out, "what comes after that is not in the results") || !exists(filepath.Join(dir, "results.json")) {
		t.Errorf("what there is is not reported:\n%s", out)
	}
}

func TestReportOfARunUnderWay(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "r", resultstest.Cut())
	events, err := os.OpenFile(filepath.Join(dir, "events.ndjson"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	lockFile(events)
	code, _, errs := opendesk("eval", "report", dir)
	if code != exitUsage || !strings.Contains(errs, "still under way") || exists(filepath.Join(dir, "results.json")) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if err := events.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := opendesk("eval", "report", dir); code != 0 {
		t.Errorf("once it has gone: exit code %d: %s", code, errs)
	}
}

func TestLatestRun(t *testing.T) {
	project := t.TempDir()
	code, _, errs := opendesk("eval", "report", "latest", "--project", project)
	if code != exitUsage || !strings.Contains(errs, "there is no run in") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	runFolder(t, project, "2026-01-02T03-04-05Z-ffff", resultstest.Empty())
	later := resultstest.Passing()
	later.Events[0].Time = later.Events[0].Time.Add(time.Millisecond) // in the same second
	want := runFolder(t, project, "2026-01-02T03-04-05Z-0000", later)
	runFolder(t, project, "2026-01-02T03-04-04Z-eeee", resultstest.Empty())
	if err := os.MkdirAll(filepath.Join(project, ".opendesk", "eval", "runs", "zzz"), 0o755); err != nil {
		t.Fatal(err)
	}
	place, err := findRun("latest", project)
	if err != nil || place.dir != want {
		t.Errorf("%q %v, want %q", place.dir, err, want)
	}
	if place, err := findRun("2026-01-02T03-04-04Z-eeee", project); err != nil || filepath.Base(place.dir) != "2026-01-02T03-04-04Z-eeee" {
		t.Errorf("%+v %v", place, err)
	}
}

// Annotations name files from where the reader wants them; the verdict of the
// run is not that of the command.
func TestPathsFrom(t *testing.T) {
	root := t.TempDir()
	project := filepath.Join(root, "desk")
	dir := runFolder(t, project, "r", resultstest.Mixed())
	code, out, errs := opendesk("eval", "report", dir, "--project", project, "--paths-from", root, "--reporter", "github")
	if code != 0 || !strings.Contains(out, "::error file=desk/.opendesk/learned/calc.program.json,line=21,") {
		t.Errorf("exit code %d: %s\n%s", code, errs, out)
	}
	if _, out, _ := opendesk("eval", "report", dir, "--paths-from", t.TempDir(), "--reporter", "github"); !strings.Contains(out, "file=office/.opendesk/learned/calc") {
		t.Errorf("what is not below the folder keeps its name:\n%s", out)
	}
}

func TestReportOfWhatIsNoRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"other.json": `{"schema_version":99}`, "no.json": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, arg := range []string{"nope", dir, filepath.Join(dir, "other.json"), filepath.Join(dir, "no.json"), ""} {
		if code, out, errs := opendesk("eval", "report", arg, "--project", dir); code != exitUsage || out != "" || errs == "" {
			t.Errorf("%q: exit code %d: %s%s", arg, code, out, errs)
		}
	}
}

func TestReportNamesTheFolderWithoutARun(t *testing.T) {
	dir := t.TempDir()
	code, _, errs := opendesk("eval", "report", dir)
	if want := dir + " holds no run: neither results.json nor events.ndjson is in it"; code != exitUsage || !strings.Contains(errs, want) {
		t.Errorf("without files: exit code %d: %s", code, errs)
	}
	if err := os.WriteFile(filepath.Join(dir, "events.ndjson"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := opendesk("eval", "report", dir); code != exitUsage || !strings.Contains(errs, dir+": events.ndjson holds no run") {
		t.Errorf("without events: exit code %d: %s", code, errs)
	}
}
