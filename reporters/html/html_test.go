package html_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters/html"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

var update = flag.Bool("update", false, "write golden files anew")

// render is the run as one page.
func render(t testing.TB, run *results.Run, opts html.Options) string {
	t.Helper()
	var buf bytes.Buffer
	if err := html.Write(&buf, run, opts); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// assets are the page's own style, script and policy, which goldens leave out.
var assets = regexp.MustCompile(`(?s)(<style>).*?(</style>)|(<script>).*?(</script>)|(Policy" content=").*?(")`)

func TestGolden(t *testing.T) {
	for name, run := range map[string]*results.Run{
		"empty": resultstest.Empty().Run(), "passing": resultstest.Passing().Run(), "mixed": resultstest.Mixed().Run(),
		"cut": resultstest.Cut().Run(), "hostile": resultstest.Hostile().Run(), "traced": traced().Run(),
		"scripts": resultstest.Scripts().Run(),
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, run)
			page := render(t, run, html.Options{RunDir: dir, ReportDir: dir})
			got := assets.ReplaceAllString(page, "$1$3$5…$2$4$6")
			golden := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the page is not that of %s (see the difference with -update)", golden)
			}
			if again := render(t, run, html.Options{RunDir: dir, ReportDir: dir}); again != page {
				t.Error("the same results gave other bytes")
			}
		})
	}
}

// traced is a failure of which everything is known, with a trace.
func traced() *resultstest.Stream {
	p := resultstest.Program("export-report")
	p.Description, p.Tags = "Export the weekly report", []string{"smoke", "numbers"}
	steps := resultstest.NotFoundSteps("artifacts/export-report/1/s3.png")
	f := steps[2].Failure
	f.Evidence = []string{"started numbers as process 36, which sleeps in poll"}
	f.Lookup = &results.Lookup{AppFound: true, Windows: []string{"Report"}}
	f.Candidates[0].Element.Bounds = &results.Box{X: 2, Y: 3, Width: 9, Height: 4}
	f.SelfHeal.Patch = "opendesk learn patch export-report --step s3 --set 'target.title=Save as PDF…'"
	f.SelfHeal.Procedure = json.RawMessage(`{"description":"Export it","steps":["Open Numbers","Press PDF"]}`)
	f.SelfHeal.RemainingSteps = []json.RawMessage{json.RawMessage(`{"id":"s4","tool":"wait"}`)}
	steps[1].Resolution = resultstest.ExportSteps()[2].Resolution
	steps[0].Value, steps[0].Note, steps[0].Notes = "42", "what it is for", []string{"not running, was opened"}
	s := resultstest.NewStream(p).Begin(p).Attempt(steps...).Steps(steps...)
	for _, id := range []string{"s1", "s2", "s3"} {
		s.Artifact(results.KindTrace, "artifacts/export-report/1/"+id+"~trace.jpg")
		a := s.Events[len(s.Events)-1].Artifact
		a.Step, a.MediaType = id, "image/jpeg"
	}
	s.Artifact("app-log", "artifacts/export-report/1/Numbers #1.log").Warn(results.WarnBrittle, "s2", "acts at coordinates")
	return s.EndAttempt(results.Failed, resultstest.NotFoundReason, nil).End(results.Failed, resultstest.NotFoundReason).Finish(false)
}

