package html_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters/html"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// many is a run of n programs, with so many steps, of which the given number
// failed.
func many(n, failed, steps int) *results.Run {
	var plan []results.Program
	for i := range n {
		plan = append(plan, resultstest.Program(fmt.Sprintf("folder-%d/program-%05d", i%20, i)))
	}
	s := resultstest.NewStream(plan...)
	for i, p := range plan {
		var passed []results.Step
		for j := range steps {
			step := resultstest.ExportSteps()[j%3]
			step.ID, step.Index = fmt.Sprintf("s%d", j+1), j
			passed = append(passed, step)
		}
		if i%(n/max(failed, 1)) == 1 && i/(n/max(failed, 1)) < failed {
			steps := resultstest.NotFoundSteps(fmt.Sprintf("artifacts/%d/s3.png", i))
			s.Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Failed, resultstest.NotFoundReason, nil)
			s.End(results.Failed, resultstest.NotFoundReason)
			continue
		}
		s.Begin(p).Attempt(passed...).Steps(passed...).EndAttempt(results.Passed, "", nil).End(results.Passed, "")
	}
	return s.Finish(false).Run()
}

// call is how a data file hands over its content.
var call = regexp.MustCompile(`(?s)^opendeskReport\("([^"]*)", "(rows|bodies)", (\d+), (.*)\);\n$`)

// rendered is the page with its files.
func rendered(run *results.Run, opts html.Options) (page []byte, files []html.File, err error) {
	page, err = html.Render(run, opts, func(f html.File) error {
		files = append(files, f)
		return nil
	})
	return page, files, err
}

func TestALargeRunHasWhatPassedInDataFiles(t *testing.T) {
	run := many(html.MaxInline+1, 3, 1)
	run.Programs[0].Name = "</script><img src=x onerror=alert(1)>\u2028\u202e"
	page, files, err := rendered(run, html.Options{DataFolder: "report-data"})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), `<details class="program" id="p`); n != 3 {
		t.Errorf("%d programs stand in the page, want the 3 that failed", n)
	}
	if !strings.Contains(string(page), `data-folder="report-data/" data-run="20260102T030405Z-0001" data-rows="2"`) {
		t.Error("the page does not say what it loads")
	}
	rows, bodies := 0, 0
	for _, f := range files {
		m := call.FindStringSubmatch(string(f.Data))
		if m == nil {
			t.Fatalf("%s is no call: %.80s", f.Name, f.Data)
		}
		if strings.ContainsAny(m[4], "<>\u2028\u202e") {
			t.Errorf("%s has characters that could end a script, or hide", f.Name)
		}
		switch m[2] {
		case "rows":
			var content []any
			if err := json.Unmarshal([]byte(m[4]), &content); err != nil {
				t.Fatal(err)
			}
			rows += len(content)
		case "bodies":
			var content map[string]string
			if err := json.Unmarshal([]byte(m[4]), &content); err != nil {
				t.Fatal(err)
			}
			bodies += len(content)
		}
	}
	if want := html.MaxInline + 1 - 3; rows != want || bodies != want || len(files) != 2+40 {
		t.Errorf("%d lines and %d bodies in %d files, want %d", rows, bodies, len(files), want)
	}
}

func TestUpToThatManyProgramsAreOnePage(t *testing.T) {
	for _, tt := range []struct {
		n      int
		folder string
	}{{html.MaxInline, "report-data"}, {html.MaxInline + 1, ""}} {
		page, files, err := rendered(many(tt.n, 3, 1), html.Options{DataFolder: tt.folder})
		if err != nil || len(files) > 0 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		if n := strings.Count(string(page), `<details class="program"`); n != tt.n {
			t.Errorf("%d of %d programs", n, tt.n)
		}
		if strings.Contains(string(page), "&#39;self&#39; file:") {
			t.Error("the page may load scripts")
		}
	}
}

// Beyond very many programs, those that passed at once are lines only.
func TestAVeryLargeRunTellsLittleOfWhatPassed(t *testing.T) {
	run := many(2, 1, 1)
	failed, passed := run.Programs[1], run.Programs[0]
	run.Programs = []results.Program{failed}
	for range 6000 {
		run.Programs = append(run.Programs, passed)
	}
	run.Programs[17].Warnings = []results.Warning{{Kind: results.WarnWeak, Message: "by OCR"}}
	page, files, err := rendered(run, html.Options{DataFolder: "report-data"})
	if err != nil || len(page) > 200_000 || len(files) != 6+1 {
		t.Errorf("page of %d bytes, %d files, %v", len(page), len(files), err)
	}
}

func BenchmarkRender2000(b *testing.B) {
	run := many(2000, 100, 6)
	b.ReportAllocs()
	for b.Loop() {
		page, err := html.Render(run, html.Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(page)), "bytes/page")
	}
}
