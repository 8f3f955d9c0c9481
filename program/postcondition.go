package program

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/internal/fold"
)

// postcondition reads a step's postcondition, nil where it has none or one
// with errors.
func (d *decoder) postcondition(step *node, path string) *Postcondition {
	v := step.get("postcondition")
	if v == nil {
		return nil
	}
	path = joinPath(path, "postcondition")
	if v.kind != jsontext.KindBeginObject {
		d.add(CodeWrongType, v.start, path, "must be an object with kind and value, not %s", v.kindName())
		return nil
	}
	d.unknownFields(v, path, postconditionFields)
	p := &Postcondition{Timeout: d.millis(v, path, "timeout_ms", DefaultCheckTimeout)}
	p.Line, p.Column = d.src.position(v.start)
	p.Kind = d.kind(v, path)
	switch {
	case !p.Kind.OfScript():
		d.lookFor(v, path, p)
	default:
		d.ofScript(v, path, p)
	}
	return p
}

// belongs holds a condition on a script against the step that has it.
func (d *decoder) belongs(s Step, step *node, path string) {
	if s.Postcondition == nil || !s.Postcondition.Kind.OfScript() || s.Tool == "script" || s.Tool == "" {
		return
	}
	d.add(CodeMisplacedKind, step.get("postcondition").get("kind").start, joinPath(joinPath(path, "postcondition"), "kind"),
		"%s is for the tool script: %s leaves nothing of the kind", quote(string(s.Postcondition.Kind)), s.Tool)
}

// kind reads the kind, "" where it is none.
func (d *decoder) kind(v *node, path string) Kind {
	at := joinPath(path, "kind")
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	n := v.get("kind")
	if n == nil {
		d.add(CodeMissingField, v.start, at, "is missing: use one of %s", list(names))
		return ""
	}
	name, ok := d.stringOf(n, at)
	if !ok {
		return ""
	}
	if !slices.Contains(names, name) {
		d.add(CodeUnknownKind, n.start, at, "%s", unknownWord(name, names))
		return ""
	}
	return Kind(name)
}

// lookFor reads what is to be looked for.
func (d *decoder) lookFor(v *node, path string, p *Postcondition) {
	at := joinPath(path, "value")
	n := v.get("value")
	switch {
	case n == nil:
		d.add(CodeMissingField, v.start, at, "is missing: say what to look for")
	case n.kind == jsontext.KindBeginObject && (p.Kind == ElementExists || p.Kind == ""):
		d.element(n, at, p)
	case n.kind != jsontext.KindString && p.Kind == ElementExists:
		d.add(CodeWrongType, n.start, at, "must be a title or an object like a target, not %s", n.kindName())
	case n.kind != jsontext.KindString:
		d.add(CodeWrongType, n.start, at, "must be a string, not %s", n.kindName())
	case n.text == "":
		d.add(CodeEmptyValue, n.start, at, "is empty, which would hold always: say what to look for")
	case fold.Text(n.text) == "":
		d.add(CodeBlankText, n.start, at, "shows nothing, which would hold always: say what to look for")
	case checkVariables(n.text) != "":
		d.add(CodeBadVariable, n.start, at, "%s", checkVariables(n.text))
	default:
		p.Value = n.text
		if p.Kind == ElementExists {
			p.Element = &Target{Title: n.text}
		}
	}
}

// element reads the target-like form of an element_exists value.
func (d *decoder) element(n *node, path string, p *Postcondition) {
	t, ok := d.targetObject(n, path)
	if ok && !t.namesElement() {
		d.add(CodeEmptyTarget, n.start, path, "names no element: give role, title, identifier or ref")
	}
	if wrong := checkVariables(t.Title); wrong != "" {
		d.add(CodeBadVariable, n.get("title").start, joinPath(path, "title"), "%s", wrong)
	}
	p.Element = &t
}
