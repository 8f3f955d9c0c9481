package program

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/program/tools"
)

// Parse reads a program from the bytes of its file; path names it in problems
// and is the program's identity. All problems of the file are given at once,
// in the order of the file. The program is nil where one of them is an error.
func Parse(path string, data []byte) (*Program, []Problem) {
	return parse(newSource(path, bytes.Clone(data))) // the program keeps parts of it
}

// parseResult parses a file that is not written yet: messages do not name
// places in it.
func parseResult(path string, data []byte) (*Program, []Problem) {
	src := newSource(path, data)
	src.words.unplaced = true
	return parse(src)
}

func parse(src *source) (*Program, []Problem) {
	d := &decoder{collector: &collector{src: src}}
	prog := d.file()
	d.flushIgnored()
	problems := d.sorted()
	if d.errors > 0 {
		return nil, problems
	}
	prog.Path = src.file
	prog.Raw = src.data
	return prog, problems
}

// decoder turns the tree of one file into a program.
type decoder struct {
	*collector
	ignored []ignoredParam
	ids     map[string]*node
}

// The fields of the format, for hints on misspelt ones.
var (
	programFields       = []string{"name", "version", "description", "source", "strict", "locked", "steps", "$schema"}
	stepFields          = []string{"id", "tool", "params", "target", "postcondition", "wait_ms", "resolve_timeout_ms", "note", "locked"}
	targetFields        = []string{"app", "role", "title", "identifier", "ref"}
	postconditionFields = []string{"kind", "value", "timeout_ms"}
)

func (d *decoder) file() *Program {
	root := readDocument(d.collector)
	if root == nil {
		return nil
	}
	if root.kind != jsontext.KindBeginObject {
		d.add(CodeNotAnObject, root.start, "", "a program is an object with steps, not %s", root.kindName())
		return nil
	}
	d.unknownFields(root, "", programFields)
	d.version(root)
	prog := &Program{
		Name:        d.name(root),
		Description: d.text(root, "", "description"),
		Source:      d.text(root, "", "source"),
		Strict:      d.flag(root, "", "strict"),
		Locked:      d.flag(root, "", "locked"),
	}
	d.text(root, "", "$schema")
	prog.Steps = d.steps(root)
	return prog
}

func (d *decoder) version(root *node) {
	n := root.get("version")
	switch {
	case n == nil:
		d.add(CodeNoVersion, root.start, "version", "is missing and counts as %d: add \"version\": %d", Version, Version)
	case n.kind != jsontext.KindNumber:
		d.add(CodeWrongType, n.start, "version", "must be the number %d, not %s", Version, n.kindName())
	case n.number != Version:
		d.add(CodeVersion, n.start, "version", "must be %d, not %s: this opendesk reads no other version", Version, d.raw(n))
	}
}

