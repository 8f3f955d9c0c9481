package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters/junit"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

var update = flag.Bool("update", false, "write golden files anew")

// write is the run as XML, checked to be well-formed.
func write(t testing.TB, run *results.Run) []byte {
	t.Helper()
	var buf bytes.Buffer
	opts := junit.Options{RunDir: "/runs/1", ReportDir: "/runs/1"}
	if err := junit.Write(&buf, run, opts); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, buf.Bytes())
	return buf.Bytes()
}

// wellFormed decodes all of it; the decoder refuses illegal characters.
func wellFormed(t testing.TB, data []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := dec.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, data)
		}
	}
}

func TestGolden(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(),
		"cut": resultstest.Cut(), "hostile": resultstest.Hostile(), "scripts": resultstest.Scripts(),
	} {
		t.Run(name, func(t *testing.T) {
			got := write(t, stream.Run())
			golden := filepath.Join("testdata", name+".xml")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("differs from %s (go test -update writes it anew):\n%s", golden, got)
			}
		})
	}
}

// The report as a reader sees it.
type report struct {
	Counts
	Name   string `xml:"name,attr"`
	Suites []struct {
		Counts
		Name      string     `xml:"name,attr"`
		Timestamp string     `xml:"timestamp,attr"`
		Cases     []readCase `xml:"testcase"`
	} `xml:"testsuite"`
}

type Counts struct {
	Tests    string `xml:"tests,attr"`
	Failures string `xml:"failures,attr"`
	Errors   string `xml:"errors,attr"`
	Skipped  string `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type readCase struct {
	Name      string       `xml:"name,attr"`
	Classname string       `xml:"classname,attr"`
	File      string       `xml:"file,attr"`
	Line      string       `xml:"line,attr"`
	Time      string       `xml:"time,attr"`
	Failure   []readResult `xml:"failure"`
	Error     []readResult `xml:"error"`
	Skipped   []readResult `xml:"skipped"`
	Flaky     []readResult `xml:"flakyFailure"`
	Rerun     []readResult `xml:"rerunFailure"`
	Out       []string     `xml:"system-out"`
}

type readResult struct {
	Message    string `xml:"message,attr"`
	Type       string `xml:"type,attr"`
	Body       string `xml:",chardata"`
	StackTrace string `xml:"stackTrace"`
}

func read(t testing.TB, data []byte) report {
	t.Helper()
	var r report
	if err := xml.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

var plainDecimal = regexp.MustCompile(`^\d+\.\d+$`)

// checkDialect holds a report against what every reader needs.
func checkDialect(t testing.TB, r report) {
	t.Helper()
	seen := map[[3]string]bool{}
	total := map[string]int{}
	times := []string{r.Time}
	for _, s := range r.Suites {
		times = append(times, s.Time)
		if s.Name == "" || len(s.Cases) == 0 {
			t.Errorf("suite %q has %d testcases", s.Name, len(s.Cases))
		}
		if s.Timestamp != "" && !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`).MatchString(s.Timestamp) {
			t.Errorf("timestamp %q", s.Timestamp)
		}
		for _, c := range s.Cases {
			times = append(times, c.Time)
			total["tests"]++
			total["failures"] += len(c.Failure)
			total["errors"] += len(c.Error)
			total["skipped"] += len(c.Skipped)
			if len(c.Failure)+len(c.Error)+len(c.Skipped) > 1 || len(c.Out) > 1 {
				t.Errorf("%s has more than one result or system-out", c.Name)
			}
			if c.Name == "" || c.Name != strings.TrimSpace(c.Name) || c.Classname == "" || c.Line == "" {
				t.Errorf("testcase %+v lacks something", c)
			}
			if strings.Contains(c.Classname, ".") {
				t.Errorf("classname %q has a dot", c.Classname)
			}
			id := [3]string{c.Classname, c.Name, c.File}
			if seen[id] {
				t.Errorf("testcase %v is there twice", id)
			}
			seen[id] = true
			for _, res := range [][]readResult{c.Failure, c.Error, c.Skipped, c.Flaky, c.Rerun} {
				for _, one := range res {
					if one.Message == "" || one.Type == "" || one.Body+one.StackTrace == "" {
						t.Errorf("%s has a result without message, type or body: %+v", c.Name, one)
					}
				}
			}
			if len(c.Flaky) > 0 && len(c.Failure)+len(c.Error)+len(c.Skipped) > 0 || len(c.Rerun) > 0 && len(c.Failure)+len(c.Error) == 0 {
				t.Errorf("%s mixes reruns and results", c.Name)
			}
		}
	}
	for _, tm := range times {
		if !plainDecimal.MatchString(tm) {
			t.Errorf("time %q", tm)
		}
	}
	for name, got := range map[string]string{"tests": r.Tests, "failures": r.Failures, "errors": r.Errors, "skipped": r.Skipped} {
		if want := strconv.Itoa(total[name]); got != want {
			t.Errorf("%s=%q, counted %s", name, got, want)
		}
	}
}

