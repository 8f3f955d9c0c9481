package harness_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// script says how each attempt ends: passed, failed, broken, "no session",
// "crash" (no verdict), "fail then crash", "silent" (no verdict and no fault).
type script struct {
	ends     []string
	leased   int
	returned int
	returns  error
	cancel   context.CancelFunc
}

func (s *script) next() string { return s.ends[s.leased-1] }

func (s *script) Lease(context.Context) (harness.Session, *results.Failure) {
	s.leased++
	if s.next() == "no session" {
		return nil, &results.Failure{Kind: results.SessionNotStarted, Reason: "no Xvfb"}
	}
	return s, nil
}

func (s *script) Describe() results.Session { return results.Session{Display: ":7"} }

func (s *script) Return(context.Context) error {
	s.returned++
	return s.returns
}

func (s *script) Steps(p *program.Program) []results.Step {
	var steps []results.Step
	for _, st := range p.Steps {
		steps = append(steps, results.Step{ID: st.ID, Index: st.Index, Tool: st.Tool, Status: results.StepBlocked})
	}
	return steps
}

func (s *script) Launch(_ context.Context, _ harness.Session, a harness.Attempt, emit func(results.Event)) *results.Failure {
	end := s.next()
	step := results.Step{ID: "s1", Tool: "wait", Status: results.StepPassed}
	crash := &results.Failure{Kind: results.WorkerCrashed, Reason: "the worker ended"}
	finish := func(status results.Status, reason string) {
		emit(results.Event{Type: results.EventStepFinished, Step: &step})
		emit(results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{Status: status, Reason: reason}})
	}
	switch end {
	case "passed":
		finish(results.Passed, "")
	case "failed", "fail then crash":
		step.Status, step.Failure = results.StepFailed, &results.Failure{Kind: results.TargetNotFound, Reason: fmt.Sprintf("not found (%d)", a.Number)}
		if end == "fail then crash" {
			emit(results.Event{Type: results.EventStepFinished, Step: &step})
			return crash
		}
		finish(results.Failed, step.Failure.Reason)
	case "broken":
		step.Status, step.Failure = results.StepBroken, &results.Failure{Kind: results.EnvironmentFault, Reason: "no bus"}
		finish(results.Broken, "no bus")
	case "crash":
		return crash
	case "interrupt":
		s.cancel()
		return crash
	}
	return nil
}

func TestAttempts(t *testing.T) {
	p, problems := program.Parse("learned/p.program.json", []byte(`{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait"}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	for _, row := range []struct {
		ends         string
		status       results.Status
		reason, note string
		code         int
	}{
		{"passed", results.Passed, "", "", 0},
		{"failed,passed", results.Flaky, "failed, then passed on a retry: not found (1)", "", 0},
		{"failed,failed", results.Failed, "not found (2)", "", 1},
		{"failed,broken,broken", results.Failed, "not found (1)", "", 1},
		{"broken,passed", results.Passed, "", results.PassedAfterBroken, 0},
		{"broken,failed,failed", results.Failed, "not found (3)", "", 1},
		{"broken,broken", results.Broken, "no bus", "", 3},
		{"no session,passed", results.Passed, "", results.PassedAfterBroken, 0},
		{"no session,no session", results.Broken, "no Xvfb", "", 3},
		{"crash,crash", results.Broken, "the worker ended", "", 3},
		{"fail then crash,failed", results.Failed, "not found (2)", "", 1},
		{"silent,silent", results.Broken, "the worker ended without a verdict", "", 3},
		{"interrupt", results.Skipped, "interrupted", "", 130},
	} {
		t.Run(row.ends, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s := &script{ends: strings.Split(row.ends, ","), cancel: cancel}
			var types []string
			run, err := harness.Run(ctx, results.Run{Suite: "x"}, harness.Plan{Items: []harness.Item{{Path: p.Path, File: p.Path, Program: p}}},
				harness.Options{Retries: 1, EnvRetries: 1, Leaser: s, Launcher: s, Sink: func(e results.Event) error {
					types = append(types, string(e.Type))
					return nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			got := run.Programs[0]
			if got.Status != row.status || got.Reason != row.reason || run.ExitCode != row.code {
				t.Errorf("%s %q exit %d, want %s %q exit %d", got.Status, got.Reason, run.ExitCode, row.status, row.reason, row.code)
			}
			if len(got.Attempts) != len(s.ends) {
				t.Errorf("%d attempts, want %d", len(got.Attempts), len(s.ends))
			}
			if want := len(s.ends) - strings.Count(row.ends, "no session"); s.returned != want {
				t.Errorf("%d sessions returned, want %d", s.returned, want)
			}
			note := ""
			for _, w := range got.Warnings {
				note += w.Message
			}
			if note != row.note {
				t.Errorf("note %q, want %q", note, row.note)
			}
			if types[0] != "run_started" || types[len(types)-1] != "run_finished" {
				t.Errorf("events %v", types)
			}
		})
	}
}

func TestInvalidProgramsAreToldAndNotRun(t *testing.T) {
	p, problems := program.Parse("bad.program.json", []byte(`{"version":2,"steps":[],"name":"a/b"}`))
	if p != nil {
		t.Fatal("the test's program is valid")
	}
	s := &script{}
	run, err := harness.Run(context.Background(), results.Run{}, harness.Plan{Items: []harness.Item{{Path: "bad.program.json", Problems: problems}}},
		harness.Options{Leaser: s, Launcher: s})
	if err != nil {
		t.Fatal(err)
	}
	got := run.Programs[0]
	if got.Status != results.Invalid || len(got.Problems) != 3 || s.leased != 0 || run.ExitCode != 2 {
		t.Errorf("%+v, exit %d", got, run.ExitCode)
	}
	if !strings.HasSuffix(got.Reason, "(and 2 more errors)") {
		t.Errorf("reason %q", got.Reason)
	}
}

func TestASinkThatFailsEndsTheRun(t *testing.T) {
	full := errors.New("disk full")
	s := &script{ends: []string{"passed", "passed"}}
	p, _ := program.Parse("p.program.json", []byte(`{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait"}]}`))
	q, _ := program.Parse("q.program.json", []byte(`{"name":"q","version":1,"steps":[{"id":"s1","tool":"wait"}]}`))
	run, err := harness.Run(context.Background(), results.Run{}, harness.Plan{Items: []harness.Item{{Path: p.Path, Program: p}, {Path: q.Path, Program: q}}},
		harness.Options{Leaser: s, Launcher: s, Sink: func(e results.Event) error {
			if e.Type == results.EventAttemptStarted {
				return full
			}
			return nil
		}})
	if !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	if len(run.Programs) != 2 || run.Programs[1].Status != results.Skipped || s.leased != 1 {
		t.Errorf("%+v", run.Programs)
	}
	if run.ExitCode != results.ExitBroken {
		t.Errorf("exit code %d: nobody interrupted the run", run.ExitCode)
	}
}
