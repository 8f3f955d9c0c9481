// Package pymodule writes the Python module with which scripts use the desktop
// and read files. Its functions are made from the table of tools, as are the
// format's validation and its JSON Schema: what steps can do, scripts can do.
package pymodule

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/opendesk/opendesk/program/tools"
)

// Name is the module's name.
const Name = "opendesk_tools"

// FilesTool is the tool that calls about files name: they are counted, and done
// by the module itself.
const FilesTool = "files"

//go:embed prelude.py
var prelude string

var source = write()

// Source is the module. It is the same bytes every time.
func Source() []byte { return []byte(source) }

func write() string {
	var b strings.Builder
	b.WriteString(prelude)
	names := []string{"find", "read", "save_result", "help", "ToolError", "CallLimitError"}
	for _, tool := range tools.All() {
		if tool.InProgram {
			continue
		}
		for _, action := range tool.Actions {
			f := function{tool: tool, action: action}
			b.WriteString("\n\n")
			f.write(&b)
			names = append(names, f.name())
		}
	}
	b.WriteString("\n\n__all__ = [\n")
	for _, name := range names {
		fmt.Fprintf(&b, "    %q,\n", name)
	}
	b.WriteString("]\n")
	return b.String()
}

// function is the function of one action.
type function struct {
	tool   tools.Tool
	action tools.Action
}

// name is the function's name: ui_click, wait.
func (f function) name() string { return strings.TrimSuffix(f.tool.Name+"_"+f.action.Name, "_") }

// argument is one of its parameters.
type argument struct {
	name, kind, def string // def is "" for one that must be given
	doc             string
}

// targets are the fields of a target, for actions that look an element up.
var targets = []argument{
	{"app", "str | None", "None", "The application that is meant, or that the element is in."},
	{"role", "str | None", "None", "The element's role, such as button."},
	{"title", "str | None", "None", "The element's title: exact matches win over those that contain it."},
	{"identifier", "str | None", "None", "The element's accessibility identifier."},
	{"ref", "str | None", "None", "The element's place in the tree, as ui_get_tree() gives it."},
}

// target are the arguments that name what is acted on.
func (f function) target() []argument {
	switch {
	case f.action.Target != tools.TargetNone:
		return targets
	case f.keys():
		return append([]argument{{"app", "str | None", "None", "The application that gets the keys: it is brought to the front before."}}, targets[1:]...)
	case f.tool.Name == "ui":
		return targets[:1]
	}
	return nil
}

// keys reports whether the action sends keys, to the element that has the
// keyboard focus or to the one that is named.
func (f function) keys() bool {
	return f.tool.Name == "keyboard" || f.tool.Name == "ui" && (f.action.Name == "type" || f.action.Name == "press_key")
}

// own are the action's own arguments, those that must be given first.
func (f function) own() []argument {
	var must, may []argument
	for _, p := range f.action.Params {
		if p.Ignored != "" || p.TargetField != "" {
			continue
		}
		a := argument{name: p.Name, kind: kindOf(p), def: defaultOf(p), doc: docOf(p)}
		if p.Required {
			a.def = ""
			must = append(must, a)
		} else {
			may = append(may, a)
		}
	}
	return append(must, may...)
}

func kindOf(p tools.Param) string {
	kind := map[tools.Type]string{tools.String: "str", tools.Number: "float", tools.Integer: "int", tools.StringList: "list"}[p.Type]
	if !p.Required && (p.Default == nil || isPlace(p)) {
		kind += " | None"
	}
	return kind
}

// isPlace tells a coordinate, which says something only where it is given: an
// element is aimed at without one.
func isPlace(p tools.Param) bool { return p.Name == "x" || p.Name == "y" }

func defaultOf(p tools.Param) string {
	switch v := p.Default.(type) {
	case nil:
		return "None"
	case string:
		return strconv.Quote(v)
	default:
		if isPlace(p) {
			return "None"
		}
		return fmt.Sprint(v)
	}
}

