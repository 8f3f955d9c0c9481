//go:build linux

package ginkgospec

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
	"github.com/opendesk/opendesk/suites"
)

// logVariable names the folder in which the fake notes how it was called.
const logVariable = "GINKGOSPEC_TEST_LOG"

// The test binary is a fake opendesk when it is called like one: a program's
// name says what it plays.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "eval" {
		os.Exit(fakeOpendesk(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fake is one call of the fake.
type fake struct {
	name, output string
	program      results.Program
	stream       *resultstest.Stream
}

// scenes are what the fake can play; each gives the exit code.
var scenes = map[string]func(*fake) int{
	"passes":              func(f *fake) int { return f.pass(results.ExitPassed) },
	"glob[*]{a,b}?":       func(f *fake) int { return f.pass(results.ExitPassed) },
	"passes with code 3":  func(f *fake) int { return f.pass(results.ExitBroken) },
	"folder/deep/passes":  func(f *fake) int { return f.pass(results.ExitPassed) },
	"fails":               func(f *fake) int { return f.fail().end() },
	"flaky":               (*fake).flaky,
	"breaks":              (*fake).breaks,
	"quarantined":         (*fake).quarantined,
	"hostile":             (*fake).hostile,
	"crashes":             (*fake).crash,
	"crashes when failed": func(f *fake) int { f.fail(); return f.crash() },
	"torn":                (*fake).torn,
	"refuses":             (*fake).refuse,
	"hangs":               (*fake).hang,
	"stubborn":            (*fake).stubborn,
}

func fakeOpendesk(args []string) int {
	f, err := newFake(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake opendesk:", err)
		return results.ExitInvalid
	}
	return scenes[f.name](f)
}

func newFake(args []string) (*fake, error) {
	if len(args) < 3 || !slices.Equal(args[:3], []string{"eval", "run", suite}) || len(args)%2 == 0 {
		return nil, fmt.Errorf("called with %q", args)
	}
	given := map[string]string{}
	for i := 3; i < len(args); i += 2 {
		given[args[i]] = args[i+1]
	}
	s, _ := suites.Find(suite)
	plan, err := s.Plan(given["--project"], suites.Filter{Programs: []string{given["--program"]}})
	if err != nil {
		return nil, err
	}
	if len(plan.Items) != 1 {
		return nil, fmt.Errorf("--program %s matches %d programs", given["--program"], len(plan.Items))
	}
	name := program.TaskName(plan.Items[0].Path)
	f := &fake{name: name, output: given["--output"], program: resultstest.Program(name)}
	f.stream = resultstest.NewStream(f.program)
	if scenes[name] == nil {
		return nil, fmt.Errorf("there is no scene %q", name)
	}
	b, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return f, f.log("args", b)
}

// log leaves a note for the test.
func (f *fake) log(what string, content []byte) error {
	return os.WriteFile(filepath.Join(os.Getenv(logVariable), strings.ReplaceAll(f.name, "/", "-")+"."+what), content, 0o600)
}

// write writes the events that there are.
func (f *fake) write() {
	file, err := os.Create(filepath.Join(f.output, eventsFile))
	if err != nil {
		panic(err)
	}
	w := results.NewEventWriter(file)
	for _, ev := range f.stream.Events {
		if err := w.Write(&ev); err != nil {
			panic(err)
		}
	}
	if err := file.Close(); err != nil {
		panic(err)
	}
}

// end finishes the run, and gives its exit code.
func (f *fake) end() int {
	f.stream.Finish(false)
	f.write()
	return f.stream.Run().ExitCode
}

func (f *fake) pass(code int) int {
	steps := resultstest.ExportSteps()
	f.stream.Begin(f.program).Attempt(steps...).Steps(steps...).Warn(results.WarnVacuous, "s1", "held before the action")
	f.stream.EndAttempt(results.Passed, "", nil).End(results.Passed, "")
	f.end()
	return code
}

// fail plays up to the end of the failed program.
func (f *fake) fail() *fake {
	f.attemptThatFails()
	f.stream.End(results.Failed, resultstest.NotFoundReason)
	return f
}

func (f *fake) attemptThatFails() {
	shot := "artifacts/" + f.name + "/attempt-1/s3.png"
	file := filepath.Join(f.output, filepath.FromSlash(shot))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file, []byte("a picture"), 0o600); err != nil {
		panic(err)
	}
	f.stream.Begin(f.program).Attempt(resultstest.ExportSteps()...).Steps(resultstest.NotFoundSteps(shot)...)
	f.stream.EndAttempt(results.Failed, resultstest.NotFoundReason, nil)
}

func (f *fake) flaky() int {
	f.attemptThatFails()
	steps := resultstest.ExportSteps()
	f.stream.Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil)
	f.stream.End(results.Flaky, "s3 was late")
	return f.end()
}

func (f *fake) breaks() int {
	fault := &results.Failure{
		Kind: results.SessionNotStarted, Reason: "the session did not start: Xvfb gave no display within 10000 ms",
		Probes: resultstest.Probes(false),
	}
	f.stream.Begin(f.program).Attempt(resultstest.ExportSteps()...)
	f.stream.EndAttempt(results.Broken, fault.Reason, fault).End(results.Broken, fault.Reason)
	return f.end()
}

func (f *fake) quarantined() int {
	f.stream.Begin(f.program).End(results.Skipped, "quarantined: https://example.org/issues/7")
	return f.end()
}

func (f *fake) hostile() int {
	const reason = "\x1b[2J {{red}}gone{{/}}\nnext"
	steps := resultstest.NotFoundSteps("shot.png")
	steps[2].Failure.Reason, steps[2].Summary = reason, reason
	f.stream.Begin(f.program).Attempt(steps...).Steps(steps...)
	f.stream.EndAttempt(results.Failed, reason, nil).End(results.Failed, reason)
	return f.end()
}

// crash dies in the middle of a step, or after what was played so far.
func (f *fake) crash() int {
	if len(f.stream.Events) == 1 {
		f.beginStep()
	}
	f.write()
	fmt.Fprintln(os.Stderr, "fatal error: out of luck")
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func (f *fake) beginStep() {
	steps := resultstest.ExportSteps()
	f.stream.Begin(f.program).Attempt(steps...).Steps(steps[0]).StartStep(steps[1])
}

// torn passes, but for the end of the last line.
func (f *fake) torn() int {
	f.pass(results.ExitPassed)
	file := filepath.Join(f.output, eventsFile)
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, b[:len(b)-10], 0o600)
	}
	if err != nil {
		panic(err)
	}
	return results.ExitPassed
}

// refuse ends without a run.
func (f *fake) refuse() int {
	fmt.Fprintln(os.Stderr, "opendesk: unknown flag: --color")
	return results.ExitInvalid
}

// hang waits in a step until it is interrupted.
func (f *fake) hang() int {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	f.beginStep()
	f.write()
	<-interrupts
	if err := f.log("interrupted", nil); err != nil {
		panic(err)
	}
	f.stream.EndAttempt(results.Skipped, results.Interrupted, nil).End(results.Skipped, results.Interrupted).Finish(true)
	f.write()
	return results.ExitInterrupted
}

// stubborn waits in a step and cannot be interrupted.
func (f *fake) stubborn() int {
	signal.Ignore(os.Interrupt)
	f.beginStep()
	f.write()
	time.Sleep(10 * time.Minute)
	return 0
}