func (d *decoder) name(root *node) string {
	name := d.text(root, "", "name")
	if strings.ContainsAny(name, `/\`) {
		d.add(CodeName, root.get("name").start, "name", "%s holds a path separator: a name is no path", quote(name))
	}
	return name
}

func (d *decoder) steps(root *node) []Step {
	n := root.get("steps")
	switch {
	case n == nil:
		d.add(CodeNoSteps, root.start, "steps", "is missing: a program needs at least one step")
		return nil
	case n.kind != jsontext.KindBeginArray:
		d.add(CodeWrongType, n.start, "steps", "must be a list of steps, not %s", n.kindName())
		return nil
	case len(n.items) == 0:
		d.add(CodeNoSteps, n.start, "steps", "is empty: a program needs at least one step")
		return nil
	}
	items := n.items
	if len(items) > MaxSteps {
		d.add(CodeTooManySteps, items[MaxSteps].start, "steps", "has %d steps, more than %d", len(items), MaxSteps)
		items = items[:MaxSteps]
	}
	d.ids = make(map[string]*node, len(items))
	steps := make([]Step, 0, len(items))
	for i, item := range items {
		path := joinIndex("steps", i)
		if item.kind != jsontext.KindBeginObject {
			d.add(CodeWrongType, item.start, path, "must be a step, not %s", item.kindName())
			continue
		}
		s := d.step(item, path)
		s.Index = i
		steps = append(steps, s)
	}
	return steps
}

func (d *decoder) step(n *node, path string) Step {
	d.unknownFields(n, path, stepFields)
	s := Step{
		ID:             d.id(n, path),
		ResolveTimeout: d.millis(n, path, "resolve_timeout_ms", DefaultResolveTimeout),
		Wait:           d.millis(n, path, "wait_ms", 0),
		Note:           d.text(n, path, "note"),
		Locked:         d.flag(n, path, "locked"),
		Target:         d.target(n, path),
		Raw:            slices.Clip(d.src.data[n.start:n.end]),
	}
	s.Line, s.Column = d.src.position(n.start)
	d.call(n, path, &s)
	s.Postcondition = d.postcondition(n, path)
	d.belongs(s, n, path)
	return s
}

func (d *decoder) id(n *node, path string) string {
	at := joinPath(path, "id")
	v := n.get("id")
	if v == nil {
		d.add(CodeMissingField, n.start, at, "is missing: every step needs an id of its own, such as \"s1\"")
		return ""
	}
	id, ok := d.stringOf(v, at)
	if !ok {
		return ""
	}
	if strings.Trim(id, whiteSpace+"\f\v") == "" {
		d.add(CodeEmptyValue, v.start, at, "is empty: every step needs an id of its own, such as \"s1\"")
		return ""
	}
	if first, twice := d.ids[id]; twice {
		d.add(CodeDuplicateID, v.start, at, "%s is the id of another step already (%s)", quote(id), d.src.place(first.start))
		return id
	}
	d.ids[id] = v
	return id
}

// unknownFields warns of members that the format does not have.
func (d *decoder) unknownFields(n *node, path string, known []string) {
	for _, m := range n.members {
		if !slices.Contains(known, m.name) {
			d.add(CodeUnknownField, m.start, joinPath(path, m.name), "is no field of the format and is ignored%s", meant(m.name, known))
		}
	}
}

// text reads an optional string.
func (d *decoder) text(n *node, path, field string) string {
	v := n.get(field)
	if v == nil {
		return ""
	}
	s, _ := d.stringOf(v, joinPath(path, field))
	return s
}

func (d *decoder) stringOf(v *node, path string) (string, bool) {
	if v.kind != jsontext.KindString {
		d.add(CodeWrongType, v.start, path, "must be a string, not %s", v.kindName())
		return "", false
	}
	return v.text, true
}

// flag reads an optional boolean.
func (d *decoder) flag(n *node, path, field string) bool {
	v := n.get(field)
	if v == nil {
		return false
	}
	if v.kind != jsontext.KindTrue && v.kind != jsontext.KindFalse {
		d.add(CodeWrongType, v.start, joinPath(path, field), "must be true or false, not %s", v.kindName())
	}
	return v.kind == jsontext.KindTrue
}

// millis reads an optional time in milliseconds.
func (d *decoder) millis(n *node, path, field string, def time.Duration) time.Duration {
	v := n.get(field)
	if v == nil {
		return def
	}
	limit := float64(MaxTime.Milliseconds())
	if !d.number(v, joinPath(path, field), numberRule{whole: true, unit: "ms", minimum: new(float64), maximum: &limit}) {
		return def
	}
	return time.Duration(v.number) * time.Millisecond
}

// raw gives the file's own spelling of a value, shortened where it is long.
func (d *decoder) raw(n *node) string {
	raw := d.src.data[n.start:n.end]
	if len(raw) > maxQuoted {
		return string(raw[:maxQuoted]) + "…"
	}
	return string(raw)
}

// unknownWord says that a word is none of the options, and which is meant.
func unknownWord(word string, options []string) string {
	if hint := meant(word, options); hint != "" {
		return quote(word) + " is unknown" + hint
	}
	return quote(word) + " is unknown: use one of " + list(options)
}

// meant gives " (did you mean …?)", or "" where nothing is near.
func meant(word string, options []string) string {
	if near := tools.Closest(word, options); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
