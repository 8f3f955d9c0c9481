package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
)

// sessionSource says of a program that it was made out of a session's log.
const sessionSource = "session"

// ErrNothingToRepeat says that a log holds no action that can be done again.
var ErrNothingToRepeat = errors.New("nothing that was done can be done again: the log holds reads, failures, or no actions at all")

// SaveSession writes a program for the task out of a session's log: every action
// that acted and did not fail is a step. A task without a procedure gets a basic
// one. The errors are those of Compile, and ErrNothingToRepeat.
func SaveSession(ctx context.Context, t Task, title, description string, log []results.AuditEntry, overwrite bool, by Author) (*Saved, error) {
	steps, notes := compileSession(log)
	if len(steps) == 0 {
		return nil, ErrNothingToRepeat
	}
	return save(ctx, t, program.Header{Name: title, Source: sessionSource, Description: description}, steps, notes, overwrite, by)
}

// compiler makes steps out of entries, one after the other.
type compiler struct {
	steps  []draft
	notes  []string
	hidden int
	// checkable says that a postcondition that follows is that of the last step.
	checkable bool
}

func compileSession(log []results.AuditEntry) ([]draft, []string) {
	var c compiler
	for _, e := range log {
		c.add(e)
	}
	return c.steps, c.notes
}

func (c *compiler) notef(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

func (c *compiler) add(e results.AuditEntry) {
	if e.Action == audit.Checked {
		c.check(e)
		return
	}
	tool, action := call(e)
	if action == nil {
		return // a screenshot, or a reading of the screen: also by a check
	}
	c.checkable = false
	if e.Error != "" || action.Effect == tools.Reads {
		return
	}
	if len(e.ReplayParams) == 0 {
		c.notef("%s (%s) has no replay_params: it is left out", e.ID, e.Action)
		return
	}
	step := c.step(tool, action, e)
	if c.loads(e, step) {
		c.steps = append(c.steps, step)
		c.checkable = true
	}
}

// loads says whether a program may have the step, and notes why not.
func (c *compiler) loads(e results.AuditEntry, s draft) bool {
	err := s.fault()
	if err != nil {
		c.notef("%s (%s) makes no valid step, and is left out: %v", e.ID, e.Action, err)
	}
	return err == nil
}

// call finds what was done in the table of tools; nil for what is not in it,
// such as a screenshot.
func call(e results.AuditEntry) (*tools.Tool, *tools.Action) {
	name, action, ok := audit.Call(e.Action, e.ReplayParams)
	if !ok {
		return nil, nil
	}
	tool, ok := tools.Lookup(name)
	if !ok {
		return nil, nil
	}
	found, _ := tool.Action(action)
	return tool, found
}

// step is the step of one entry.
func (c *compiler) step(tool *tools.Tool, action *tools.Action, e results.AuditEntry) draft {
	s := draft{Tool: tool.Name, Params: map[string]any{"action": action.Name}}
	var target draftTarget
	for name, value := range e.ReplayParams {
		if text, ok := value.(string); ok && target.set(name, text) {
			continue
		}
		if p, ok := action.Param(name); ok && p.TargetField == "" && p.Ignored == "" && says(p, value) {
			s.Params[name] = value
		}
	}
	if s.Params["text"] == audit.Mask {
		c.hidden++
		name := fmt.Sprintf("HIDDEN_TEXT_%d", c.hidden)
		s.Params["text"] = program.Reference(name)
		s.Note = "What was typed here was hidden: the variable " + name + " has to hold it."
		c.notef("s%d: what was typed was hidden: set %s to it before the program runs", len(c.steps)+1, name)
	}
	if name, ok := s.Params["name"].(string); ok && tool.Name == "app" && action.Name != "close" {
		target.App = name
		s.Postcondition = map[string]any{"kind": string(program.AppFrontmost), "value": name}
	}
	if target != (draftTarget{}) {
		s.Target = &target
	}
	if at := brittle(tool, s.Params, target); at != "" {
		s.Note = strings.ToUpper(at[:1]) + at[1:] + ": breaks when anything moves. Name an element instead."
		c.notef("s%d: mouse %s at %s, which breaks when anything moves: name an element instead", len(c.steps)+1, action.Name, at)
	}
	return s
}

// brittle says at what place on the screen a step acts, "" for at an element.
func brittle(tool *tools.Tool, params map[string]any, target draftTarget) string {
	if tool.Name != "mouse" {
		return ""
	}
	for _, name := range []string{"x", "y", "end_x", "end_y"} {
		if _, given := params[name]; given {
			return "a place on the screen"
		}
	}
	if target == (draftTarget{}) {
		return "the pointer's place"
	}
	return ""
}

// says reports whether a parameter's value says more than leaving it out does.
func says(p *tools.Param, value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case string:
		if v == "" && !p.Required {
			return false
		}
	case []any:
		if len(v) == 0 {
			return false
		}
	}
	if p.Default == nil || p.Name == "x" || p.Name == "y" { // a place is one where it is said
		return true
	}
	var given, silent float64
	a, errA := marshal(value)
	b, errB := marshal(p.Default)
	if errA != nil || errB != nil || json.Unmarshal(a, &given) != nil || json.Unmarshal(b, &silent) != nil {
		return true
	}
	return given != silent
}

// check takes a postcondition that held after an action. One that the last step
// cannot have beside its own is that of a wait.
func (c *compiler) check(e results.AuditEntry) {
	wait := draft{Tool: "wait", Postcondition: e.Params}
	if e.Error != "" || e.Params == nil || !c.loads(e, wait) {
		return
	}
	if c.checkable {
		last := &c.steps[len(c.steps)-1]
		if last.Postcondition == nil {
			last.Postcondition = e.Params
		}
		if same(last.Postcondition, e.Params) {
			return
		}
	}
	c.steps = append(c.steps, wait)
	c.checkable = true
}