func TestDialect(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(),
		"cut": resultstest.Cut(), "hostile": resultstest.Hostile(),
	} {
		t.Run(name, func(t *testing.T) { checkDialect(t, read(t, write(t, stream.Run()))) })
	}
}

// outcome is a testcase's result as one letter, in a string per program.
func outcomes(r report) map[string]string {
	out := map[string]string{}
	for _, s := range r.Suites {
		name := strings.TrimSuffix(strings.TrimPrefix(s.Name, ".opendesk/learned/"), ".program.json")
		for _, c := range s.Cases {
			letter := "."
			switch {
			case len(c.Failure) > 0:
				letter = "F"
			case len(c.Error) > 0:
				letter = "E"
			case len(c.Skipped) > 0:
				letter = "s"
			case len(c.Flaky) > 0:
				letter = "f"
			}
			if len(c.Rerun) > 0 {
				letter += "r"
			}
			out[name] += letter
		}
	}
	return out
}

// One testcase per step whatever happened, the blame where it belongs.
func TestOneTestcasePerStep(t *testing.T) {
	got := outcomes(read(t, write(t, resultstest.Mixed().Run())))
	for name, want := range map[string]string{
		"export-report":  "..Fr", // failed twice
		"calc":           ".F",
		"terminal/hello": "..",
		"flaky":          "..f",
		"env-retry":      "...", // broke once, which is no flake
		"no-session":     "Ess", // broke before any step
		"crash":          ".Es",
		"typo":           "E",
		"quarantined":    "s",
		"v1.2":           "..F", // failed, then broke: the failure shows
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
	cut := outcomes(read(t, write(t, resultstest.Cut().Run())))
	for name, want := range map[string]string{"export-report": "...", "calc": ".ss", "terminal/hello": "s"} {
		if cut[name] != want {
			t.Errorf("cut run: %s: %s, want %s", name, cut[name], want)
		}
	}
}

// A program that failed always shows in the report, also where every one of
// its steps passed or none is known.
func TestNoVerdictIsLost(t *testing.T) {
	p := resultstest.Program("p")
	steps := resultstest.ExportSteps()
	for _, status := range []results.Status{results.Failed, results.Broken} {
		for name, s := range map[string]*resultstest.Stream{
			"all steps passed": resultstest.NewStream(p).Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil),
			"no steps":         resultstest.NewStream(p).Begin(p).Attempt().EndAttempt(results.Broken, "gone", nil),
			"no attempt":       resultstest.NewStream(p).Begin(p),
		} {
			r := read(t, write(t, s.End(status, "the budget ran out").Finish(false).Run()))
			checkDialect(t, r)
			if r.Failures+r.Errors != map[results.Status]string{results.Failed: "10", results.Broken: "01"}[status] {
				t.Errorf("%s, %s: %s failures, %s errors", status, name, r.Failures, r.Errors)
			}
		}
	}
}

