package step

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/wait"
)

// Timeouts of app actions, before scaling. They bound what hangs; what works
// returns as soon as it does. An app whose start hangs in a D-Bus call goes on
// after that call's 25 s, and on a starved machine a start takes ten seconds.
const (
	openTimeout  = 30 * time.Second
	closeTimeout = 5 * time.Second
	focusTimeout = 5 * time.Second
)

func appOpen(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	return env.open(ctx, s.Text("name"), out)
}

func (env *Env) open(ctx context.Context, name string, out *Outcome) error {
	launch := desktop.Launch{Name: name, Timeout: env.scaled(openTimeout)}
	if env.Command != nil {
		launch.Command = env.Command(name)
	}
	opened, err := env.Desktop.OpenApp(ctx, launch)
	if err != nil {
		return appError(err)
	}
	out.ActedBy = "app"
	switch {
	case opened.Command == nil:
		out.notef("'%s' was running already", name)
	case !opened.HasTree:
		out.notef("'%s' publishes no accessibility tree: only its window's title and OCR can be checked", name)
	}
	return nil
}

func appClose(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	out.ActedBy = "app"
	name := s.Text("name")
	closed, err := env.Desktop.CloseApp(ctx, name, env.scaled(closeTimeout))
	if err != nil {
		return appError(err)
	}
	if len(closed.Forced) > 0 {
		out.notef("'%s' had to be ended by a signal: %s", name, closed.Why)
	}
	return nil
}

func appFocus(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	name := s.Text("name")
	out.ActedBy = "app"
	err := env.focusApp(ctx, name)
	var notRunning *desktop.AppNotRunningError
	if env.Virtual && errors.As(err, &notRunning) {
		out.notef("'%s' was not running: opened it, since the display is a virtual one", name)
		return env.open(ctx, name, out)
	}
	return appError(err)
}

// focusApp brings the app to the front. One that has no window yet, or no more
// and will have one again, is waited for.
func (env *Env) focusApp(ctx context.Context, name string) error {
	timeout := env.scaled(focusTimeout)
	var missing *desktop.NoWindowError
	_, _, err := wait.Until(ctx, env.Desktop.Changes(), timeout, func(ctx context.Context) (bool, error) {
		err := env.Desktop.FocusApp(ctx, name, timeout)
		if errors.As(err, &missing) {
			return false, nil
		}
		missing = nil
		return true, err
	})
	if err == nil && missing != nil {
		missing.After = timeout
		return missing
	}
	return err
}

// appError gives the desktop's errors about applications their kind.
func appError(err error) error {
	if err == nil {
		return nil
	}
	var (
		notFound   *desktop.AppNotFoundError
		notRunning *desktop.AppNotRunningError
		died       *desktop.AppDiedError
		noWindow   *desktop.NoWindowError
		noTree     *desktop.NoTreeError
		hung       *desktop.HungError
	)
	e := &Error{Reason: err.Error(), Err: err}
	switch {
	case errors.As(err, &notFound), errors.As(err, &notRunning):
		e.Kind = results.AppNotFound
	case errors.As(err, &died):
		e.Kind = results.AppDied
		e.Evidence = died.Facts.Lines()
	case errors.As(err, &noWindow):
		e.Kind = results.AppNotOpened
		e.Evidence = noWindow.Facts.Lines()
	case errors.As(err, &noTree):
		e.Kind = results.AppNoTree
	case errors.As(err, &hung):
		e.Kind = results.AppHung
	default:
		return err
	}
	return e
}

// focus makes sure that keys go to the app: its window must have the focus
// before anything is typed.
func (env *Env) focus(ctx context.Context, app string) error {
	if app == "" {
		return nil
	}
	w, err := env.Desktop.FocusedWindow(ctx)
	if err != nil {
		return err
	}
	if w != nil && w.App.Matches(app) {
		return nil
	}
	if err := env.focusApp(ctx, app); err != nil {
		if e := appError(err); e != err { //nolint:errorlint // identity tells a wrapped one
			return e
		}
		return err
	}
	return nil
}

func refused(format string, args ...any) *Error {
	return &Error{Kind: results.ActionRefused, Reason: "action refused: " + fmt.Sprintf(format, args...)}
}
