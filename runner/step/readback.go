package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/wait"
)

const (
	// readQuiet is how long a field's text must stay as it is before it is
	// taken to be all that comes.
	readQuiet = 500 * time.Millisecond
	// mistypedQuiet is the same before something is taken to be mistyped.
	mistypedQuiet = 2 * time.Second
	// readLimit bounds the whole of it.
	readLimit = 30 * time.Second
)

// field is the text field that is typed into.
type field struct {
	element *desktop.Element
	before  string
}

// fieldToRead is the focused element where what it says of its text can be
// relied on, nil elsewhere: one of the toolkits' own fields for text, none that
// is secret. Documents, terminals, cells and web pages do with keys what they
// like.
func (env *Env) fieldToRead(ctx context.Context, out *Outcome) (*field, error) {
	e, err := env.Desktop.FocusedElement(ctx, desktop.NeedText)
	for at := e; err == nil && at != nil; at = at.Parent {
		if at.Role == "entry" && at.States.Has(desktop.Focused) && at != e {
			e = at // e is a part of it: the viewport of an editor in Qt
			err = env.Desktop.Fill(ctx, []*desktop.Element{e}, desktop.NeedText)
			break
		}
	}
	out.Secret = err == nil && e != nil && e.States.Has(desktop.Password)
	switch {
	case environmental(err):
		return nil, err
	case err != nil || e == nil || e.Gone:
		return nil, nil // the app's trouble shows in the postcondition
	case e.Role != "entry" || !e.States.Has(desktop.Editable) || e.States.Has(desktop.Password):
		return nil, nil
	case len(e.Text) >= desktop.MaxText/2 || e.Value != "":
		return nil, nil
	case e.App == nil || slices.Contains([]desktop.Toolkit{desktop.Chromium, desktop.LibreOffice}, e.App.Toolkit):
		return nil, nil
	}
	return &field{element: e, before: e.Text}, nil
}

// readBack waits for the typed text to be in the field, and fails where the
// field then shows that it was mistyped (see judge). A field that does not
// answer any more says nothing.
func (env *Env) readBack(ctx context.Context, f *field, typed string, out *Outcome) ([]fault, error) {
	start := time.Now()
	last, since := f.before, start
	var seen arrival
	var faults []fault
	held, _, err := wait.Until(ctx, env.Desktop.Changes(), env.scaled(readLimit), func(ctx context.Context) (bool, error) {
		err := env.Desktop.Fill(ctx, []*desktop.Element{f.element}, desktop.NeedText)
		if environmental(err) {
			return false, err
		}
		if err != nil || f.element.Gone || len(f.element.Text) >= desktop.MaxText {
			seen, faults = partly, nil
			return true, nil
		}
		if text := f.element.Text; text != last {
			last, since = text, time.Now()
		} else if since != start && time.Since(since) < env.scaled(readQuiet) {
			return false, nil // judged already
		}
		seen, faults = judge(f.before, last, typed)
		quiet := time.Since(since)
		switch seen {
		case partly:
			return quiet >= env.scaled(readQuiet), nil
		case mistyped:
			return quiet >= env.scaled(mistypedQuiet), nil
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case held && seen == mistyped:
		return faults, nil
	case seen == reshaped:
		out.notef("the application changed the text that was typed, and lost nothing of it")
	case seen == partly && last != f.before:
		out.notef("the field holds only a part of the text that was typed")
	}
	return nil, nil
}

// maxFaults is how many faults a failure lists.
const maxFaults = 5

// mistypedError is the failure of a step whose text was mistyped. What is
// secret is not said: characters are named only where the program's file has
// them.
func mistypedError(s program.Step, typed string, faults []fault) *Error {
	e := &Error{Kind: results.TextMistyped}
	e.Reason = fmt.Sprintf("text mistyped: %d of %d characters differ in the field", len(faults), len(plainRunes(typed)))
	open := inFile(s, typed)
	for i, f := range faults {
		switch {
		case i == maxFaults:
			e.Details = append(e.Details, fmt.Sprintf("and %d more", len(faults)-i))
			return e
		case open:
			e.Details = append(e.Details, f.String())
		case f.got == 0:
			e.Details = append(e.Details, fmt.Sprintf("character %d is missing", f.at+1))
		default:
			e.Details = append(e.Details, fmt.Sprintf("character %d is another one", f.at+1))
		}
	}
	return e
}

// inFile reports whether the step's file has the text as it was typed, and not
// the name of a variable.
func inFile(s program.Step, typed string) bool {
	var raw struct {
		Params map[string]any `json:"params"`
	}
	if json.Unmarshal(s.Raw, &raw) != nil {
		return false
	}
	text, _ := raw.Params["text"].(string)
	return text == typed
}

// typeText types the step's text where it aims at, and reads it back.
func (env *Env) typeText(ctx context.Context, s program.Step, out *Outcome) error {
	if err := env.aim(ctx, s, out); err != nil {
		return err
	}
	f, err := env.fieldToRead(ctx, out)
	if err != nil {
		return err
	}
	typed := s.Text("text")
	out.ActedBy = "keyboard"
	if err := env.Desktop.Type(ctx, typed); err != nil {
		return err
	}
	if f == nil || strings.TrimSpace(typed) == "" {
		return nil
	}
	faults, err := env.readBack(ctx, f, typed, out)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return mistypedError(s, typed, faults)
	}
	return nil
}

func environmental(err error) bool {
	var broken *desktop.EnvironmentError
	return errors.As(err, &broken) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
