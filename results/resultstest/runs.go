package resultstest

import (
	"strings"
	"time"

	"github.com/opendesk/opendesk/results"
)

// Empty is a run without programs.
func Empty() *Stream { return NewStream().Finish(false) }

// Passing is a run of two programs that pass, one of them by OCR.
func Passing() *Stream {
	report, term := Program("export-report"), Program("terminal/hello")
	s := NewStream(report, term)
	s.pass(report, ExportSteps()...)
	s.Begin(term).Attempt(OCRSteps()...).Steps(OCRSteps()...)
	s.Warn(results.WarnWeak, "s2", "text found by OCR only")
	s.EndAttempt(results.Passed, "", nil).End(results.Passed, "")
	return s.Finish(false)
}

// Mixed is a run with every status and every sequence of attempts.
func Mixed() *Stream {
	programs := map[string]results.Program{}
	var plan []results.Program
	for _, name := range []string{
		"export-report", "calc", "terminal/hello", "flaky", "env-retry", "no-session", "crash", "typo", "quarantined", "v1.2",
	} {
		programs[name] = Program(name)
		plan = append(plan, programs[name])
	}
	s := NewStream(plan...)

	s.Begin(programs["export-report"])
	for _, shot := range []string{"artifacts/export-report/1/s3.png", "artifacts/export-report/2/s3.png"} {
		s.Attempt(ExportSteps()...).Steps(NotFoundSteps(shot)...).EndAttempt(results.Failed, NotFoundReason, nil)
	}
	s.End(results.Failed, NotFoundReason)

	unmet := UnmetSteps("artifacts/calc/1/total.png")
	s.Begin(programs["calc"]).Attempt(unmet...).Steps(unmet...)
	s.Warn(results.WarnVacuous, "s1", "app_frontmost='Numbers' held before the action")
	s.Artifact("app-log", "artifacts/calc/1/Numbers.log")
	s.EndAttempt(results.Failed, unmet[1].Failure.Reason, nil).End(results.Failed, unmet[1].Failure.Reason)

	s.Begin(programs["terminal/hello"]).Attempt(OCRSteps()...).Steps(OCRSteps()...)
	s.Warn(results.WarnWeak, "s2", "text found by OCR only")
	s.EndAttempt(results.Passed, "", nil).End(results.Passed, "")

	s.Begin(programs["flaky"]).Attempt(ExportSteps()...).Steps(NotFoundSteps("artifacts/flaky/1/s3.png")...)
	s.EndAttempt(results.Failed, NotFoundReason, nil)
	s.Attempt(ExportSteps()...).Steps(ExportSteps()...).EndAttempt(results.Passed, "", nil)
	s.End(results.Flaky, "failed, then passed on a retry")

	s.Begin(programs["env-retry"])
	s.crash(results.WorkerCrashed, "the worker ended by signal 11 (segmentation fault)")
	s.Attempt(ExportSteps()...).Steps(ExportSteps()...).EndAttempt(results.Passed, "", nil)
	s.End(results.Passed, "")

	noSession := &results.Failure{
		Kind: results.SessionNotStarted, Reason: "the session did not start: Xvfb gave no display within 10000 ms",
		Probes: Probes(false),
	}
	s.Begin(programs["no-session"]).Attempt(ExportSteps()...).Sleep(10 * time.Second)
	s.EndAttempt(results.Broken, noSession.Reason, noSession).End(results.Broken, noSession.Reason)

	s.Begin(programs["crash"])
	s.crash(results.WorkerCrashed, "the worker ended by signal 11 (segmentation fault)")
	s.End(results.Broken, "the worker ended by signal 11 (segmentation fault)")

	typo := programs["typo"]
	typo.Problems = []results.Problem{
		{
			Severity: "error", Code: "unknown-kind", File: typo.File, Line: 14, Column: 7,
			JSONPath: "steps[2].postcondition.kind", Message: `"windowtitle" is unknown (did you mean "window_title_contains"?)`,
		},
		{Severity: "error", Code: "missing-id", File: typo.File, Line: 20, Column: 5, JSONPath: "steps[3]", Message: `has no "id"`},
		{Severity: "warning", Code: "unknown-field", File: typo.File, Line: 3, Column: 3, JSONPath: "author", Message: "is not a field of the format"},
	}
	s.Begin(typo).End(results.Invalid, "2 errors")

	s.Begin(programs["quarantined"]).End(results.Skipped, "quarantined until 2026-03-01: https://example.org/issues/7")

	s.Begin(programs["v1.2"]).Attempt(ExportSteps()...).Steps(NotFoundSteps("artifacts/v1.2/1/s3.png")...)
	s.EndAttempt(results.Failed, NotFoundReason, nil)
	s.crash(results.HostCrashed, "the session host ended")
	s.End(results.Failed, NotFoundReason)

	return s.Finish(false)
}

// Cut is a run that was stopped within its second program's second step, with
// a third program not begun.
func Cut() *Stream {
	report, calc, term := Program("export-report"), Program("calc"), Program("terminal/hello")
	s := NewStream(report, calc, term)
	s.pass(report, ExportSteps()...)
	steps := ExportSteps()
	return s.Begin(calc).Attempt(steps...).Steps(steps[0]).StartStep(steps[1]).Sleep(70 * time.Millisecond)
}

// Hostile is a run whose texts try to drive a terminal or to break a report.
func Hostile() *Stream {
	const evil = "\x1b]0;owned\x07\x1b[2J]]>&<b>\u202egnp.exe\u2066\r\n\x00\u009b31m\xff\ufffe"
	p := results.Program{
		Path: ".opendesk/learned/" + evil + ".program.json", File: evil, Name: evil, Description: evil,
	}
	steps := NotFoundSteps("artifacts/" + evil + ".png")
	for i := range steps {
		steps[i].ID += evil
		steps[i].Summary = evil
		steps[i].Note = evil
		steps[i].Notes = []string{evil}
	}
	f := steps[2].Failure
	f.Reason, f.Details = evil, []string{evil, "first\nsecond"}
	f.Candidates[0].Element.Title = evil
	f.Candidates[0].Differs = []string{evil}
	f.Probes[0].Detail = evil
	s := NewStream(p)
	s.Begin(p).Attempt(steps...).Steps(steps...).Warn(results.WarnNote, evil, evil)
	return s.EndAttempt(results.Failed, evil, nil).End(results.Failed, evil).Finish(false)
}

// pass runs a program that passes at once.
func (s *Stream) pass(p results.Program, steps ...results.Step) {
	s.Begin(p).Attempt(steps...).Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Passed, "")
}

// crash is an attempt that broke while s2 was under way.
func (s *Stream) crash(kind results.FailureKind, reason string) {
	steps := ExportSteps()
	s.Attempt(steps...).Steps(steps[0]).StartStep(steps[1]).Sleep(50 * time.Millisecond)
	s.Artifact("worker-log", "artifacts/"+s.short()+"/worker.log")
	s.EndAttempt(results.Broken, reason, &results.Failure{Kind: kind, Reason: reason, Probes: Probes(true)})
}

// short is the short name of the program that is under way.
func (s *Stream) short() string {
	return strings.TrimSuffix(strings.TrimPrefix(s.path, ".opendesk/learned/"), ".program.json")
}
