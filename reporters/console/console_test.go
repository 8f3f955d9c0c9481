package console_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/opendesk/opendesk/reporters/console"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

var update = flag.Bool("update", false, "write golden files anew")

// report is what the console writes about a stream.
func report(t testing.TB, stream *resultstest.Stream, opts console.Options) string {
	t.Helper()
	var buf bytes.Buffer
	opts.ResultsDir = ".opendesk/eval/runs/20260102T030405Z-0001"
	opts.Now = func() time.Time { return resultstest.Start.Add(3 * time.Second) }
	opts.Tick = make(chan time.Time) // never
	c := console.New(&buf, opts)
	for _, ev := range stream.Events {
		c.Event(ev)
	}
	if err := c.Finish(stream.Run()); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

var (
	quiet    = console.Options{Verbosity: console.Quiet}
	plain    = console.Options{}
	verbose  = console.Options{Verbosity: console.Verbose}
	dots     = console.Options{Dots: true}
	terminal = console.Options{Color: true, Live: true, Width: func() int { return 60 }}
)

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stream *resultstest.Stream
		opts   console.Options
	}{
		{"empty", resultstest.Empty(), plain},
		{"passing", resultstest.Passing(), plain},
		{"passing-verbose", resultstest.Passing(), verbose},
		{"passing-quiet", resultstest.Passing(), quiet},
		{"passing-terminal", resultstest.Passing(), terminal},
		{"mixed", resultstest.Mixed(), plain},
		{"mixed-verbose", resultstest.Mixed(), verbose},
		{"mixed-quiet", resultstest.Mixed(), quiet},
		{"mixed-dots", resultstest.Mixed(), dots},
		{"passing-dots", resultstest.Passing(), dots},
		{"cut-dots", resultstest.Cut(), dots},
		{"mixed-terminal", resultstest.Mixed(), terminal},
		{"cut", resultstest.Cut(), plain},
		{"hostile", resultstest.Hostile(), verbose},
		{"scripts", resultstest.Scripts(), plain},
		{"scripts-verbose", resultstest.Scripts(), verbose},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := report(t, tt.stream, tt.opts)
			golden := filepath.Join("testdata", tt.name+".txt")
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
				t.Errorf("differs from %s (go test -update writes it anew):\n%s", golden, got)
			}
		})
	}
}

// A run that is over when it is first told of looks like one that was told of
// bit by bit: the console is a function of the results.
func TestARunThatIsOver(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(), "hostile": resultstest.Hostile(),
	} {
		for _, opts := range []console.Options{quiet, plain, verbose, dots} {
			var buf bytes.Buffer
			told := opts
			told.ResultsDir = ".opendesk/eval/runs/20260102T030405Z-0001"
			if err := console.New(&buf, told).Finish(stream.Run()); err != nil {
				t.Fatal(err)
			}
			if want := report(t, stream, opts); buf.String() != want {
				t.Errorf("%s, %+v:\n%s\nas it went on:\n%s", name, opts, buf.String(), want)
			}
		}
	}
}

// A line that begins with two colons or ##[ would be a command to the runner of
// GitHub or Azure, whoever wrote it.
func TestLinesAreNoCommands(t *testing.T) {
	p := resultstest.Program("p")
	steps := resultstest.NotFoundSteps("x.png")
	steps[2].Failure.Details = []string{"log:\n::error::owned\n  ::stop-commands::x\n##[error]owned"}
	s := resultstest.NewStream(p).Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Failed, "no", nil).End(results.Failed, "::no").Finish(false)
	for line := range strings.Lines(report(t, s, plain)) {
		if l := strings.TrimSpace(line); strings.HasPrefix(l, "::") || strings.HasPrefix(l, "##[") {
			t.Errorf("%q", line)
		}
	}
}

// Elsewhere than on a terminal nothing but text and line feeds is written,
// whatever the texts.
func TestPlainOutputHasNoControlCharacters(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"mixed": resultstest.Mixed(), "hostile": resultstest.Hostile(), "cut": resultstest.Cut(),
	} {
		for _, opts := range []console.Options{quiet, plain, verbose} {
			checkPlain(t, name, report(t, stream, opts))
		}
	}
}

