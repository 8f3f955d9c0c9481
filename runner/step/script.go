package step

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/pymodule"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/script"
)

// Scripts is what steps need that run saved code. The zero value runs none.
type Scripts struct {
	// Runner confines and runs it.
	Runner script.Runner
	// Code is the folder of the program's code as it was loaded, Archive the
	// project's folder, which scripts can read.
	Code, Archive string
	// Hidden are files and folders of the project that no script is to see.
	Hidden []string
	// Most is the most that a step may ask for.
	Most program.ScriptCaps
	// Called is told of every call of a tool that a script makes: the call as a
	// step, and what came of it. Nil is told of none.
	Called func(s program.Step, out Outcome, err error)
}

// limits are those of the step; what it asks for beyond the caps is refused.
func (sc Scripts) limits(s program.Step, scale float64) (script.Limits, error) {
	if over := sc.Most.Over(s); over != "" {
		return script.Limits{}, refused("the script %s", over)
	}
	limit := func(param string) float64 { return float64(sc.Most.Limit(s, param)) }
	return script.Limits{
		Time:      time.Duration(s.Number("timeout_ms") * scale * float64(time.Millisecond)),
		CPU:       time.Duration(limit("cpu_seconds") * max(scale, 1) * float64(time.Second)),
		Memory:    int64(limit("memory_mib")) << 20,
		Processes: int(limit("processes")),
		Disk:      int64(limit("disk_mib")) << 20,
	}, nil
}

// noCode is the reason of a step that has no code to run.
const noCode = "a script is part of a learned program, and there is none: run the program that it belongs to"

// runScript runs the step's script. Its exit code decides: it must be 0, or the
// one that the step's postcondition names.
func runScript(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	switch {
	case env.Scripts.Code == "":
		return refused("%s", noCode)
	case env.Scripts.Runner == nil:
		return unavailable(s, &script.UnavailableError{Reason: "nothing here can confine it"})
	}
	limits, err := env.Scripts.limits(s, env.Scale)
	if err != nil {
		return err
	}
	calls := newCalls(env, s)
	left, err := env.Scripts.Runner.Run(ctx, script.Job{
		Code: env.Scripts.Code, File: s.Text("file"), Args: s.List("args"),
		Archive: env.Scripts.Archive, Hidden: env.Scripts.Hidden,
		Modules: map[string][]byte{pymodule.Name: pymodule.Source()},
		Limits:  limits, Handle: calls.handle,
	})
	calls.end()
	var none *script.UnavailableError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &none):
		return unavailable(s, none)
	case err != nil:
		return &Error{Kind: results.InternalFault, Reason: fmt.Sprintf("the script %s could not be run: %v", s.Text("file"), err), Err: err}
	}
	out.ActedBy, out.Script, out.ScriptCalls = "script", &left, calls.counts()
	if err := judgeScript(s, &left, calls.fault); err != nil {
		return err
	}
	if left.Limit != "" {
		out.notef("the script ran into a limit: %s", cmp.Or(left.Advice, left.Limit))
	}
	return nil
}

// unavailable is the error of a script that nothing could confine: it was not
// run.
func unavailable(s program.Step, err *script.UnavailableError) *Error {
	e := &Error{Kind: results.SandboxUnavailable, Reason: fmt.Sprintf("script %s was not run: %s", s.Text("file"), err.Reason), Err: err}
	if err.Fix != "" {
		e.Details = []string{"to do: " + err.Fix}
	}
	return e
}

// judgeScript says why a script failed, nil for one that did not. fault is the
// part of the environment that one of its calls found broken.
func judgeScript(s program.Step, left *script.Outcome, fault *desktop.EnvironmentError) error {
	file := s.Text("file")
	e := &Error{}
	if fault != nil {
		e.Err = fault
	}
	wanted := 0
	if p := s.Postcondition; p != nil && p.Kind == program.ExitCode {
		wanted = p.Code
	}
	switch {
	case left.Limit == script.LimitTime:
		e.Kind = results.ScriptTimedOut
		e.Reason = fmt.Sprintf("script %s %s", file, cmp.Or(strings.TrimPrefix(left.Advice, "it "), "was ended: its time was up"))
		return e
	case left.ExitCode == wanted, left.ExitCode == 0: // the postcondition says that 0 is not wanted
		return nil
	case left.Limit != "":
		e.Kind = results.ScriptOverLimit
		e.Reason = fmt.Sprintf("script %s failed at its limit of %s: %s (%s)", file, left.Limit, cmp.Or(left.Error, left.Advice, lastLine(left.Stderr)), ended(left))
		return e
	}
	e.Kind = results.ScriptFailed
	e.Reason = fmt.Sprintf("script %s failed: %s", file, ended(left))
	if last := cmp.Or(left.Error, lastLine(left.Stderr)); last != "" {
		e.Reason = fmt.Sprintf("script %s failed: %s (%s)", file, last, ended(left))
	}
	return e
}

func ended(left *script.Outcome) string {
	if left.Signal != "" {
		return fmt.Sprintf("exit code %d, signal %s", left.ExitCode, left.Signal)
	}
	return fmt.Sprintf("exit code %d", left.ExitCode)
}

// lastLine is the last line that says anything.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