func TestAttachmentsAreRelativeToTheReport(t *testing.T) {
	var buf bytes.Buffer
	opts := junit.Options{RunDir: "/work/.opendesk/eval/runs/1", ReportDir: "/work/reports"}
	if err := junit.Write(&buf, resultstest.Mixed().Run(), opts); err != nil {
		t.Fatal(err)
	}
	const want = "[[ATTACHMENT|../.opendesk/eval/runs/1/artifacts/calc/1/total.png]]\n"
	if !strings.Contains(buf.String(), want) {
		t.Errorf("no %q", want)
	}
}

func TestClassnamesThatComeOutTheSame(t *testing.T) {
	a, b := resultstest.Program("a.b"), resultstest.Program("a_b")
	r := read(t, write(t, resultstest.NewStream(a, b).Finish(false).Run()))
	if one, two := r.Suites[0].Cases[0].Classname, r.Suites[1].Cases[0].Classname; one != "opendesk/learned/a_b" || two != "opendesk/learned/a_b~2" {
		t.Errorf("classnames %q and %q", one, two)
	}
}

// Repetitions share their classname and are told apart by name.
func TestRepetitions(t *testing.T) {
	a, b := resultstest.Program("a"), resultstest.Program("a")
	a.Repeat, b.Repeat = 1, 2
	steps := resultstest.ExportSteps()
	s := resultstest.NewStream(a, b)
	for _, p := range []results.Program{a, b} {
		s.Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Passed, "")
	}
	r := read(t, write(t, s.Finish(false).Run()))
	one, two := r.Suites[0].Cases[0], r.Suites[1].Cases[0]
	if one.Classname != two.Classname || one.Name != strings.TrimSuffix(two.Name, "(repeat 2)")+"(repeat 1)" {
		t.Errorf("%q %q and %q %q", one.Classname, one.Name, two.Classname, two.Name)
	}
}

// A failure in quarantine is there for who looks, and makes nobody's build red.
func TestAFailureInQuarantine(t *testing.T) {
	p := resultstest.Program("p")
	p.Quarantine = &results.Quarantine{Issue: "https://example.org/7", Until: "2027-01-31"}
	steps := resultstest.NotFoundSteps("x.png")
	xml := write(t, resultstest.NewStream(p).Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Failed, "no", nil).
		End(results.Skipped, "in quarantine, failed: no").Finish(false).Run())
	r := read(t, xml)
	for _, tc := range r.Suites[0].Cases {
		if tc.Failure != nil || tc.Error != nil {
			t.Errorf("%s is red", tc.Name)
		}
	}
	for _, want := range []string{`<skipped message="in quarantine, failed: no" type="quarantine">`, "target not found after", `name="quarantine" value="https://example.org/7 until 2027-01-31"`} {
		if !strings.Contains(string(xml), want) {
			t.Errorf("no %q in\n%s", want, xml)
		}
	}
}

// Many failures with long reasons make a report that GitLab still reads.
func TestBounds(t *testing.T) {
	for name, run := range map[string]*results.Run{
		"200 programs with reasons of 10 KB":  failures(200, 1, 10<<10),
		"500 of 60 KB":                        failures(500, 1, 60<<10),
		"one that failed 500 times with 1 MB": failures(1, 500, 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			data := write(t, run)
			if len(data) >= 30_000_000 {
				t.Errorf("%d bytes", len(data))
			}
			r := read(t, data)
			checkDialect(t, r)
			if want := strconv.Itoa(len(run.Programs)); r.Failures != want || r.Tests != strconv.Itoa(3*len(run.Programs)) {
				t.Errorf("%s of %s testcases failed", r.Failures, r.Tests)
			}
			message := r.Suites[0].Cases[2].Failure[0].Message
			if !strings.HasPrefix(message, "🙁 no such thing") || !strings.HasSuffix(message, "more in results.json)") || len(message) > 5000 {
				t.Errorf("message %.100q of %d bytes", message, len(message))
			}
		})
	}
}

