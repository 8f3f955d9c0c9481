package html_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/opendesk/opendesk/ci/consumers/npmtest"
	"github.com/opendesk/opendesk/reporters/html"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// job is what browser/check.mjs is asked to do.
type job struct {
	Modules string            `json:"modules"`
	Browser string            `json:"browser"`
	Profile string            `json:"profile"`
	Pages   map[string]string `json:"pages"`
	Large   int               `json:"large"`
	Timed   bool              `json:"timed"`
}

// write writes the run's page, and what it loads, into a folder of its own.
func (j *job) write(t testing.TB, name string, run *results.Run, opts html.Options) {
	t.Helper()
	dir := t.TempDir()
	page, files, err := rendered(run, opts)
	if err != nil {
		t.Fatal(err)
	}
	j.Pages[name] = filepath.Join(dir, "report.html")
	if err := os.WriteFile(j.Pages[name], page, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(dir, opts.DataFolder, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func newJob(t testing.TB) *job {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not installed: ci/install-deps.sh test")
	}
	return &job{Modules: npmtest.Dir(t), Browser: browser, Profile: t.TempDir(), Pages: map[string]string{}}
}

// run has the browser do the job.
func (j *job) run(t testing.TB) string {
	t.Helper()
	data, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "job.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", filepath.Join("browser", "check.mjs"), file)
	node.Cancel = func() error { return node.Process.Signal(os.Interrupt) } // it ends its browser
	node.WaitDelay = 10 * time.Second
	out, err := node.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// What people do with a page, in a real browser.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	j := newJob(t)
	j.Large = html.MaxInline + 1
	j.write(t, "mixed", resultstest.Mixed().Run(), html.Options{})
	run := traced().Run()
	dir := folder(t, run)
	j.write(t, "traced", run, html.Options{RunDir: dir, ReportDir: dir})
	j.write(t, "hostile", resultstest.Hostile().Run(), html.Options{})
	j.write(t, "scripted", everything(`"'></script></style></template><script>window.owned=1</script><img src=x onerror="window.owned=1">`), html.Options{})
	large := many(j.Large, 3, 1)
	j.write(t, "large", large, html.Options{DataFolder: "report-data"})
	j.write(t, "alone", large, html.Options{DataFolder: "report-data"})
	if err := os.RemoveAll(filepath.Join(filepath.Dir(j.Pages["alone"]), "report-data")); err != nil {
		t.Fatal(err)
	}
	j.run(t)
}

var timed = regexp.MustCompile(`(?m)^time (\S+) (\d+)$`)

// BenchmarkOpenAndSearch measures in a browser what 2,000 programs of six steps
// take, as one page and as one that loads files.
func BenchmarkOpenAndSearch(b *testing.B) {
	j := newJob(b)
	j.Timed = true
	j.write(b, "full", many(html.MaxInline, 100, 6), html.Options{})
	j.write(b, "large", many(html.MaxInline+1, 100, 6), html.Options{DataFolder: "report-data"})
	for b.Loop() {
		out := j.run(b)
		b.Log(out)
		for _, m := range timed.FindAllStringSubmatch(out, -1) {
			ms, _ := strconv.ParseFloat(m[2], 64)
			b.ReportMetric(ms, m[1]+"-ms")
		}
	}
}
