package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/step"
)

// did is what --json prints of a step.
type did struct {
	// Status is passed, failed or broken.
	Status string `json:"status"`
	// Reason is why it did not pass.
	Reason  string `json:"reason,omitempty"`
	Summary string `json:"summary,omitempty"`
	Value   string `json:"value,omitempty"`
	// Apps are what app list lists, Position is where the pointer is.
	Apps     []step.ListedApp `json:"apps,omitzero"`
	Position *desktop.Point   `json:"position,omitempty"`
	// Notes say more, of a step that passed as well.
	Notes []string `json:"notes,omitempty"`
	// Log is the audit log.
	Log  string        `json:"log"`
	Step *results.Step `json:"step,omitempty"`
}

// tell says what came of a step, and gives the exit code.
func (at *place) tell(ctx context.Context, d *done, err error) error {
	if ctx.Err() != nil {
		return &exit{results.ExitInterrupted, errors.New("interrupted: the step may have been done")}
	}
	if err == nil && d != nil {
		err = d.unkept
	}
	if d == nil {
		return &exit{exitInternal, err}
	}
	code, out := d.verdict()
	out.Log = at.log
	if s := out.Step; at.options.run.isReal() && s != nil && s.Tool == "clipboard" && s.Action == "write" {
		out.Notes = append(out.Notes, "what was in the clipboard of a real display before is put back when the command ends")
	}
	if at.options.json {
		if printed := printJSON(at.st, out); printed != nil {
			return &exit{exitInternal, printed}
		}
	} else {
		at.print(out)
	}
	if err != nil {
		return &exit{exitInternal, err}
	}
	if code != 0 {
		return &exit{code: code}
	}
	return nil
}

// verdict is what came of a step, and its exit code.
func (d *done) verdict() (code int, out did) {
	out.Step = d.step
	for _, w := range d.warnings {
		out.Notes = append(out.Notes, "warning: "+w)
	}
	if s := d.step; s != nil {
		out.Status, out.Summary, out.Value, out.Notes = string(s.Status), s.Summary, s.Value, append(out.Notes, s.Notes...)
		for _, line := range s.Explain() {
			if line.Label != "repair" {
				out.Notes = append(out.Notes, line.Label+": "+line.Text)
			}
		}
		if s.Postcondition != nil && s.Postcondition.Vacuous {
			out.Notes = append(out.Notes, "what was expected held before the step already: it proves nothing")
		}
		if s.Failure != nil {
			out.Reason = s.Failure.Reason
		}
		out.read(s)
	}
	switch {
	case d.fault != nil:
		out.Status, out.Reason = string(results.StepBroken), d.fault.Reason
		for _, line := range d.fault.Explain() {
			out.Notes = append(out.Notes, line.Label+": "+line.Text)
		}
		return exitInternal, out
	case d.step == nil:
		out.Status, out.Reason = string(results.StepBroken), "the worker told nothing of the step"
		return exitInternal, out
	case d.step.Status == results.StepPassed:
		return 0, out
	case d.step.Status == results.StepFailed:
		return exitFailed, out
	}
	return exitInternal, out
}

// read takes what was read out of the value, where that is more than a text.
func (out *did) read(s *results.Step) {
	var into any
	switch {
	case s.Tool == "app" && s.Action == "list":
		into = &out.Apps
	case s.Tool == "mouse" && s.Action == "cursor_position":
		into = &out.Position
	default:
		return
	}
	if json.Unmarshal([]byte(out.Value), into) == nil {
		out.Value = ""
	}
}

// readsText says whether the step read a text, which may be an empty one.
func (out *did) readsText() bool {
	s := out.Step
	if s == nil || s.Status != results.StepPassed {
		return false
	}
	tool, known := tools.Lookup(s.Tool)
	if !known {
		return false
	}
	action, known := tool.Action(s.Action)
	return known && action.Script.Type == "str"
}

// print prints one line, and more of what did not pass.
func (at *place) print(out did) {
	line := said(out.Summary) + ": " + out.Status
	if out.Summary == "" {
		line = out.Status
	}
	if out.Reason != "" {
		line += ": " + said(out.Reason)
	}
	if out.Value != "" || out.readsText() {
		line += fmt.Sprintf(": %q", out.Value)
	}
	if p := out.Position; p != nil {
		line += fmt.Sprintf(": %d,%d", p.X, p.Y)
	}
	fmt.Fprintln(at.st.Stdout, line)
	printApps(at.st.Stdout, out.Apps)
	for _, note := range out.Notes {
		fmt.Fprintf(at.st.Stdout, "  %s\n", said(note))
	}
}

// printApps prints applications with their windows.
func printApps(w io.Writer, apps []step.ListedApp) {
	if apps != nil && len(apps) == 0 {
		fmt.Fprintln(w, "  no app runs")
	}
	for _, app := range apps {
		fmt.Fprintf(w, "  %s", said(app.Name))
		if app.PID != 0 {
			fmt.Fprintf(w, " (process %d)", app.PID)
		}
		fmt.Fprintln(w)
		for _, window := range app.Windows {
			b, focus := window.Bounds, ""
			if window.Focused {
				focus = ", has the focus"
			}
			fmt.Fprintf(w, "    window '%s' (%d,%d, size %dx%d%s)\n", said(window.Title), b.X, b.Y, b.Width, b.Height, focus)
		}
	}
}
