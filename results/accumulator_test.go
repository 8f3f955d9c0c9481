package results_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// ndjson is the stream as EventWriter writes it.
func ndjson(t testing.TB, events []results.Event) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := results.NewEventWriter(&buf)
	for i := range events {
		ev := events[i]
		if err := w.Write(&ev); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestMixedRun(t *testing.T) {
	run := resultstest.Mixed().Run()
	want := map[string]results.Status{
		"export-report": failed, "calc": failed, "terminal/hello": passed, "flaky": flaky, "env-retry": passed,
		"no-session": broken, "crash": broken, "typo": invalid, "quarantined": skipped, "v1.2": failed,
	}
	for _, p := range run.Programs {
		if p.Status != want[p.Name] {
			t.Errorf("%s is %s, want %s", p.Name, p.Status, want[p.Name])
		}
	}
	counts := results.Counts{
		Programs: 10, Passed: 2, Flaky: 1, Failed: 3, Broken: 2, Invalid: 1, Skipped: 1,
		Steps: 22, Postconditions: 16, PostconditionsMet: 10,
	}
	if run.Counts != counts {
		t.Errorf("counts are\n%+v, want\n%+v", run.Counts, counts)
	}
	if run.Status != failed || run.ExitCode != 1 || run.Interrupted {
		t.Errorf("run is %s, exit code %d, interrupted %v", run.Status, run.ExitCode, run.Interrupted)
	}
}

func program(t *testing.T, run *results.Run, name string) *results.Program {
	t.Helper()
	for i := range run.Programs {
		if run.Programs[i].Name == name {
			return &run.Programs[i]
		}
	}
	t.Fatalf("no program %s", name)
	return nil
}

func TestStepUnderWayWhenTheWorkerCrashedIsBroken(t *testing.T) {
	steps := program(t, resultstest.Mixed().Run(), "crash").Final().Steps
	if len(steps) != 3 {
		t.Fatalf("%d steps, want all 3", len(steps))
	}
	if s := steps[1]; s.Status != results.StepBroken || s.Failure == nil || s.Failure.Kind != results.WorkerCrashed {
		t.Errorf("s2 is %s with %+v, want broken by the worker's crash", s.Status, s.Failure)
	}
	if s := steps[2]; s.Status != results.StepBlocked || s.BlockedBy != "s2" || s.Postcondition == nil || s.Postcondition.Checked {
		t.Errorf("s3 is %+v, want blocked by s2 with its unchecked postcondition", s)
	}
}

func TestSessionThatDidNotStartBlocksEveryStep(t *testing.T) {
	p := program(t, resultstest.Mixed().Run(), "no-session")
	for _, s := range p.Final().Steps {
		if s.Status != results.StepBlocked || s.BlockedBy != "" {
			t.Errorf("%s is %s by %q, want blocked by no step", s.ID, s.Status, s.BlockedBy)
		}
	}
	if p.Final().Fault == nil || p.Reason == "" {
		t.Errorf("fault %v, reason %q", p.Final().Fault, p.Reason)
	}
}

func TestPassAfterBrokenIsNoted(t *testing.T) {
	p := program(t, resultstest.Mixed().Run(), "env-retry")
	want := []results.Warning{{Kind: results.WarnNote, Message: results.PassedAfterBroken}}
	if p.Reason != "" || !reflect.DeepEqual(p.Warnings, want) {
		t.Errorf("reason %q, warnings %v", p.Reason, p.Warnings)
	}
}

func TestCutRunIsDefinite(t *testing.T) {
	run := resultstest.Cut().Run()
	if !run.Interrupted || run.Status != skipped || run.ExitCode != 130 {
		t.Errorf("run is %s, exit code %d, interrupted %v", run.Status, run.ExitCode, run.Interrupted)
	}
	calc := program(t, run, "calc")
	if calc.Status != skipped || calc.Reason != results.Interrupted || calc.Attempts[0].Status != skipped {
		t.Errorf("calc is %s (%s), its attempt %s", calc.Status, calc.Reason, calc.Attempts[0].Status)
	}
	var statuses []results.StepStatus
	for _, s := range calc.Attempts[0].Steps {
		statuses = append(statuses, s.Status)
	}
	if want := []results.StepStatus{results.StepPassed, results.StepBlocked, results.StepBlocked}; !reflect.DeepEqual(statuses, want) {
		t.Errorf("steps are %v, want %v", statuses, want)
	}
	if notes := calc.Attempts[0].Steps[1].Notes; !reflect.DeepEqual(notes, []string{results.Interrupted}) {
		t.Errorf("notes of the step that was under way: %v", notes)
	}
	if hello := program(t, run, "terminal/hello"); hello.Status != skipped || hello.Reason != results.Interrupted {
		t.Errorf("the program that was not begun is %s (%s)", hello.Status, hello.Reason)
	}
}

// A failure that was seen before the cut stays a failure.
func TestCutNeverHidesAFailure(t *testing.T) {
	events := resultstest.Mixed().Events
	failures := map[string]bool{} // programs with a failed step so far
	acc := results.NewAccumulator()
	for _, ev := range events[:len(events)-1] {
		if err := acc.Apply(ev); err != nil {
			t.Fatal(err)
		}
		if ev.Step != nil && ev.Step.Status == results.StepFailed {
			failures[ev.Path] = true
		}
		run := acc.Run()
		for _, p := range run.Programs {
			if failures[p.Path] != (p.Status == failed || p.Status == flaky) {
				t.Fatalf("after event %d: %s is %s, failed step seen: %v", ev.Seq, p.Path, p.Status, failures[p.Path])
			}
		}
		if want := map[bool]int{true: 1, false: 130}[run.Counts.Failed > 0]; run.ExitCode != want {
			t.Fatalf("after event %d: exit code %d, want %d", ev.Seq, run.ExitCode, want)
		}
	}
}

func TestRebuildEqualsTheLiveRun(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(), "cut": resultstest.Cut(),
	} {
		run, err := results.Rebuild(bytes.NewReader(ndjson(t, stream.Events)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := asJSON(t, run), asJSON(t, stream.Run()); got != want {
			t.Errorf("%s: rebuilt\n%s\nlive\n%s", name, got, want)
		}
	}
}

// A stream that is cut within or between its events gives a definite result
// for everything.
func TestRebuildOfAStreamCutAnywhere(t *testing.T) {
	data := ndjson(t, resultstest.Mixed().Events)
	first := bytes.IndexByte(data, '\n')
	cuts := []int{0, 1}
	for start := 0; start < len(data); {
		end := start + bytes.IndexByte(data[start:], '\n')
		cuts = append(cuts, (start+end)/2, end-1, end, end+1)
		start = end + 1
	}
	for _, n := range cuts {
		run, err := results.Rebuild(bytes.NewReader(data[:n]))
		if n < first {
			if err == nil {
				t.Fatalf("cut at %d: no error although there is no whole event", n)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if len(run.Programs) != 10 {
			t.Fatalf("cut at %d: %d programs, want all 10", n, len(run.Programs))
		}
		for _, p := range run.Programs {
			if !p.Status.Valid() {
				t.Fatalf("cut at %d: %s is %q", n, p.Path, p.Status)
			}
			for _, at := range p.Attempts {
				if !at.Status.Valid() || len(at.Steps) == 0 {
					t.Fatalf("cut at %d: attempt %d of %s is %q with %d steps", n, at.Number, p.Path, at.Status, len(at.Steps))
				}
				for _, s := range at.Steps {
					if !s.Status.Valid() {
						t.Fatalf("cut at %d: step %s of %s is %q", n, s.ID, p.Path, s.Status)
					}
				}
			}
		}
	}
}

func TestRunIsACopy(t *testing.T) {
	stream := resultstest.Mixed()
	acc := results.NewAccumulator()
	var early *results.Run
	var before string
	for i, ev := range stream.Events {
		if err := acc.Apply(ev); err != nil {
			t.Fatal(err)
		}
		if i == 12 {
			early = acc.Run()
			before = asJSON(t, early)
		}
	}
	if asJSON(t, early) != before {
		t.Error("later events changed an earlier result")
	}
	if first, second := asJSON(t, acc.Run()), asJSON(t, acc.Run()); first != second {
		t.Error("two results of the same events differ")
	}
}

func TestApplyRefuses(t *testing.T) {
	p := resultstest.Program("p")
	steps := resultstest.ExportSteps()
	open := func() *resultstest.Stream { return resultstest.NewStream(p).Begin(p).Attempt(steps...) }
	at := func(typ results.EventType, attempt results.Attempt) results.Event {
		return results.Event{Type: typ, Path: p.Path, AttemptNumber: 1, Attempt: &attempt}
	}
	step := func(typ results.EventType, s results.Step) results.Event {
		return results.Event{Type: typ, Path: p.Path, AttemptNumber: 1, Step: &s}
	}
	end := func(status results.Status) results.Event {
		return results.Event{Type: results.EventProgramFinished, Path: p.Path, Program: &results.Program{Status: status}}
	}
	failedAttempt := func() *resultstest.Stream {
		return open().Steps(resultstest.NotFoundSteps("x.png")...).EndAttempt(failed, "", nil)
	}
	for _, tt := range []struct {
		name   string
		before *resultstest.Stream
		ev     results.Event
		want   string
	}{
		{"a second run_started", resultstest.NewStream(), results.Event{Type: results.EventRunStarted, Run: &results.Run{}}, "started already"},
		{"anything after the end", resultstest.Empty(), results.Event{Type: results.EventWarning, Warning: &results.Warning{}}, "finished already"},
		{"a hole", resultstest.NewStream(), results.Event{Seq: 3, Type: results.EventProgramStarted, Path: "p", Program: &p}, "missing or doubled"},
		{"no payload", resultstest.NewStream(), results.Event{Type: results.EventProgramStarted, Path: "p"}, "lacks its payload"},
		{"an unknown type", open(), results.Event{Type: "party", Path: p.Path}, "unknown type"},
		{"a step of an unknown program", resultstest.NewStream(), step(results.EventStepStarted, steps[0]), "not under way"},
		{"an attempt out of order", open(), results.Event{Type: results.EventAttemptStarted, Path: p.Path, Attempt: &results.Attempt{Number: 2}}, "still under way"},
		{"a skipped number", failedAttempt(), results.Event{Type: results.EventAttemptStarted, Path: p.Path, Attempt: &results.Attempt{Number: 3}}, "attempt 3 follows attempt 1"},
		{"a step twice", open().Steps(steps[0]), step(results.EventStepFinished, steps[0]), "finished already"},
		{"two steps at a time", open().StartStep(steps[0]), step(results.EventStepStarted, steps[1]), "still under way"},
		{"another step in its place", open(), step(results.EventStepFinished, results.Step{ID: "x", Status: results.StepPassed}), `not "x"`},
		{"a step without a status", open(), step(results.EventStepFinished, results.Step{ID: "s1"}), "not the status of a step"},
		{"a pass without its steps", open().Steps(steps[:2]...), at(results.EventAttemptFinished, results.Attempt{Status: passed}), "step s3 is not"},
		{"a failure called broken", open().Steps(resultstest.NotFoundSteps("x.png")...), at(results.EventAttemptFinished, results.Attempt{Status: broken}), "step s3 failed"},
		{"a flaky attempt", open(), at(results.EventAttemptFinished, results.Attempt{Status: flaky}), "not the status of an attempt"},
		{"an end within an attempt", open(), end(skipped), "still under way"},
		{"a pass without an attempt", resultstest.NewStream(p).Begin(p), end(passed), "better than"},
		{"a failure called passed", failedAttempt(), end(passed), "better than"},
		{"a failure called flaky", failedAttempt(), end(flaky), "better than"},
		{"a failure called skipped", failedAttempt(), end(skipped), "better than"},
		{"a newer schema", nil, results.Event{Type: results.EventRunStarted, Run: &results.Run{SchemaVersion: 99}}, "not supported"},
		{"a doubled plan", nil, results.Event{Type: results.EventRunStarted, Run: &results.Run{Programs: []results.Program{p, p}}}, "twice"},
		{"no beginning", nil, end(passed), "has not started"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			acc := results.NewAccumulator()
			if tt.before != nil {
				for _, ev := range tt.before.Events {
					if err := acc.Apply(ev); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := asJSON(t, acc.Run())
			err := acc.Apply(tt.ev)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want one with %q", err, tt.want)
			}
			if after := asJSON(t, acc.Run()); after != before {
				t.Errorf("the refused event changed\n%s\ninto\n%s", before, after)
			}
		})
	}
}

// A status may be worse than the attempts give: a budget that ran out.
func TestProgramMayEndWorse(t *testing.T) {
	p := resultstest.Program("p")
	s := resultstest.NewStream(p).Begin(p).Attempt(resultstest.ExportSteps()...).Steps(resultstest.ExportSteps()...)
	run := s.EndAttempt(passed, "", nil).End(broken, "out of time").Finish(false).Run()
	if got := run.Programs[0]; got.Status != broken || got.Reason != "out of time" || run.ExitCode != 3 {
		t.Errorf("program is %s (%s), exit code %d", got.Status, got.Reason, run.ExitCode)
	}
}

// Streams without plans work as far as their events tell.
func TestStreamWithoutAPlan(t *testing.T) {
	p := resultstest.Program("p")
	s := resultstest.NewStream().Begin(p).Attempt()
	run := s.Steps(resultstest.ExportSteps()...).EndAttempt(passed, "", nil).End(passed, "").Finish(false).Run()
	if run.Status != passed || run.Counts.Steps != 3 {
		t.Errorf("run is %s with %d steps", run.Status, run.Counts.Steps)
	}
}

// What is found out about the environment while the run is under way counts as
// if it had been known at its beginning.
func TestEnvironmentThatIsKnownLater(t *testing.T) {
	p := resultstest.Program("p")
	s := resultstest.NewStream(p)
	environment := s.Run().Environment
	environment.Packages = []results.Package{{Name: "xvfb", Version: "2:21.1"}}
	acc := results.NewAccumulator()
	for _, ev := range append(s.Events, results.Event{Type: results.EventEnvironment, Environment: &environment}) {
		if err := acc.Apply(ev); err != nil {
			t.Fatal(err)
		}
	}
	if got := acc.Run().Environment; len(got.Packages) != 1 || got.Geometry != "1280x800x24" {
		t.Errorf("environment %+v", got)
	}
	if err := acc.Apply(results.Event{Type: results.EventEnvironment}); err == nil {
		t.Error("an event without its payload was taken")
	}
}
