package results

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write generated and golden files anew")

// TestSchemaIsCurrent holds schema.json against the types and their comments.
func TestSchemaIsCurrent(t *testing.T) {
	g := schemaGenerator{t: t, docs: readDocs(t), defs: map[string]any{}}
	root := g.structSchema(reflect.TypeFor[Run]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = "urn:opendesk:results:1"
	root["title"] = "opendesk results"
	root["$defs"] = g.defs
	want, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(Schema()) != string(want) {
		t.Error("schema.json is not what the types say: go test ./results -run TestSchema -update")
	}
}

// schemaGenerator makes schemas of types; those of named structs and enums go
// to defs.
type schemaGenerator struct {
	t    *testing.T
	docs map[string]string // "Type" and "Type.Field" to comment
	defs map[string]any
}

// enums are the string types with a fixed set of values.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[Status]():      texts(Statuses),
	reflect.TypeFor[StepStatus]():  texts(StepStatuses),
	reflect.TypeFor[Means]():       texts(AllMeans),
	reflect.TypeFor[WarningKind](): texts(WarningKinds),
	reflect.TypeFor[FailureKind](): texts(FailureKinds),
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func (g *schemaGenerator) structSchema(t reflect.Type) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range jsonFields(t) {
		field := g.typeSchema(t.FieldByIndex(f.index).Type)
		field["description"] = g.doc(t.Name() + "." + f.goName)
		if f.volatile {
			field["x-volatile"] = true
		}
		if f.enum != nil {
			field["enum"] = f.enum
		}
		if t == reflect.TypeFor[Run]() && f.name == "schema_version" {
			field["const"] = SchemaVersion
		}
		properties[f.name] = field
		if !f.optional {
			required = append(required, f.name)
		}
	}
	return map[string]any{
		"type": "object", "description": g.doc(t.Name()),
		"properties": properties, "required": required, "additionalProperties": false,
	}
}

func (g *schemaGenerator) typeSchema(t reflect.Type) map[string]any {
	if values, ok := enums[t]; ok {
		return g.define(t, func() map[string]any {
			return map[string]any{"type": "string", "enum": values, "description": g.doc(t.Name())}
		})
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.typeSchema(t.Elem())
	case reflect.Struct:
		return g.define(t, func() map[string]any { return g.structSchema(t) })
	case reflect.Slice:
		return map[string]any{"type": "array", "items": g.typeSchema(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	default:
		g.t.Fatalf("no schema for a %s", t)
		return nil
	}
}

// define puts a type's schema into defs once and refers to it.
func (g *schemaGenerator) define(t reflect.Type, make func() map[string]any) map[string]any {
	if _, known := g.defs[t.Name()]; !known {
		g.defs[t.Name()] = nil // a type within itself ends here
		g.defs[t.Name()] = make()
	}
	return map[string]any{"$ref": "#/$defs/" + t.Name()}
}

// doc is the comment of a type or field; one without a comment is a mistake.
func (g *schemaGenerator) doc(name string) string {
	doc := g.docs[name]
	if doc == "" {
		g.t.Errorf("%s has no comment", name)
	}
	return doc
}

// readDocs reads the comments of the package's types and fields, each as one
// line.
func readDocs(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	line := func(groups ...*ast.CommentGroup) string {
		for _, group := range groups {
			if text := strings.Join(strings.Fields(group.Text()), " "); text != "" {
				return text
			}
		}
		return ""
	}
	for _, file := range []string{"model.go", "script.go", "enums.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				typ := spec.(*ast.TypeSpec)
				docs[typ.Name.Name] = line(typ.Doc, gen.Doc)
				st, ok := typ.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, field := range st.Fields.List {
					for _, name := range field.Names {
						docs[fmt.Sprintf("%s.%s", typ.Name.Name, name.Name)] = line(field.Doc, field.Comment)
					}
				}
			}
		}
	}
	return docs
}