func checkPlain(t testing.TB, name, out string) {
	t.Helper()
	for i, r := range out {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar) {
			t.Fatalf("%s: %q at %d in\n%q", name, r, i, out)
		}
	}
}

// On a terminal the only control sequences are our own, also with a hostile
// title in the progress line.
func TestTerminalSequencesAreOurs(t *testing.T) {
	out := report(t, resultstest.Hostile(), terminal)
	for _, own := range []string{"\r\x1b[2K", "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[32m", "\x1b[33m"} {
		out = strings.ReplaceAll(out, own, "")
	}
	checkPlain(t, "hostile", out)
}

func TestProgressLineFitsAndIsTakenAway(t *testing.T) {
	out := report(t, resultstest.Mixed(), terminal)
	if !strings.Contains(out, "step 3/3") {
		t.Error("no progress was shown")
	}
	for _, part := range strings.Split(out, "\r\x1b[2K\x1b[2m")[1:] {
		line, _, ok := strings.Cut(part, "\x1b[0m")
		if !ok || len([]rune(line)) > 59 {
			t.Errorf("progress line %q does not fit", line)
		}
	}
	last := out[strings.LastIndex(out, "\r\x1b[2K"):]
	if strings.Contains(last, "step ") {
		t.Errorf("a progress line is left: %q", last)
	}
}

func TestTickRedraws(t *testing.T) {
	tick := make(chan time.Time)
	var buf bytes.Buffer
	now := resultstest.Start
	c := console.New(&buf, console.Options{Live: true, Tick: tick, Now: func() time.Time { return now }})
	for _, ev := range resultstest.Cut().Events {
		c.Event(ev)
	}
	now = now.Add(95 * time.Second)
	tick <- now
	if err := c.Finish(resultstest.Cut().Run()); err != nil {
		t.Fatal(err)
	}
	if err := c.Finish(resultstest.Cut().Run()); err != nil { // a second time is harmless
		t.Fatal(err)
	}
	if !strings.Contains(buf.String(), "learned/calc  93s  step 2/3") {
		t.Errorf("no clock in %q", buf.String())
	}
}

