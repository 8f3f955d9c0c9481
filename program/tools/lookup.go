package tools

import (
	"slices"
	"strings"
)

// All returns every tool, sorted by name. The result is the caller's own copy
// of the list; the actions and parameters behind it must not be changed.
func All() []Tool { return slices.Clone(table) }

// Lookup finds a tool by its exact name.
func Lookup(tool string) (*Tool, bool) {
	i, found := slices.BinarySearchFunc(table, tool, func(t Tool, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return nil, false
	}
	return &table[i], true
}

// ToolNames lists the names of the tools, sorted.
func ToolNames() []string {
	names := make([]string, len(table))
	for i, t := range table {
		names[i] = t.Name
	}
	return names
}

// HasActions reports whether the tool wants params.action; wait does not.
func (t *Tool) HasActions() bool { return t.Actions[0].Name != "" }

// Action finds an action by its exact name, "" for the one of wait.
func (t *Tool) Action(name string) (*Action, bool) {
	for i := range t.Actions {
		if t.Actions[i].Name == name {
			return &t.Actions[i], true
		}
	}
	return nil, false
}

// ActionNames lists the names of the tool's actions in the table's order.
func (t *Tool) ActionNames() []string {
	names := make([]string, len(t.Actions))
	for i, a := range t.Actions {
		names[i] = a.Name
	}
	return names
}

// Param finds a parameter by its exact name.
func (a *Action) Param(name string) (*Param, bool) {
	for i := range a.Params {
		if a.Params[i].Name == name {
			return &a.Params[i], true
		}
	}
	return nil, false
}

// ParamNames lists the names of the action's parameters in the table's order.
func (a *Action) ParamNames() []string {
	names := make([]string, len(a.Params))
	for i, p := range a.Params {
		names[i] = p.Name
	}
	return names
}
