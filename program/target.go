package program

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/internal/fold"
)

// namesElement reports whether the target asks for more than an application.
func (t Target) namesElement() bool {
	return t.Role != "" || t.Title != "" || t.Identifier != "" || t.Ref != ""
}

// field gives the field of a target that the format calls by name.
func (t *Target) field(name string) *string {
	switch name {
	case "app":
		return &t.App
	case "role":
		return &t.Role
	case "title":
		return &t.Title
	case "identifier":
		return &t.Identifier
	default:
		return &t.Ref
	}
}

// target reads a step's own target.
func (d *decoder) target(step *node, path string) *Target {
	v := step.get("target")
	if v == nil {
		return nil
	}
	at := joinPath(path, "target")
	if v.kind != jsontext.KindBeginObject {
		d.add(CodeWrongType, v.start, at, "must be an object with app, role, title, identifier or ref, not %s", v.kindName())
		return nil
	}
	t, ok := d.targetObject(v, at)
	if ok && t.IsZero() {
		d.add(CodeEmptyTarget, v.start, at, "names nothing: give app, role, title, identifier or ref, or leave it out")
	}
	return &t
}

// targetObject reads the fields of a target; ok is false where one of them has
// the wrong type.
func (d *decoder) targetObject(v *node, path string) (t Target, ok bool) {
	d.unknownFields(v, path, targetFields)
	ok = true
	for _, name := range targetFields {
		if f := v.get(name); f != nil {
			s, isString := d.stringOf(f, joinPath(path, name))
			*t.field(name) = s
			ok = ok && isString
			if name == "title" && s != "" && fold.Title(s) == "" {
				d.add(CodeBlankText, f.start, joinPath(path, name), "shows nothing, as every element without a title: leave it out, or give the title")
			}
		}
	}
	return t, ok
}

// moveIntoTarget puts a parameter of the older form (app, title, role) where
// it belongs. What the target says itself wins.
func (d *decoder) moveIntoTarget(s *Step, field string, v *node, path string) {
	if v.text == "" {
		return
	}
	if s.Target == nil {
		s.Target = &Target{}
	}
	own := s.Target.field(field)
	if *own == "" {
		*own = v.text
		return
	}
	if fold.Text(*own) != fold.Text(v.text) {
		d.add(CodeTargetConflict, v.start, path, "is %s, but target.%s is %s: target wins", quote(v.text), field, quote(*own))
	}
}
