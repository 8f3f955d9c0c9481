package comparison_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters/comparison"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/resultstest"
)

// compared is a canned comparison with something in several lists.
func compared() *compare.Comparison {
	good := compare.RunRef{ID: "2026-01-01T03-04-05Z-0001", StartedAt: resultstest.Start.AddDate(0, 0, -1), Commit: "aaaa"}
	failing := func(name string) compare.ProgramChange {
		return compare.ProgramChange{
			Path: ".opendesk/learned/" + name + ".program.json", Name: name, File: "office/" + name, Status: results.Failed,
			Reason: resultstest.NotFoundReason, Step: &compare.StepRef{ID: "s3", Index: 2, Line: 12, Summary: "click PDF"},
			Screenshot: "artifacts/" + name + "/attempt-1/s3.png", LastGood: &good, Before: results.Passed,
			Changed: &compare.Differences{
				Since: good, Packages: []compare.PackageChange{{Name: "libgtk-3-0", Before: "3.24.37", After: "3.24.38"}},
				Commits: &compare.CommitRange{From: "aaaa", To: "bbbb"},
			},
		}
	}
	run := resultstest.Mixed().Run()
	return &compare.Comparison{
		SchemaVersion: compare.SchemaVersion, Run: compare.InfoOf(run), With: compare.LastGood, Programs: 10,
		Earlier:      &compare.RunInfo{ID: good.ID, StartedAt: good.StartedAt},
		NewlyFailing: []compare.ProgramChange{failing("export-report"), failing("calc")},
		Fixed:        []compare.ProgramChange{{Path: ".opendesk/learned/x.program.json", Name: "x", Status: results.Passed, LastGood: &good}},
		Notes:        []string{"a note"},
	}
}

func page(t *testing.T, c *compare.Comparison, inRun bool) string {
	t.Helper()
	var buf bytes.Buffer
	write := comparison.HTML
	if inRun {
		write = comparison.HTMLInRun
	}
	if err := write(&buf, c); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestHTML(t *testing.T) {
	text := page(t, compared(), true)
	for _, want := range []string{
		"<h1 class=\"failed\">2 newly failing, 1 fixed</h1>", "export-report", "target not found after 5000 ms",
		"libgtk-3-0 3.24.37 → 3.24.38", `<a href="./artifacts/calc/attempt-1/s3.png">screenshot</a>`, `<a href="report.html">`,
		`<section id="newly_failing" class="failed">`, `<section id="fixed" class="passed">`, "a note", "(office/calc:12)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if alone := page(t, compared(), false); strings.Contains(alone, "screenshot</a>") || strings.Contains(alone, "report.html") {
		t.Error("a page that stands anywhere has links into the run's folder")
	}
	if empty := page(t, &compare.Comparison{}, true); !strings.Contains(empty, "Nothing is new") || !strings.Contains(empty, `<h1 class="passed">nothing new</h1>`) {
		t.Errorf("nothing new:\n%s", empty)
	}
}

// Nothing of a run's texts is markup, and the page asks for nothing.
func TestHTMLIsSafe(t *testing.T) {
	const evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202egnp\x1b[2J\x00"
	c := compared()
	c.With, c.Run.ID, c.Run.Suite, c.Part, c.Notes = evil, evil, evil, evil, []string{evil}
	c.Run.Environment.Hostname, c.Run.Environment.Commit = evil, evil
	p := &c.NewlyFailing[0]
	p.Name, p.Path, p.File, p.Reason, p.Screenshot, p.Status = evil, evil, evil, evil, "javascript:alert(1)", evil
	p.Step.Summary, p.Changed.Packages[0].Name = evil, evil
	c.NewlyFailing[1].Screenshot = "../../outside.png"
	for _, inRun := range []bool{true, false} {
		text := page(t, c, inRun)
		for _, bad := range []string{"<script", "<img", "javascript:alert", "outside.png", "\u202e", "\x1b", "\x00", "http://", "https://", "src="} {
			body := strings.ReplaceAll(text, "src=x", "")
			if strings.Contains(body, bad) {
				t.Errorf("%q is in the page", bad)
			}
		}
		for _, tag := range regexp.MustCompile(`<[a-z0-9]+[^>]*>`).FindAllString(text, -1) {
			if strings.Contains(tag, "onerror") && !strings.Contains(tag, "&#") {
				t.Errorf("tag %s", tag)
			}
		}
	}
}

// A list that is very long is cut, and says so.
func TestHTMLBounds(t *testing.T) {
	c := compared()
	one := c.NewlyFailing[0]
	for i := range 2000 {
		one.Name = fmt.Sprintf("program-%d", i)
		c.NewlyFailing = append(c.NewlyFailing, one)
	}
	text := page(t, c, true)
	if n := strings.Count(text, "<article>"); n != 501 || !strings.Contains(text, "and 1502 more") || len(text) > 2<<20 {
		t.Errorf("%d programs in %d bytes", n, len(text))
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestHTMLWriteErrorsAreReturned(t *testing.T) {
	if err := comparison.HTML(fullDisk{}, compared()); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}
