// Package check evaluates postconditions. Each kind is a row of one table;
// waiting for a condition to hold is the runner's.
package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/script"
)

// Checker evaluates postconditions on one desktop.
type Checker struct {
	Desktop desktop.Desktop
	// Reader reads text from pixels; it is asked at a deadline only.
	Reader TextReader

	focusedAt time.Time // when a window was last seen to have the focus
}

// focusPasses is how long the focus may be nowhere on its way from one window to
// another: an application whose tree is asked meanwhile is closing a dialog, and
// holds up who asks it.
const focusPasses = 250 * time.Millisecond

// Observation is one look at a postcondition.
type Observation struct {
	Met   bool
	Means results.Means
	// Observed says in words what was seen instead ("window title is 'x'").
	Observed string
	// Early says that the focus was on its way, so that not everything was looked
	// at: to be sure, a Thorough condition has to be looked at.
	Early bool
	// Found and Miss are the lookup of element_exists.
	Found *resolve.Found
	Miss  *resolve.Miss
}

// Condition is a postcondition with the application in which it is to hold.
type Condition struct {
	program.Postcondition
	// App is the app of the step's target, "" for the whole desktop.
	App string
	// Thorough looks at everything, whatever it costs.
	Thorough bool
	// Script is what the step's script has left, nil where none has run yet.
	Script *script.Outcome
}

// Of is the step's condition.
func Of(s program.Step) Condition {
	c := Condition{Postcondition: *s.Postcondition}
	if s.Target != nil {
		c.App = s.Target.App
	}
	if c.Element != nil {
		element := *c.Element
		if element.App == "" {
			element.App = c.App
		}
		c.Element = &element
		c.App = element.App
	}
	return c
}

var kinds = map[program.Kind]func(*Checker, context.Context, Condition) (Observation, error){
	program.AppFrontmost:        (*Checker).appFrontmost,
	program.WindowTitleContains: (*Checker).windowTitleContains,
	program.ElementExists:       (*Checker).elementExists,
	program.TextVisible:         (*Checker).textVisible,
	program.ExitCode:            (*Checker).exitCode,
	program.OutputContains:      (*Checker).outputContains,
	program.OutputMatches:       (*Checker).outputMatches,
	program.FileContains:        (*Checker).fileContains,
}

// Look evaluates the condition once, without OCR.
func (c *Checker) Look(ctx context.Context, cond Condition) (Observation, error) {
	evaluate, ok := kinds[cond.Kind]
	if !ok {
		return Observation{}, fmt.Errorf("postcondition kind %q cannot be evaluated", cond.Kind)
	}
	return evaluate(c, ctx, cond)
}

func (c *Checker) appFrontmost(ctx context.Context, cond Condition) (Observation, error) {
	w, err := c.Desktop.FocusedWindow(ctx)
	switch {
	case err != nil:
		return Observation{}, err
	case w == nil:
		return Observation{Observed: "no window has the focus"}, nil
	case w.App.Matches(cond.Value):
		return Observation{Met: true, Means: results.MeansWindow}, nil
	}
	return Observation{Observed: fmt.Sprintf("frontmost app is '%s'", fold.Space(w.App.Display()))}, nil
}

func (c *Checker) windowTitleContains(ctx context.Context, cond Condition) (Observation, error) {
	w, err := c.Desktop.FocusedWindow(ctx)
	if err != nil {
		return Observation{}, err
	}
	if w != nil {
		c.focusedAt = time.Now()
	}
	switch {
	case w != nil && strings.TrimSpace(w.Title) != "":
		return titled(w.Title, cond.Value, "window title"), nil
	case w == nil && !cond.Thorough && time.Since(c.focusedAt) < focusPasses:
		return Observation{Early: true, Observed: noTitle}, nil
	}
	// The window has no title of its own: its name in the tree has to do.
	app := cond.App
	if w != nil {
		app = w.App.Display()
	}
	name, err := c.activeWindowName(ctx, app)
	if err != nil || name == "" {
		return Observation{Observed: noTitle}, err
	}
	return titled(name, cond.Value, "window name"), nil
}

const noTitle = "no window has the focus and a title"

// titled checks a title. Whether the window itself has it already or its name
// in the tree is a matter of the moment, so that the means are the same.
func titled(title, part, what string) Observation {
	if strings.Contains(fold.Text(title), fold.Text(part)) {
		return Observation{Met: true, Means: results.MeansWindow}
	}
	return Observation{Observed: fmt.Sprintf("%s is '%s'", what, fold.Space(title))}
}

func (c *Checker) activeWindowName(ctx context.Context, app string) (string, error) {
	snap, err := c.Desktop.Snapshot(ctx, app, 0)
	if err != nil {
		return "", err
	}
	for _, tree := range snap.Apps {
		for _, window := range tree.Root.Children {
			if window.States.Has(desktop.Active) {
				return window.Name, nil
			}
		}
	}
	return "", nil
}

func (c *Checker) elementExists(ctx context.Context, cond Condition) (Observation, error) {
	found, miss, err := resolve.Finder{Desktop: c.Desktop}.Look(ctx, *cond.Element, resolve.ForExistence)
	if err != nil {
		return Observation{}, err
	}
	if found != nil {
		return Observation{Met: true, Means: found.Means, Found: found}, nil
	}
	return Observation{Miss: miss, Observed: "no element matching " + cond.Element.String()}, nil
}

func (c *Checker) textVisible(ctx context.Context, cond Condition) (Observation, error) {
	snap, err := c.Desktop.Snapshot(ctx, cond.App, desktop.NeedText)
	if err != nil {
		return Observation{}, err
	}
	says, err := resolve.Finder{Desktop: c.Desktop}.Says(ctx, snap, fold.Text(cond.Value))
	if err != nil {
		return Observation{}, err
	}
	if says != nil {
		return Observation{Met: true, Means: results.MeansTree}, nil
	}
	return Observation{Observed: "no element shows that text"}, nil
}
