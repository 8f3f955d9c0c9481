package program

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object that keeps the order of its members.
type object []entry

type entry struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(e.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(e.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// nullable is the beginning of a schema for a value that may be null, which
// counts as absent: recorders write null for what they have not.
func nullable(kind, doc string) object {
	return object{{"description", doc}, {"type", []string{kind, "null"}}}
}

func ref(def string) object { return object{{"$ref", "#/$defs/" + def}} }

// present asks for a member that is not null.
func present(name string) object {
	return object{{"required", []string{name}}, {"properties", object{{name, object{{"not", object{{"type", "null"}}}}}}}}
}

// nonEmpty asks for a member that is a text with something in it.
func nonEmpty(name string) object {
	return object{{"required", []string{name}}, {"properties", object{{name, object{{"type", "string"}, {"minLength", 1}}}}}}
}