// folder is a run's folder with the pictures that the run tells of.
func folder(t testing.TB, run *results.Run) string {
	t.Helper()
	dir := t.TempDir()
	img := image.NewRGBA(image.Rect(0, 0, 16, 10))
	var pngs, jpegs bytes.Buffer
	if err := png.Encode(&pngs, img); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&jpegs, img, nil); err != nil {
		t.Fatal(err)
	}
	keep := func(list []results.Artifact) {
		for _, a := range list {
			data := pngs.Bytes()
			switch {
			case a.MediaType == "image/jpeg":
				data = jpegs.Bytes()
			case a.MediaType != "image/png" || strings.ContainsRune(a.Name, 0):
				continue
			}
			path := filepath.Join(dir, filepath.FromSlash(a.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, p := range run.Programs {
		for _, a := range p.Attempts {
			keep(a.Artifacts)
			for _, s := range a.Steps {
				keep(s.Artifacts)
			}
		}
	}
	return dir
}

func TestWhatFailedComesFirstAndUnfolded(t *testing.T) {
	page := render(t, resultstest.Mixed().Run(), html.Options{})
	var got []string
	for _, m := range regexp.MustCompile(`data-status="(\w+)"( open)?`).FindAllStringSubmatch(page, -1) {
		got = append(got, m[1]+m[2])
	}
	const want = "failed open,failed,failed,broken,broken,invalid,flaky,passed,passed,skipped"
	if s := strings.Join(got, ","); s != want {
		t.Errorf("programs are\n%s, want\n%s", s, want)
	}
}

func TestBoxesAreDrawnOnTheFailuresPicture(t *testing.T) {
	run := traced().Run()
	dir := folder(t, run)
	page := render(t, run, html.Options{RunDir: dir, ReportDir: dir})
	for _, want := range []string{
		`<svg viewBox="0 0 16 10" width="16" height="10" aria-hidden="true"><image href="data:image/png;base64,`,
		`<g class="candidate"><rect class="under" x="-2" y="-1" width="17" height="12"/>`,
		`href="artifacts/export-report/1/Numbers%20%231.log"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	// A box outside of the picture is not drawn.
	run.Programs[0].Attempts[0].Steps[2].Failure.Candidates[0].Element.Bounds.X = 16
	if page := render(t, run, html.Options{RunDir: dir, ReportDir: dir}); strings.Contains(page, `<g class="candidate">`) {
		t.Error("a box is drawn outside of the picture")
	}
}

func TestLinksStartFromTheReportsFolder(t *testing.T) {
	run := traced().Run()
	dir := folder(t, run)
	page := render(t, run, html.Options{RunDir: dir, ReportDir: filepath.Join(filepath.Dir(dir), "build")})
	if want := fmt.Sprintf(`href="../%s/artifacts/export-report/1/s3.png"`, filepath.Base(dir)); !strings.Contains(page, want) {
		t.Errorf("the page has no %s", want)
	}
}

// Pictures come from the run's folder, whatever the results say.
func TestPicturesComeFromTheRunsFolder(t *testing.T) {
	run := traced().Run()
	dir := folder(t, run)
	inside := filepath.Join(dir, "artifacts", "export-report", "1", "s3.png")
	outside := filepath.Join(filepath.Dir(dir), filepath.Base(dir)+"-outside.png")
	if err := os.Rename(inside, outside); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(outside) })
	artifact := &run.Programs[0].Attempts[0].Steps[2].Artifacts[0]
	name := artifact.Name
	for what, set := range map[string]func(){
		"missing": func() {},
		"above":   func() { artifact.Name = "../" + filepath.Base(outside) },
		"rooted":  func() { artifact.Name = outside },
		"a link": func() {
			if err := os.Symlink(outside, inside); err != nil {
				t.Skip(err)
			}
		},
	} {
		artifact.Name = name
		_ = os.Remove(inside)
		set()
		page := render(t, run, html.Options{RunDir: dir, ReportDir: dir})
		if strings.Contains(page, "data:image/png") || !strings.Contains(page, "The picture is not in the run") {
			t.Errorf("%s: a picture is shown", what)
		}
	}
}

func TestAPageHoldsABoundedAmountOfPictures(t *testing.T) {
	run := traced().Run()
	dir := folder(t, run)
	first := run.Programs[0].Attempts[0].Artifacts[0]
	data, err := os.ReadFile(filepath.Join(dir, first.Name))
	if err != nil {
		t.Fatal(err)
	}
	large := append(data, make([]byte, 3<<20)...)
	for i := range 12 {
		a := first
		a.Name = fmt.Sprintf("artifacts/large-%d.jpg", i)
		if err := os.WriteFile(filepath.Join(dir, a.Name), large, 0o644); err != nil {
			t.Fatal(err)
		}
		run.Programs[0].Attempts[0].Artifacts = append(run.Programs[0].Attempts[0].Artifacts, a)
	}
	page := render(t, run, html.Options{RunDir: dir, ReportDir: dir})
	if n := len(page) >> 20; n > 34 {
		t.Errorf("the page has %d MiB", n)
	}
	if n := strings.Count(page, "data:image/jpeg"); n != 3+7 {
		t.Errorf("%d pictures in the page", n)
	}
}
