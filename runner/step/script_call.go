package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/pymodule"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/script"
)

// calls performs what one script calls, as steps of a program are performed: on
// the same desktop, under the same guard.
type calls struct {
	env  Env
	step program.Step // the script's
	// mu is held by the call under way: the desktop is for one at a time.
	mu     sync.Mutex
	ended  bool
	count  map[string]*results.ScriptCalls
	order  []string
	fault  *desktop.EnvironmentError // the first
	onCall func(program.Step, Outcome, error)
}

func newCalls(env *Env, s program.Step) *calls {
	return &calls{env: *env, step: s, count: map[string]*results.ScriptCalls{}, onCall: env.Scripts.Called}
}

// end waits for a call that is still under way; none is begun after it.
func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// counts says what was called how often, in the order of the first calls.
func (c *calls) counts() []results.ScriptCalls {
	var list []results.ScriptCalls
	for _, name := range c.order {
		list = append(list, *c.count[name])
	}
	return list
}

// request is a line of the script's, reply the answer.
type request struct {
	Tool      string            `json:"tool"`
	Action    string            `json:"action"`
	Params    map[string]any    `json:"params"`
	Target    map[string]string `json:"target"`
	TimeoutMS *int              `json:"timeout_ms"`
}

type reply struct {
	Value any        `json:"value"`
	Error *callError `json:"error,omitempty"`
}

type callError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// kindOfUsage is the kind of the error of a call that is wrong in itself.
const kindOfUsage = "usage"

// handle answers one call.
func (c *calls) handle(ctx context.Context, line json.RawMessage) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return encode(reply{Error: &callError{kindOfUsage, "the script has ended"}})
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return encode(reply{Error: &callError{kindOfUsage, fmt.Sprintf("the call cannot be read: %v", err)}})
	}
	name := strings.TrimSuffix(r.Tool+"_"+r.Action, "_")
	if r.Tool == pymodule.FilesTool {
		name = map[string]string{"find": "find", "read": "read", "save": "save_result"}[r.Action]
		if name == "" {
			return encode(reply{Error: &callError{kindOfUsage, "there is no such call: " + shown(r.Tool+" "+r.Action)}})
		}
		c.counted(name)
		return encode(reply{}) // the module does it itself
	}
	s, err := c.asStep(r)
	if err != nil {
		return encode(reply{Error: &callError{kindOfUsage, err.Error()}})
	}
	count := c.counted(name)
	value, err := c.perform(ctx, s)
	if err != nil {
		count.Failed++
		return encode(reply{Error: c.told(err)})
	}
	return encode(reply{Value: value})
}

func (c *calls) counted(name string) *results.ScriptCalls {
	if c.count[name] == nil {
		c.count[name] = &results.ScriptCalls{Name: name}
		c.order = append(c.order, name)
	}
	c.count[name].Count++
	return c.count[name]
}

func encode(r reply) json.RawMessage {
	data, err := json.Marshal(r)
	if err != nil {
		data, _ = json.Marshal(reply{Error: &callError{string(results.InternalFault), err.Error()}})
	}
	if len(data) >= script.MaxLine {
		return encode(reply{Error: &callError{kindOfUsage, "the answer is too long: ask for less, such as for one app"}})
	}
	return data
}

// shown is a text of the script's that may be anything, cut.
func shown(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// asStep makes a step of the call, held against the table of tools as a
// program's steps are. Texts are what they are: variables are for programs.
func (c *calls) asStep(r request) (program.Step, error) {
	if tool, ok := tools.Lookup(r.Tool); !ok || tool.InProgram {
		return program.Step{}, fmt.Errorf("there is no tool %q for scripts", shown(r.Tool))
	}
	params := maps.Clone(r.Params)
	if params == nil {
		params = map[string]any{}
	}
	if text, ok := params["text"].(string); ok {
		params["text"] = strings.ReplaceAll(text, "${", "$${")
	}
	if r.Action != "" {
		params["action"] = r.Action
	}
	document := map[string]any{"id": c.step.ID, "tool": r.Tool, "params": params}
	if len(r.Target) > 0 {
		document["target"] = r.Target
	}
	if r.TimeoutMS != nil {
		document["resolve_timeout_ms"] = *r.TimeoutMS
	}
	data, err := json.Marshal(map[string]any{"version": program.Version, "steps": []any{document}})
	if err != nil {
		return program.Step{}, err
	}
	p, problems := program.Parse("", data)
	if p == nil {
		var lines []string
		for _, problem := range problems {
			if problem.Severity == program.Error {
				at := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(problem.JSONPath, "steps[0]"), "."), "params.")
				lines = append(lines, strings.TrimSpace(at+" "+problem.Message))
			}
		}
		return program.Step{}, errors.New(strings.Join(lines, "; "))
	}
	s := p.Steps[0]
	s.Index, s.Line, s.Column = c.step.Index, c.step.Line, c.step.Column
	return s, nil
}

