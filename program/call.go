package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/program/tools"
)

// call reads a step's tool, action and parameters and holds them against the
// table of tools.
func (d *decoder) call(n *node, path string, s *Step) {
	tool := d.tool(n, path)
	params := n.get("params")
	paramsPath := joinPath(path, "params")
	if params != nil && params.kind != jsontext.KindBeginObject {
		d.add(CodeWrongType, params.start, paramsPath, "must be an object, not %s", params.kindName())
		return
	}
	if tool == nil {
		return
	}
	s.Tool = tool.Name
	s.Params = map[string]any{}
	if params == nil {
		params = &node{kind: jsontext.KindBeginObject, start: n.start}
	}
	action := d.action(tool, params, paramsPath)
	if action == nil {
		return
	}
	s.Action = action.Name
	c := call{decoder: d, tool: tool, action: action, params: params, path: paramsPath, step: s}
	for _, m := range params.members {
		c.param(m)
	}
	c.required()
	if action.Target == tools.TargetRequired && (s.Target == nil || !s.Target.namesElement()) {
		d.add(CodeMissingTarget, n.start, joinPath(path, "target"),
			"names no element: %s needs a target with role, title, identifier or ref", c.name())
	}
}

func (d *decoder) tool(n *node, path string) *tools.Tool {
	at := joinPath(path, "tool")
	v := n.get("tool")
	if v == nil {
		d.add(CodeMissingField, n.start, at, "is missing: use one of %s", list(tools.ToolNames()))
		return nil
	}
	name, ok := d.stringOf(v, at)
	if !ok {
		return nil
	}
	tool, ok := tools.Lookup(name)
	if !ok {
		d.add(CodeUnknownTool, v.start, at, "%s", unknownWord(name, tools.ToolNames()))
		return nil
	}
	return tool
}

func (d *decoder) action(tool *tools.Tool, params *node, path string) *tools.Action {
	if !tool.HasActions() {
		return &tool.Actions[0]
	}
	at := joinPath(path, "action")
	v := params.get("action")
	if v == nil {
		d.add(CodeMissingParameter, params.start, at, "is missing: use one of %s", list(tool.ActionNames()))
		return nil
	}
	name, ok := d.stringOf(v, at)
	if !ok {
		return nil
	}
	action, ok := tool.Action(name)
	if !ok {
		d.add(CodeUnknownAction, v.start, at, "%s", unknownWord(name, tool.ActionNames()))
		return nil
	}
	return action
}

// call is one tool call being read.
type call struct {
	*decoder
	tool   *tools.Tool
	action *tools.Action
	params *node
	path   string
	step   *Step
}

// name is what people call the action: "ui click", "wait".
func (c *call) name() string {
	return strings.TrimSpace(c.tool.Name + " " + c.action.Name)
}

// param reads one member of params.
func (c *call) param(m member) {
	v, at := m.value, joinPath(c.path, m.name)
	if v.kind == jsontext.KindNull || m.name == "action" && c.tool.HasActions() {
		return
	}
	p, ok := c.action.Param(m.name)
	if !ok {
		c.foreign(m, at)
		return
	}
	value, ok := c.value(p, v, at)
	if !ok {
		return
	}
	if p.TargetField != "" {
		c.moveIntoTarget(c.step, p.TargetField, v, at)
		return
	}
	c.step.Params[p.Name] = value
	if p.Path {
		c.step.codeAt = c.placeOf(v.start, at)
	}
	if p.Ignored != "" {
		c.ignore(m, at, p.Ignored)
	}
	if p.ShadowedBy != "" && c.params.get(p.ShadowedBy) != nil {
		c.add(CodeShadowedParameter, m.start, at, "has no effect: %s is given too and wins", p.ShadowedBy)
	}
}

// foreign warns of a parameter that the action does not have. Recorders write
// every parameter of a tool with every call; those that say nothing are silent.
func (c *call) foreign(m member, at string) {
	var users []string
	for i := range c.tool.Actions {
		if _, ok := c.tool.Actions[i].Param(m.name); ok {
			users = append(users, c.tool.Actions[i].Name)
		}
	}
	if len(users) == 0 {
		c.add(CodeUnknownParameter, m.start, at, "is no parameter of %s and is ignored%s", c.name(), meant(m.name, c.action.ParamNames()))
		return
	}
	empty := m.value.kind == jsontext.KindString && m.value.text == "" || m.value.kind == jsontext.KindBeginArray && len(m.value.items) == 0
	if !empty {
		c.ignore(m, at, fmt.Sprintf("%s has no use for it, only %s", c.name(), list(users)))
	}
}

