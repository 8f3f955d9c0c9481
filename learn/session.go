package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
)

// sessionSource says of a program that it was made out of a session's log.
const sessionSource = "session"

// ErrNothingToRepeat says that a log holds no action that can be done again.
var ErrNothingToRepeat = errors.New("nothing that was done can be done again: the log holds reads, failures, or no actions at all")

// Saved is what came of a session.
type Saved struct {
	*program.Composed
	// Procedure says that a basic procedure was written as well.
	Procedure bool
	// Notes say what of the log needs a look.
	Notes []string
}

// SaveSession writes a program for the task out of a session's log: every action
// that acted and did not fail is a step. A task without a procedure gets a basic
// one. The errors are those of Compile, and ErrNothingToRepeat.
func SaveSession(ctx context.Context, t Task, title, description string, log []results.AuditEntry, overwrite bool, by Author) (*Saved, error) {
	steps, notes := compileSession(log)
	if len(steps) == 0 {
		return nil, ErrNothingToRepeat
	}
	composed, err := compose(t.ProgramFile(), program.Header{Name: title, Source: sessionSource, Description: description}, steps)
	if err != nil {
		return nil, err
	}
	if err := writeProgram(ctx, t, composed.Data, overwrite, by); err != nil {
		return nil, err
	}
	saved := &Saved{Composed: composed, Notes: notes}
	if isFile(t.ProcedureFile()) {
		return saved, nil
	}
	words := Procedure{TaskName: title, Description: description, Steps: []string{}}
	for _, s := range composed.Program.Steps {
		words.Steps = append(words.Steps, s.Summary())
	}
	text, err := marshal(words)
	if err != nil {
		return nil, err
	}
	_, err = SaveProcedure(ctx, t, title, text, false)
	var exists *ExistsError
	if errors.As(err, &exists) { // somebody was quicker
		return saved, nil
	}
	saved.Procedure = err == nil
	return saved, err
}

// compose makes a program of the steps.
func compose(path string, h program.Header, steps []sessionStep) (*program.Composed, error) {
	text, err := marshal(steps)
	if err != nil {
		return nil, err
	}
	return program.Compose(path, h, text)
}

// marshal writes JSON with "<" and the like as they are.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}

// sessionStep is a step in the order in which files have its members.
type sessionStep struct {
	Tool          string         `json:"tool"`
	Params        map[string]any `json:"params,omitempty"`
	Target        *sessionTarget `json:"target,omitempty"`
	Postcondition map[string]any `json:"postcondition,omitempty"`
	Note          string         `json:"note,omitempty"`
}

type sessionTarget struct {
	App        string `json:"app,omitempty"`
	Role       string `json:"role,omitempty"`
	Title      string `json:"title,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	Ref        string `json:"ref,omitempty"`
}

// compiler makes steps out of entries, one after the other.
type compiler struct {
	steps  []sessionStep
	notes  []string
	hidden int
	// checkable says that a postcondition that follows is that of the last step.
	checkable bool
}

func compileSession(log []results.AuditEntry) ([]sessionStep, []string) {
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
func (c *compiler) loads(e results.AuditEntry, s sessionStep) bool {
	_, err := compose("", program.Header{Name: "step"}, []sessionStep{s})
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
func (c *compiler) step(tool *tools.Tool, action *tools.Action, e results.AuditEntry) sessionStep {
	s := sessionStep{Tool: tool.Name, Params: map[string]any{"action": action.Name}}
	var target sessionTarget
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
	if target != (sessionTarget{}) {
		s.Target = &target
	}
	if _, point := s.Params["x"]; point && tool.Name == "mouse" {
		s.Note = "A place on the screen: breaks when anything moves. Name an element instead."
		c.notef("s%d: mouse %s at a place on the screen, which breaks when anything moves: name an element instead", len(c.steps)+1, action.Name)
	}
	return s
}

// set sets the field of that name; false where there is none. An empty text
// leaves it empty.
func (t *sessionTarget) set(field, text string) bool {
	fields := map[string]*string{"app": &t.App, "role": &t.Role, "title": &t.Title, "identifier": &t.Identifier, "ref": &t.Ref}
	place, ok := fields[field]
	if ok {
		*place = text
	}
	return ok
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
	wait := sessionStep{Tool: "wait", Postcondition: e.Params}
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

func same(a, b map[string]any) bool {
	x, errX := marshal(a)
	y, errY := marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
