// Package step performs the action of one step: every action of the table in
// program/tools has a row here. Looking at what the action brought about is
// not its business (see runner/check).
package step

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/script"
)

// Env is what actions work with.
type Env struct {
	Desktop desktop.Desktop
	// Command gives the project's command for an app name, nil for none.
	Command func(name string) []string
	// Virtual displays open an app that is to be focused and does not run.
	Virtual bool
	// Scale multiplies every timeout.
	Scale float64
	// Watched says that somebody looks at what single steps give: reads that
	// have no meaning in a run tell what they read.
	Watched bool

	// Scripts is what steps need that run saved code.
	Scripts Scripts

	focusless map[int]bool // processes in whose windows nothing has the focus
	// perform is Perform, for what scripts call.
	perform func(context.Context, *Env, program.Step) (Outcome, error)
}

// Outcome is what an action did.
type Outcome struct {
	// ActedBy is "native", "pointer", "keyboard", "clipboard", "app" or "".
	ActedBy string
	// Found is how the target was found, nil where none was looked up.
	Found *resolve.Found
	// Value is what a read gave.
	Value string
	// Notes are remarks for the result.
	Notes []string
	// Weak says in words by what weaker means the action was served than it
	// should.
	Weak []string
	// Secret says that text was typed into a field that hides it.
	Secret bool
	// Script is what a script did and left, nil where none ran, and ScriptCalls
	// what it called.
	Script      *script.Outcome
	ScriptCalls []results.ScriptCalls
	// Resolve is the part of the time that went into finding the target.
	Resolve time.Duration
}

func (o *Outcome) notef(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// Error is an action that could not be done, for a reason that is the
// program's or the app's unless the environment turns out to be broken.
type Error struct {
	Kind results.FailureKind
	// Reason is the first line, in the format's wording.
	Reason  string
	Details []string
	// Evidence is what the system knows of the app.
	Evidence []string
	// Miss and Target are set where a target was not found.
	Miss   *resolve.Miss
	Target program.Target
	Err    error
}

func (e *Error) Error() string { return e.Reason }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// action is the code behind one row of the table of tools.
type action func(context.Context, *Env, program.Step, *Outcome) error

// actions has one row for every tool and action of program/tools; a test
// holds the two together.
var actions = map[string]map[string]action{
	"ui": {
		"click":      uiClick,
		"click_menu": uiClickMenu,
		"type":       uiType,
		"press_key":  uiPressKey,
		"get_value":  uiGetValue,
		"get_tree":   nothing,
	},
	"keyboard": {
		"type":   keyboardType,
		"press":  keyboardPress,
		"hotkey": keyboardHotkey,
		"hold":   keyboardHold,
	},
	"app": {
		"open":  appOpen,
		"close": appClose,
		"focus": appFocus,
		"list":  appList,
	},
	"mouse": {
		"move":            mouseMove,
		"click":           mouseClick(desktop.Left, 1),
		"double_click":    mouseClick(desktop.Left, 2),
		"triple_click":    mouseClick(desktop.Left, 3),
		"right_click":     mouseClick(desktop.Right, 1),
		"middle_click":    mouseClick(desktop.Middle, 1),
		"left_down":       mouseDown,
		"left_up":         mouseUp,
		"scroll":          mouseScroll,
		"drag":            mouseDrag,
		"cursor_position": mousePosition,
	},
	"clipboard": {
		"write": clipboardWrite,
		"read":  clipboardRead,
	},
	"script": {"": runScript},
	"wait":   {"": pause},
}

// Perform does the step's action. The error is an *Error, or the desktop's own
// (a *desktop.EnvironmentError says that the environment is broken).
func Perform(ctx context.Context, env *Env, s program.Step) (Outcome, error) {
	var out Outcome
	do, ok := actions[s.Tool][s.Action]
	if !ok {
		return out, &Error{Kind: results.InternalFault, Reason: fmt.Sprintf("tool %s has no action %q", s.Tool, s.Action)}
	}
	env.perform = Perform
	env, err := env.inWindow(ctx, s)
	if err != nil {
		return out, actionError(ctx, err)
	}
	if s.Number("window_index") > 1 && s.App() == "" {
		out.notef("window_index has no meaning without an app")
	}
	return out, actionError(ctx, do(ctx, env, s, &out))
}

// actionError makes what the desktop could not do, without the environment
// being at fault, a refused action.
func actionError(ctx context.Context, err error) error {
	var (
		known       *Error
		environment *desktop.EnvironmentError
		hung        *desktop.HungError
		gone        *desktop.GoneError
		none        *desktop.NoActionError
	)
	switch {
	case err == nil, ctx.Err() != nil,
		errors.As(err, &known), errors.As(err, &environment), // it stays as it is
		errors.As(err, &hung), errors.As(err, &gone), errors.As(err, &none):
		return err
	}
	e := refused("%v", err)
	e.Err = err
	return e
}

// nothing is the action of a read that something else is for.
func nothing(context.Context, *Env, program.Step, *Outcome) error { return nil }

func (env *Env) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * env.Scale)
}

// find waits for the step's target in the state that use asks for.
func (env *Env) find(ctx context.Context, s program.Step, use resolve.Use, out *Outcome) (*resolve.Found, error) {
	return env.findTarget(ctx, *s.Target, env.scaled(s.ResolveTimeout), use, out)
}

func (env *Env) findTarget(ctx context.Context, t program.Target, timeout time.Duration,
	use resolve.Use, out *Outcome) (*resolve.Found, error) {
	start := time.Now()
	found, miss, err := resolve.Finder{Desktop: env.Desktop}.Wait(ctx, t, use, timeout)
	out.Resolve += time.Since(start)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, notFound(t, timeout, miss)
	}
	out.Found = found
	return found, nil
}

func notFound(t program.Target, timeout time.Duration, miss *resolve.Miss) *Error {
	return &Error{
		Kind:   results.TargetNotFound,
		Reason: fmt.Sprintf("target not found after %d ms: no element matching %s", timeout.Milliseconds(), t),
		Miss:   miss, Target: t,
	}
}