// perform does it, and tells of it.
func (c *calls) perform(ctx context.Context, s program.Step) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	real := s.Expanded(func(string) string { return "" }) // there are none
	var value any
	var out Outcome
	var err error
	if read := scriptReads[s.Tool][s.Action]; read != nil {
		value, err = read(ctx, &c.env, real, &out)
		err = actionError(ctx, err)
	} else {
		out, err = c.env.perform(ctx, &c.env, real)
	}
	if c.onCall != nil {
		c.onCall(s, out, err)
	}
	var environment *desktop.EnvironmentError
	if errors.As(err, &environment) && c.fault == nil {
		c.fault = environment
	}
	if err == nil && value == nil && out.Value != "" {
		value = out.Value
	}
	return value, err
}

// told is an error as the script sees it.
func (c *calls) told(err error) *callError {
	var acted *Error
	var hung *desktop.HungError
	var gone *desktop.GoneError
	var environment *desktop.EnvironmentError
	e := &callError{Kind: string(results.ActionRefused), Message: err.Error()}
	switch {
	case errors.As(err, &acted):
		e.Kind = string(acted.Kind)
		lines := acted.Details
		if acted.Miss != nil {
			kind, details, candidates := resolve.Explain(acted.Miss, acted.Target)
			if acted.Kind == results.TargetNotFound {
				e.Kind = string(kind)
			}
			lines = append(slices.Clone(lines), details...)
			for _, candidate := range candidates[:min(len(candidates), shownCandidates)] {
				line := "close: " + candidate.Element.String()
				if len(candidate.Differs) > 0 {
					line += " (" + strings.Join(candidate.Differs, ", ") + ")"
				}
				lines = append(lines, line)
			}
		}
		e.Message = strings.Join(append([]string{acted.Reason}, lines...), "; ")
	case errors.As(err, &environment):
		e.Kind = string(results.EnvironmentFault)
	case errors.As(err, &hung):
		e.Kind = string(results.AppHung)
	case errors.As(err, &gone):
		e.Kind = string(results.AppDied)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Message = kindOfUsage, "the script is being ended"
	}
	return e
}

// shownCandidates is how many of the closest elements an error names.
const shownCandidates = 3

// scriptReads are the reads that do nothing in a program and that scripts ask
// for what they give.
var scriptReads = map[string]map[string]func(context.Context, *Env, program.Step, *Outcome) (any, error){
	"app":       {"list": readApps},
	"mouse":     {"cursor_position": readPointer},
	"ui":        {"get_value": readValue, "get_tree": readTree},
	"clipboard": {"read": readClipboard},
}

func readValue(ctx context.Context, env *Env, s program.Step, out *Outcome) (any, error) {
	done, err := env.perform(ctx, env, s)
	*out = done
	return done.Value, err
}

func readClipboard(ctx context.Context, env *Env, s program.Step, out *Outcome) (any, error) {
	return readValue(ctx, env, s, out)
}

func readApps(ctx context.Context, env *Env, _ program.Step, _ *Outcome) (any, error) {
	running, err := env.Desktop.RunningApps(ctx)
	names := []string{}
	for _, app := range running {
		if name := app.Display(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

func readPointer(ctx context.Context, env *Env, _ program.Step, _ *Outcome) (any, error) {
	at, err := env.Desktop.PointerAt(ctx)
	return []int{at.X, at.Y}, err
}

// Bounds of what ui_get_tree gives; the table of tools tells of them.
const (
	maxElements    = 2_000
	maxElementText = 2_000
	treeTimeout    = 25 * time.Second
)

// element is an element as scripts have it.
type element struct {
	Depth      int    `json:"depth"`
	App        string `json:"app,omitempty"`
	Role       string `json:"role"`
	Name       string `json:"name"`
	Value      string `json:"value,omitempty"`
	Text       string `json:"text,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	States     string `json:"states,omitempty"`
	Ref        string `json:"ref,omitempty"`
}

func readTree(ctx context.Context, env *Env, s program.Step, _ *Outcome) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, env.scaled(treeTimeout))
	defer cancel()
	snap, err := env.Desktop.Snapshot(ctx, s.App(), desktop.NeedText|desktop.NeedIdentifier)
	if err != nil {
		return nil, err
	}
	elements := []element{}
	for _, app := range snap.Apps {
		elements = below(elements, app.Root, app.Info.Display(), 0)
	}
	return elements, nil
}

func below(list []element, e *desktop.Element, app string, depth int) []element {
	if e == nil || len(list) == maxElements {
		return list
	}
	one := element{
		Depth: depth, App: app, Role: e.RawRole, Name: clip(e.Name), Value: clip(e.Value), Text: clip(e.Text),
		Identifier: e.Identifier, States: e.States.String(), Ref: e.Ref,
	}
	if e.States.Has(desktop.Password) {
		one.Value, one.Text = "", ""
	}
	list = append(list, one)
	for _, child := range e.Children {
		list = below(list, child, app, depth+1)
	}
	return list
}

func clip(text string) string {
	if len(text) <= maxElementText {
		return text
	}
	if runes := []rune(text); len(runes) > maxElementText {
		return string(runes[:maxElementText])
	}
	return text
}