// failures are programs that fail in each of their attempts, for a reason of
// so many bytes.
func failures(programs, attempts, bytes int) *results.Run {
	reason := strings.Repeat("🙁 no such thing ", bytes/20)
	run := &results.Run{Suite: "s"}
	for i := range programs {
		p := resultstest.Program("p" + strconv.Itoa(i))
		p.Status, p.Reason = results.Failed, reason
		for n := range attempts {
			steps := resultstest.NotFoundSteps("x.png")
			steps[2].Failure.Reason = reason
			steps[2].Notes = []string{reason}
			p.Attempts = append(p.Attempts, results.Attempt{Number: n + 1, Status: results.Failed, Reason: reason, Steps: steps})
		}
		run.Programs = append(run.Programs, p)
	}
	return run
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	if err := junit.Write(fullDisk{}, resultstest.Empty().Run(), junit.Options{}); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

// A report of so many programs that several goroutines make it has every suite
// once, in the order of the programs.
func TestManyPrograms(t *testing.T) {
	run := resultstest.Mixed().Run()
	one := run.Programs
	run.Programs = nil
	for i := range 300 {
		for _, p := range one {
			p.Path = fmt.Sprintf("%03d/%s", i, p.Path)
			run.Programs = append(run.Programs, p)
		}
	}
	r := read(t, write(t, run))
	checkDialect(t, r)
	if len(r.Suites) != len(run.Programs) {
		t.Fatalf("%d suites of %d programs", len(r.Suites), len(run.Programs))
	}
	for i, s := range r.Suites {
		if s.Name != run.Programs[i].Path {
			t.Fatalf("suite %d is %s, not %s", i, s.Name, run.Programs[i].Path)
		}
	}
}

// Whatever the texts, the report is well-formed and in the dialect.
func FuzzWrite(f *testing.F) {
	f.Add("s1", "click", "]]>", "\x1b[31m", "a/b.program.json", int64(5))
	f.Add("", "", "", "", "", int64(-1))
	f.Add("\xff", "\ufffe", "\x00", "<![CDATA[", "\u2028..", int64(1)<<62)
	f.Fuzz(func(t *testing.T, id, summary, reason, text, path string, ms int64) {
		step := results.Step{
			ID: id, Line: 1, Summary: summary, Status: results.StepFailed, Value: text, Notes: []string{text},
			Timing:        results.Timing{TotalMS: ms},
			Postcondition: &results.PostconditionResult{Kind: summary, Value: text, Checked: true, Observed: reason, OCR: &results.OCRResult{Text: text}},
			Failure: &results.Failure{
				Kind: results.FailureKind(text), Reason: reason, Details: []string{text},
				Probes: []results.Probe{{Part: id, Detail: text}},
			},
			Artifacts: []results.Artifact{{Name: text}},
		}
		other := step
		other.Index, other.Status, other.BlockedBy = 1, results.StepBlocked, id
		attempt := results.Attempt{Number: 1, Status: results.Failed, Reason: reason, Steps: []results.Step{step, other}}
		run := &results.Run{
			Suite: text, DurationMS: ms, Environment: results.Environment{Hostname: text},
			Programs: []results.Program{
				{Path: path, File: text, Status: results.Failed, Reason: reason, DurationMS: ms, Attempts: []results.Attempt{attempt, attempt}},
				{Path: path, File: text, Status: results.Invalid, Problems: []results.Problem{{Severity: "error", File: path, Message: text}}},
				{Path: path, Status: results.Skipped, Reason: text},
				{Path: path, Status: results.Status(text)},
			},
		}
		checkDialect(t, read(t, write(t, run)))
	})
}

// A report that is too large within any limits is written all the same, and
// nothing of the attempts to make it small is in it.
func TestTooLargeWithinAnyLimits(t *testing.T) {
	run := resultstest.Passing().Run()
	run.Programs = run.Programs[:1]
	final := run.Programs[0].Final()
	step := final.Steps[0]
	step.ID = strings.Repeat("x", 200)
	final.Steps = slices.Repeat([]results.Step{step}, 100_000)
	text := write(t, run)
	if got := strings.Count(string(text), "<testsuite "); got != 1 || len(text) < 29_000_000 {
		t.Errorf("%d suites in %d bytes", got, len(text))
	}
}