func TestDetect(t *testing.T) {
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	for _, tt := range []struct {
		mode  string
		color bool
	}{{"auto", false}, {"", false}, {"never", false}, {"always", true}} {
		opts, err := console.Detect(&bytes.Buffer{}, tt.mode, getenv)
		if err != nil || opts.Color != tt.color || opts.Live {
			t.Errorf("%q on a buffer: %+v, %v", tt.mode, opts, err)
		}
	}
	if _, err := console.Detect(&bytes.Buffer{}, "sometimes", getenv); err == nil || !strings.Contains(err.Error(), `"sometimes"`) {
		t.Errorf("error %v", err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if opts, err := console.Detect(file, "auto", getenv); err != nil || opts.Color || opts.Live {
		t.Errorf("a file: %+v, %v", opts, err)
	}
}

func TestDetectOnATerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	defer terminal.Close()
	for _, tt := range []struct {
		mode        string
		env         map[string]string
		color, live bool
	}{
		{"auto", nil, true, true},
		{"auto", map[string]string{"NO_COLOR": "1"}, false, true},
		{"auto", map[string]string{"CI": "true"}, true, false},
		{"auto", map[string]string{"TERM": "dumb"}, false, false},
		{"always", map[string]string{"NO_COLOR": "1"}, true, true},
		{"never", nil, false, true},
	} {
		opts, err := console.Detect(terminal, tt.mode, func(name string) string { return tt.env[name] })
		if err != nil || opts.Color != tt.color || opts.Live != tt.live {
			t.Errorf("%s with %v: color %v, live %v, %v", tt.mode, tt.env, opts.Color, opts.Live, err)
		}
	}
}

// The last lines say what the exit code means, truly.
func TestVerdicts(t *testing.T) {
	p, q := resultstest.Program("p"), resultstest.Program("q")
	steps, missing := resultstest.ExportSteps(), resultstest.NotFoundSteps("x.png")
	flaky := func() *resultstest.Stream {
		s := resultstest.NewStream(p).Begin(p).Attempt(steps...).Steps(missing...).EndAttempt(results.Failed, "no", nil)
		return s.Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Flaky, "retried")
	}
	pass := func(s *resultstest.Stream) *resultstest.Stream {
		return s.Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Passed, "")
	}
	fail := func() *resultstest.Stream {
		return resultstest.NewStream(p, q).Begin(p).Attempt(steps...).Steps(missing...).EndAttempt(results.Failed, "no",
			&results.Failure{Kind: results.HostCrashed, Reason: "the host ended"}).End(results.Failed, "no")
	}
	for _, tt := range []struct {
		stream *resultstest.Stream
		want   string
	}{
		{flaky().Finish(false), "PASSED  exit code 0: 1 program passed on a retry only\n"},
		{pass(resultstest.NewStream(p)).Finish(false), "PASSED  exit code 0: all programs passed\n"},
		{pass(resultstest.NewStream(p, q)).Finish(false), "PASSED  exit code 0: all programs that were run passed\n"},
		{fail().Finish(true), "FAILED  exit code 1: at least one program failed; the run was interrupted\n"},
		{fail().Finish(false), "fault       the host ended\n"},
		{resultstest.NewStream(p).Begin(p).End(results.Broken, "gone").Finish(false), "BROKEN  exit code 3: the environment broke"},
		{resultstest.NewStream(p).Begin(p).End(results.Invalid, "1 error").Finish(false), "INVALID  exit code 2: 1 file invalid\n"},
		{resultstest.Empty(), "NOTHING TO RUN  exit code 2: no program was run\n"},
		{resultstest.NewStream(p).Finish(true), "INTERRUPTED  exit code 130: interrupted\n"},
	} {
		if out := report(t, tt.stream, plain); !strings.Contains(out, tt.want) {
			t.Errorf("no %q in\n%s", tt.want, out)
		}
	}
}

// A failure in quarantine is shown as it is, in quiet runs too; repetitions
// have their numbers.
func TestQuarantineAndRepetitions(t *testing.T) {
	p, q := resultstest.Program("p"), resultstest.Program("p")
	p.Repeat, q.Repeat = 1, 2
	p.Quarantine = &results.Quarantine{Issue: "https://example.org/7", Until: "2027-01-31"}
	steps, missing := resultstest.ExportSteps(), resultstest.NotFoundSteps("x.png")
	s := resultstest.NewStream(p, q).
		Begin(p).Attempt(steps...).Steps(missing...).EndAttempt(results.Failed, missing[len(missing)-1].Failure.Reason, nil).
		End(results.Skipped, "in quarantine until 2027-01-31 (https://example.org/7), failed: target not found").
		Begin(q).Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Passed, "").
		Finish(false)
	out := report(t, s, plain)
	for _, want := range []string{
		"SKIP    learned/p (repeat 1)  in quarantine until 2027-01-31 (https://example.org/7), failed: target not found\n",
		"        target not found after", "PASS    learned/p (repeat 2)  ", "2 programs: 1 passed, 1 skipped\n",
		"PASSED  exit code 0: 1 program failed in quarantine, nothing else did\n",
	} {
		if strings.Count(out, want) != 1 {
			t.Errorf("not once: %q in\n%s", want, out)
		}
	}
}

type brokenPipe struct{}

var errPipe = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errPipe }

func TestWriteErrorsAreReturned(t *testing.T) {
	c := console.New(brokenPipe{}, plain)
	for _, ev := range resultstest.Passing().Events {
		c.Event(ev)
	}
	if err := c.Finish(resultstest.Passing().Run()); !errors.Is(err, errPipe) {
		t.Errorf("error %v", err)
	}
}