// value checks a parameter's value and gives it as Params holds it.
func (c *call) value(p *tools.Param, v *node, at string) (any, bool) {
	switch p.Type {
	case tools.Number, tools.Integer:
		return v.number, c.number(v, at, ruleOf(p))
	case tools.StringList:
		return c.stringList(p, v, at)
	default:
		if s, ok := c.stringOf(v, at); ok {
			return c.word(p, s, v, at)
		}
		return nil, false
	}
}

func (c *call) stringList(p *tools.Param, v *node, at string) (any, bool) {
	if v.kind != jsontext.KindBeginArray {
		c.add(CodeWrongType, v.start, at, "must be a list of strings, not %s", v.kindName())
		return nil, false
	}
	if p.NonEmpty && len(v.items) == 0 {
		c.add(CodeEmptyValue, v.start, at, "is empty: %s needs at least one entry", c.name())
		return nil, false
	}
	entries, ok := make([]any, 0, len(v.items)), true
	for i, item := range v.items {
		s, isString := c.stringOf(item, joinIndex(at, i))
		if isString {
			_, isString = c.word(p, s, item, joinIndex(at, i))
		}
		ok = ok && isString
		entries = append(entries, s)
	}
	return entries, ok
}

// word checks a text against the parameter's vocabulary and gives it in the
// table's spelling.
func (c *call) word(p *tools.Param, s string, v *node, at string) (any, bool) {
	if p.NonEmpty && s == "" {
		c.add(CodeEmptyValue, v.start, at, "is empty: %s needs it", c.name())
		return nil, false
	}
	if wrong := checkCodePath(s); p.Path && wrong != "" {
		c.add(CodeBadPath, v.start, at, "%s %s", quote(s), wrong)
		return nil, false
	}
	if wrong := checkVariables(s); wrong != "" && p.Name == textParam {
		c.add(CodeBadVariable, v.start, at, "%s", wrong)
		return nil, false
	}
	if p.Enum != nil {
		i := slices.IndexFunc(p.Enum, func(option string) bool { return strings.EqualFold(option, s) })
		if i < 0 {
			c.add(CodeBadValue, v.start, at, "%s", unknownWord(s, p.Enum))
			return nil, false
		}
		return p.Enum[i], true
	}
	var err error
	switch p.Names {
	case tools.KeyNames:
		_, err = tools.ParseKey(s)
	case tools.ModifierNames:
		_, err = tools.ParseModifier(s)
	}
	var unknown *tools.UnknownNameError
	if errors.As(err, &unknown) {
		hint := ""
		if unknown.Hint != "" {
			hint = " (" + unknown.Hint + ")"
		}
		c.add(CodeUnknownKey, v.start, at, "%s is no %s%s", quote(s), unknown.What, hint)
		return nil, false
	}
	return s, true
}

// required reports the parameters that the action needs and the step lacks.
func (c *call) required() {
	for _, p := range c.action.Params {
		if p.Required && c.params.get(p.Name) == nil {
			c.add(CodeMissingParameter, c.params.start, joinPath(c.path, p.Name), "is missing: %s needs it", c.name())
		}
	}
	for _, group := range c.action.OneOf {
		if !slices.ContainsFunc(group, func(name string) bool { return c.params.get(name) != nil }) {
			c.add(CodeMissingParameter, c.params.start, joinPath(c.path, group[0]), "is missing: %s needs %s", c.name(), strings.Join(group, " or "))
		}
	}
}

// ignoredParam is a parameter that changes nothing, with the places that have it.
type ignoredParam struct {
	name, reason string
	path         string
	offset       int
	count        int
}

// ignore notes a parameter that has no meaning. The same note is given once a
// file, since recorders write such parameters with every step.
func (d *decoder) ignore(m member, path, reason string) {
	i := slices.IndexFunc(d.ignored, func(p ignoredParam) bool { return p.name == m.name && p.reason == reason })
	if i >= 0 {
		d.ignored[i].count++
		return
	}
	d.ignored = append(d.ignored, ignoredParam{name: m.name, reason: reason, path: path, offset: m.start, count: 1})
}

func (d *decoder) flushIgnored() {
	for _, p := range d.ignored {
		more := ""
		switch {
		case p.count == 2:
			more = " (and in one more place)"
		case p.count > 2:
			more = fmt.Sprintf(" (and in %d more places)", p.count-1)
		}
		d.add(CodeIgnoredParameter, p.offset, p.path, "is ignored: %s%s", p.reason, more)
	}
}

func list(words []string) string { return strings.Join(words, ", ") }