func docOf(p tools.Param) string {
	doc := p.Doc
	if p.Enum != nil {
		doc += " One of " + strings.Join(p.Enum, ", ") + "."
	}
	switch p.Unit {
	case "ms":
		doc += " In milliseconds."
	case "s":
		doc += " In seconds."
	}
	return doc
}

// positional are the arguments that may be given without their names.
func (f function) positional(own []argument) int {
	n := 0
	for n < len(own) && (own[n].def == "" || own[n].name == "x" || own[n].name == "y") {
		n++
	}
	return n
}

func (f function) write(b *strings.Builder) {
	own, target := f.own(), f.target()
	looksUp := len(target) > 1
	var patience []argument
	if looksUp {
		patience = []argument{{"timeout_ms", "int", "5000", "How long the element is looked for. In milliseconds."}}
	}
	first := f.positional(own)
	var head []string
	for _, a := range own[:first] {
		head = append(head, a.String())
	}
	rest := append(append(own[first:len(own):len(own)], target...), patience...)
	if len(rest) > 0 {
		head = append(head, "*")
	}
	for _, a := range rest {
		head = append(head, a.String())
	}
	returns := "None"
	if f.action.Script.Type != "" {
		returns = f.action.Script.Type
	}
	b.WriteString(signature(f.name(), head, returns))
	f.doc(b, append(own[:first:first], rest...), looksUp)
	give := "return "
	if returns == "None" {
		give = ""
	}
	call := fmt.Sprintf("_call(%q, %q, %s", f.tool.Name, f.action.Name, dict(own))
	switch {
	case looksUp:
		call += ", " + dict(target) + ", timeout_ms"
	case target != nil:
		call += ", " + dict(target)
	}
	b.WriteString("    " + give + call + ")\n")
}

func (a argument) String() string {
	if a.def == "" {
		return a.name + ": " + a.kind
	}
	return fmt.Sprintf("%s: %s = %s", a.name, a.kind, a.def)
}

func dict(args []argument) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = fmt.Sprintf("%q: %s", a.name, a.name)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// lineWidth is how long lines are at most, where words allow it.
const lineWidth = 100

// signature is the first line of a function, or its first lines.
func signature(name string, args []string, returns string) string {
	if one := fmt.Sprintf("def %s(%s) -> %s:\n", name, strings.Join(args, ", "), returns); len(one) <= lineWidth {
		return one
	}
	return fmt.Sprintf("def %s(\n    %s,\n) -> %s:\n", name, strings.Join(args, ",\n    "), returns)
}

// doc writes the docstring: what it does and returns, its edges, an example.
func (f function) doc(b *strings.Builder, args []argument, looksUp bool) {
	script := f.action.Script
	does := f.action.Doc
	if script.Doc != "" {
		does = script.Doc
	}
	fmt.Fprintf(b, "    \"\"\"%s\n\n", does)
	paragraph := "Returns nothing."
	if script.Returns != "" {
		paragraph = "Returns " + script.Returns + "."
	}
	if script.Edges != "" {
		paragraph += " " + script.Edges
	}
	if looksUp {
		paragraph += " An element that is named is looked for until timeout_ms is over; ToolError names the closest ones then."
	} else {
		paragraph += " Raises ToolError where it cannot be done."
	}
	wrapped(b, paragraph, "    ")
	b.WriteString("    Example: " + script.Example)
	if len(args) > 0 {
		b.WriteString("\n\n")
	}
	for i, a := range args {
		if i > 0 {
			b.WriteByte('\n')
		}
		var doc strings.Builder
		wrapped(&doc, a.name+": "+a.doc, "        ")
		b.WriteString("    " + strings.TrimSuffix(strings.TrimPrefix(doc.String(), "        "), "\n"))
	}
	b.WriteString("\"\"\"\n")
}

// wrapped writes a text in lines.
func wrapped(b *strings.Builder, text, indent string) {
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line) > len(indent) && len(line)+1+len(word) > lineWidth {
			b.WriteString(line + "\n")
			line = indent
		}
		if len(line) > len(indent) {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}
