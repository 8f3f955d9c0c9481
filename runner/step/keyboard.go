package step

import (
	"context"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/wait"
)

// aim brings the keyboard focus to the step's target: to the element where it
// names one, to the app's window where it names only an app.
func (env *Env) aim(ctx context.Context, s program.Step, out *Outcome) error {
	if err := env.focus(ctx, s.App()); err != nil {
		return err
	}
	if s.Target == nil {
		w, err := env.Desktop.FocusedWindow(ctx)
		if err == nil && w == nil {
			out.Weak = append(out.Weak, "no window had the focus: the keys may have gone nowhere")
		}
		if err != nil || w == nil {
			return err
		}
	}
	if !s.NamesElement() {
		return env.awaitFocus(ctx, s)
	}
	found, err := env.find(ctx, s, resolve.ForPointer, out)
	if err != nil {
		return err
	}
	active, err := env.activate(ctx, found.Element)
	if err != nil {
		return err
	}
	if active && found.Element.States.Has(desktop.Focused) {
		return nil
	}
	return env.takeFocus(ctx, found.Element, out)
}

// inFocusTime bounds the wait for anything in a window to have the focus.
const inFocusTime = 3 * time.Second

// awaitFocus waits until something in the focused window has the keyboard
// focus: a window that has just appeared may drop keys until then. Of an
// application without a tree, or whose tree says so of nothing, it is not
// known, which is found out once.
func (env *Env) awaitFocus(ctx context.Context, s program.Step) error {
	if len(env.focusless) == 0 { // or the answer may be known, and costs a whole tree
		has, err := env.Desktop.HasFocusedElement(ctx)
		if environmental(err) {
			return err
		}
		if has || err != nil {
			return nil
		}
	}
	w, err := env.Desktop.FocusedWindow(ctx)
	if err != nil || w == nil || env.focusless[w.App.PID] {
		return err
	}
	asked := false
	held, _, err := wait.Until(ctx, env.Desktop.Changes(), env.scaled(min(s.ResolveTimeout, inFocusTime)), func(ctx context.Context) (bool, error) {
		has, err := env.Desktop.HasFocusedElement(ctx)
		if environmental(err) {
			return false, err
		}
		if has || err != nil || asked {
			return has || err != nil, nil
		}
		asked = true
		state, err := env.Desktop.AppState(ctx, w.App.Display())
		if environmental(err) {
			return false, err
		}
		return err != nil || !state.HasTree, nil
	})
	if err == nil && !held && w.App.PID != 0 {
		if env.focusless == nil {
			env.focusless = map[int]bool{}
		}
		env.focusless[w.App.PID] = true
	}
	return err
}

// activate brings the element's window to the front. active says that it was
// there before: an element of another one may well say that it has the focus,
// and no key goes to it.
func (env *Env) activate(ctx context.Context, e *desktop.Element) (active bool, err error) {
	top := e.Window
	if top == nil || e.App == nil {
		return false, nil
	}
	if top != e {
		if err := env.Desktop.Fill(ctx, []*desktop.Element{top}, desktop.NeedBounds); err != nil {
			return false, err
		}
	}
	windows, err := env.Desktop.Windows(ctx)
	if err != nil {
		return false, err
	}
	own := windowOf(windows, e)
	if own == nil {
		return top.States.Has(desktop.Active), nil
	}
	if own.Focused || own.Override {
		return own.Focused, nil
	}
	if err := env.Desktop.Raise(ctx, *own); environmental(err) {
		return false, err
	}
	return false, nil
}

// focusGrace is how long an element may take to say that it has the focus.
const focusGrace = 500 * time.Millisecond

// takeFocus asks the element to take the focus and clicks it where it cannot.
func (env *Env) takeFocus(ctx context.Context, e *desktop.Element, out *Outcome) error {
	err := env.Desktop.SetFocus(ctx, e)
	if err == nil {
		held, _, err := wait.Until(ctx, env.Desktop.Changes(), focusGrace, func(ctx context.Context) (bool, error) {
			at, err := env.Desktop.FocusedElement(ctx, 0)
			return at != nil && at.App != nil && e.App != nil && at.App.PID == e.App.PID &&
				(at.Ref == e.Ref || strings.HasPrefix(at.Ref, e.Ref+"/")), err
		})
		if held || err != nil {
			return err
		}
	} else if environmental(err) {
		return err
	}
	out.notef("the element did not take the focus by itself: clicked it")
	return env.clickAt(ctx, e, desktop.Left, 1)
}

func uiType(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	return env.typeText(ctx, s, out)
}

func keyboardType(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	return env.typeText(ctx, s, out)
}

// chord presses a key, by the names that programs have for keys.
func (env *Env) chord(ctx context.Context, s program.Step, out *Outcome, key string, modifiers []string) error {
	syms, err := keysyms(key, modifiers)
	if err != nil {
		return err
	}
	if err := env.aim(ctx, s, out); err != nil {
		return err
	}
	out.ActedBy = "keyboard"
	return env.Desktop.Chord(ctx, syms[0], syms[1:]...)
}

// keysyms translates the names of a key and its modifiers, in this order.
// Modifiers that X does not have are left out.
func keysyms(key string, modifiers []string) ([]string, error) {
	named, err := tools.ParseKey(key)
	if err != nil {
		return nil, refused("%v", err)
	}
	if named.Keysym == "" {
		return nil, refused("there is no key %s on this display", key)
	}
	syms := []string{named.Keysym}
	for _, name := range modifiers {
		m, err := tools.ParseKey(name)
		if err != nil {
			return nil, refused("%v", err)
		}
		if m.Keysym != "" {
			syms = append(syms, m.Keysym)
		}
	}
	return syms, nil
}

func uiPressKey(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	return env.chord(ctx, s, out, s.Text("key"), s.List("modifiers"))
}

func keyboardPress(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	return env.chord(ctx, s, out, s.Text("key"), nil)
}

func keyboardHotkey(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	keys := s.List("keys")
	last := len(keys) - 1
	return env.chord(ctx, s, out, keys[last], keys[:last])
}

func keyboardHold(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	syms, err := keysyms(s.Text("key"), nil)
	if err != nil {
		return err
	}
	if err := env.aim(ctx, s, out); err != nil {
		return err
	}
	out.ActedBy = "keyboard"
	return env.Desktop.Hold(ctx, syms[0], seconds(s.Number("hold_duration")))
}

func pause(ctx context.Context, _ *Env, s program.Step, _ *Outcome) error {
	return wait.Pause(ctx, s.Pause())
}
