package results

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Comparable is the run as JSON without the fields that differ from run to run
// of the same thing, the same bytes for the same outcome. Two runs are
// compared by it.
func Comparable(run *Run) ([]byte, error) {
	tree, err := stripVolatile(reflect.ValueOf(run))
	if err != nil {
		return nil, fmt.Errorf("strip volatile fields: %w", err)
	}
	data, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("strip volatile fields: %w", err)
	}
	return append(data, '\n'), nil
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// stripVolatile turns v into what encoding/json would write, as maps and
// lists, without volatile fields.
func stripVolatile(v reflect.Value) (any, error) {
	if v.Type().Implements(jsonMarshaler) || v.Type().Implements(textMarshaler) {
		return v.Interface(), nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return stripVolatile(v.Elem())
	case reflect.Struct:
		return stripStruct(v)
	case reflect.Slice:
		list := make([]any, 0, v.Len())
		for i := range v.Len() {
			if w, ok := v.Index(i).Interface().(Warning); ok && w.Kind.ofHistory() {
				continue
			}
			item, err := stripVolatile(v.Index(i))
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, nil
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return v.Interface(), nil
	default:
		return nil, fmt.Errorf("cannot compare a %s", v.Type())
	}
}

func stripStruct(v reflect.Value) (any, error) {
	out := make(map[string]any, v.NumField())
	for _, f := range jsonFields(v.Type()) {
		value := v.FieldByIndex(f.index)
		if f.volatile || f.optional && isEmpty(value) {
			continue
		}
		item, err := stripVolatile(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if list, ok := item.([]any); ok && f.optional && len(list) == 0 {
			continue
		}
		out[f.name] = item
	}
	return out, nil
}

// isEmpty is encoding/json's rule for omitempty; times are left out where zero.
func isEmpty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

// jsonField is a field of the model as JSON has it.
type jsonField struct {
	goName   string
	name     string
	index    []int
	optional bool // left out where empty
	volatile bool
	enum     []string // the values that a plain string may have, nil for any
}

// jsonFields lists the fields of a struct of the model, in their order.
func jsonFields(t reflect.Type) []jsonField {
	fields := make([]jsonField, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := jsonField{
			goName: f.Name, name: name, index: f.Index,
			optional: options == "omitempty" || options == "omitzero",
			volatile: f.Tag.Get("volatile") == "true",
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			field.enum = strings.Split(enum, ",")
		}
		fields = append(fields, field)
	}
	return fields
}
