package resultstest

import "github.com/opendesk/opendesk/results"

// Scripts is a run of two programs with scripts: one passed, one failed.
func Scripts() *Stream {
	invoices, broken := Program("unpaid-invoices"), Program("failing")
	s := NewStream(invoices, broken)
	s.pass(invoices, ScriptSteps()...)
	failing := FailedScriptSteps("artifacts/failing/1/s1.png")
	s.Begin(broken).Attempt(failing...).Steps(failing...)
	reason := failing[0].Failure.Reason
	s.EndAttempt(results.Failed, reason, nil).End(results.Failed, reason)
	return s.Finish(false)
}

// ScriptSteps are a script that has done its work.
func ScriptSteps() []results.Step {
	return []results.Step{{
		ID: "s1", Line: 7, Column: 5, Tool: "script", Summary: "script main.py 2026/03", Status: results.StepPassed, ActedBy: "script",
		Timing: results.Timing{ActMS: 210, TotalMS: 214},
		Script: &results.Script{
			File: "main.py", Args: []string{"2026/03"}, Stdout: "6 unpaid, total 11879.90 PLN\n",
			Files:      []results.ScriptFile{{Name: "unpaid.txt", Size: 126, SHA256: "ab", Artifact: "artifacts/unpaid-invoices/1/s1-1-unpaid.txt"}},
			Calls:      []results.ScriptCalls{{Name: "find", Count: 1}, {Name: "read", Count: 40}},
			DurationMS: 180, CPUMS: 90, MemoryBytes: 31 << 20, Sandbox: results.ScriptSandbox{Mode: "bwrap", UID: 65534, Seccomp: true},
		},
		Postcondition: &results.PostconditionResult{
			Kind: "output_contains", Value: "6 unpaid", Met: true, Checked: true, Means: results.MeansScript, Looks: 1,
		},
		Artifacts: []results.Artifact{artifact(results.KindScriptFile, "artifacts/unpaid-invoices/1/s1-1-unpaid.txt")},
	}}
}

// FailedScriptSteps are a script that has not, and a step after it.
func FailedScriptSteps(screenshot string) []results.Step {
	const reason = "script main.py failed: ValueError: no amount in <f007> (exit code 1)"
	return []results.Step{{
		ID: "s1", Line: 7, Column: 5, Tool: "script", Summary: "script main.py", Status: results.StepFailed, ActedBy: "script",
		Timing: results.Timing{ActMS: 120, TotalMS: 340},
		Script: &results.Script{
			File: "main.py", ExitCode: 1, Error: "ValueError: no amount in <f007>",
			Traceback: "Traceback (most recent call last):\n  File \"/code/main.py\", line 2, in <module>\n    amount(text)\nValueError: no amount in <f007>\n",
			Stdout:    "reading\n", Stderr: "ValueError: no amount in <f007>\n",
			Calls: []results.ScriptCalls{{Name: "read", Count: 7, Failed: 1}},
			Attempts: []results.ScriptAttempt{
				{Event: "open", Target: "/etc/passwd", Outcome: "refused", Errno: "ENOENT", Place: "main.py:1", Times: 3},
				{Event: "subprocess.Popen", Target: "/usr/bin/ls", Outcome: "allowed", Place: "main.py:4", Times: 1},
			},
			DurationMS: 110, CPUMS: 40, Sandbox: results.ScriptSandbox{Mode: "bwrap", UID: 1000},
		},
		Failure: &results.Failure{
			Kind: results.ScriptFailed, Reason: reason, Probes: Probes(true),
			SelfHeal: &results.SelfHeal{FailedStep: []byte(`{"id":"s1","tool":"script"}`), Reason: reason, Screenshot: screenshot},
		},
		Artifacts: []results.Artifact{artifact("screenshot", screenshot)},
	}, {
		ID: "s2", Index: 1, Line: 9, Column: 5, Tool: "wait", Summary: "wait", Status: results.StepBlocked, BlockedBy: "s1",
	}}
}
