package runner

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/step"
)

// script puts what a script did and left into the step's result, its files
// among it.
func (r *run) script(result *results.Step, s program.Step, out step.Outcome) {
	left := out.Script
	if left == nil {
		return
	}
	shown := &results.Script{
		File: s.Text("file"), Args: s.List("args"),
		ExitCode: left.ExitCode, Signal: left.Signal, Error: left.Error, Traceback: left.Traceback,
		Limit: left.Limit, Advice: left.Advice,
		Stdout: left.Stdout, StdoutCut: left.StdoutCut, Stderr: left.Stderr, StderrCut: left.StderrCut,
		FilesLeft: left.FilesLeft, Calls: out.ScriptCalls, AttemptsLeft: left.AuditLeft,
		DurationMS: left.Took.Milliseconds(), CPUMS: left.CPU.Milliseconds(), MemoryBytes: left.MemoryPeak,
		Sandbox: results.ScriptSandbox{Mode: left.Sandbox.Mode, UID: left.Sandbox.UID, Seccomp: left.Sandbox.Seccomp},
	}
	if r.Secrets != nil {
		shown.Stdout = wholeSecrets(shown.Stdout, left.StdoutCut)
		shown.Stderr = wholeSecrets(shown.Stderr, left.StderrCut)
	}
	for _, l := range left.Sandbox.Limits {
		shown.Sandbox.Limits = append(shown.Sandbox.Limits, results.Limit{Name: l.Name, Max: l.Max, By: l.By})
	}
	for _, a := range left.Audit {
		shown.Attempts = append(shown.Attempts, results.ScriptAttempt{
			Event: a.Event, Target: a.Target, Outcome: a.Outcome, Errno: a.Errno, Place: a.Place, Times: a.Times,
		})
	}
	if left.StdoutCut > 0 || left.OutputLost > 0 {
		r.save(result, results.KindScriptOutput, fileName(*result)+"-stdout.txt", mediaTypeOf(left.Output), left.Output)
	}
	for i, f := range left.Files {
		saved := r.save(result, results.KindScriptFile, fmt.Sprintf("%s-%d-%s", fileName(*result), i+1, plainName(f.Name)), mediaTypeOf(f.Data), f.Data)
		shown.Files = append(shown.Files, results.ScriptFile{Name: f.Name, Size: f.Size, SHA256: f.SHA256, Artifact: saved})
	}
	result.Script = shown
}

// wholeSecrets is a text out of whose middle something was cut, without what
// comes after: it may begin with the end of a secret that nobody would know. The
// beginning of one before the cut is masked, since an ellipsis follows.
func wholeSecrets(text string, cut int64) string {
	if cut == 0 {
		return text
	}
	runes := []rune(text)
	return string(runes[:len(runes)/2]) + "… the rest is not shown, since the program has secrets"
}

// mediaTypeOf tells text from everything else.
func mediaTypeOf(data []byte) string {
	if utf8.Valid(data) && !bytes.ContainsRune(data, 0) {
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// plainName is the last part of a file's name where that is plain enough for
// every system, else "file".
func plainName(name string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	if base := path.Base(name); len(base) <= 64 && strings.Trim(base, plain) == "" {
		return base
	}
	return "file"
}
