package program

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"github.com/opendesk/opendesk/program/tools"
)

// Schema gives the JSON Schema (2020-12) of program files, made from the same
// table as the validation. It is the same bytes every time. What JSON Schema
// cannot say (unique ids, duplicate keys, misspelt names of keys, nesting and
// size) only Parse checks.
func Schema() []byte {
	return bytes.Clone(schemaBytes())
}

// schemaBytes are made when they are first asked for: most processes never do.
var schemaBytes = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schemaDocument()); err != nil {
		panic(err) // the document is made of constants
	}
	return out.Bytes()
})

func schemaDocument() object {
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", "urn:opendesk:program:1"},
		{"title", "opendesk program"},
		{"description", "A learned desktop task: a fixed list of tool calls that name elements by identity, each with an optional postcondition."},
		{"type", "object"},
		{"required", []string{"steps"}},
		{"properties", object{
			{"$schema", nullable("string", "The schema of the file, for editors.")},
			{"name", append(nullable("string", "The task's name; it holds no path separator."), entry{"pattern", `^[^/\\]*$`})},
			{"version", object{{"description", "The version of the format."}, {"enum", []any{Version, nil}}, {"default", Version}}},
			{"description", nullable("string", "What the task is for.")},
			{"source", nullable("string", "Where the program comes from: trajectory, session or agent.")},
			{"strict", nullable("boolean", "The program is only executed as it is: nobody mends or replaces it by a command, builders included.")},
			{"locked", nullable("boolean", "The program is not patched, compiled or recorded over, unless --unlock says so.")},
			{"steps", object{
				{"description", "The steps in their order."},
				{"type", "array"}, {"minItems", 1}, {"maxItems", MaxSteps}, {"items", ref("step")},
			}},
		}},
		{"$defs", append(object{
			{"step", stepSchema()},
			{"target", targetSchema("The element or application that the step acts on.", targetFields)},
			{"element", targetSchema("An element to look for.", elementFields)},
			{"postcondition", postconditionSchema()},
		}, actionDefs()...)},
	}
}

// elementFields are the fields of a target that name an element.
var elementFields = []string{"role", "title", "identifier", "ref"}

func stepSchema() object {
	return object{
		{"title", "Step"},
		{"description", "One tool call."},
		{"type", "object"},
		{"required", []string{"id", "tool"}},
		{"properties", object{
			{"id", object{{"description", "The step's stable id, unique in the program, such as s1."}, {"type", "string"}, {"pattern", `\S`}}},
			{"tool", object{{"description", "The tool that is called."}, {"enum", tools.ToolNames()}}},
			{"params", nullable("object", "The tool's parameters.")},
			{"target", ref("target")},
			{"postcondition", ref("postcondition")},
			{"wait_ms", millisSchema("The pause after the action and before the check.", 0)},
			{"resolve_timeout_ms", millisSchema("How long the target is looked for.", DefaultResolveTimeout)},
			{"note", nullable("string", "Free text.")},
			{"locked", nullable("boolean", "The step is not patched, and its program not compiled or recorded over, unless --unlock says so.")},
		}},
		{"allOf", append(callRules(), scriptKindRule())},
	}
}

var targetDocs = map[string]string{
	"app":        "The application.",
	"role":       "The role, such as button; AXButton, button and push button are the same.",
	"title":      "The title: exact matches win over those that contain it.",
	"identifier": "The accessibility identifier.",
	"ref":        "The place in the tree, used where role and title still match.",
}

// targetSchema is the schema of a target that names at least one of the fields.
func targetSchema(doc string, atLeastOne []string) object {
	var properties object
	for _, name := range targetFields {
		properties = append(properties, entry{name, nullable("string", targetDocs[name])})
	}
	var anyOf []object
	for _, name := range atLeastOne {
		anyOf = append(anyOf, nonEmpty(name))
	}
	return append(nullable("object", doc), entry{"properties", properties}, entry{"anyOf", anyOf})
}

func postconditionSchema() object {
	return append(nullable("object", "What must hold after the step."),
		entry{"required", []string{"kind", "value"}},
		entry{"properties", object{
			{"kind", object{{"description", "What is checked."}, {"enum", Kinds}}},
			{"value", object{
				{"description", "What to look for: a text; for element_exists a title or an object like a target; for exit_code a number; for file_contains an object with file and text."},
				{"type", []string{"string", "object", "integer"}}, {"minLength", 1},
			}},
			{"timeout_ms", millisSchema("How long the condition may take to hold.", DefaultCheckTimeout)},
		}},
		entry{"allOf", []object{
			valueOfKind([]Kind{ElementExists}, object{
				{"type", []string{"string", "object"}}, {"if", object{{"type", "object"}}}, {"then", ref("element")},
			}),
			valueOfKind([]Kind{ExitCode}, object{{"type", "integer"}, {"minimum", 0}, {"maximum", MaxExitCode}}),
			valueOfKind([]Kind{FileContains}, object{
				{"type", "object"}, {"required", fileFields},
				{"properties", object{
					{"file", object{{"description", "The file, relative to the script's work folder."}, {"type", "string"}, {"minLength", 1}}},
					{"text", object{{"description", "The text that it must hold."}, {"type", "string"}, {"minLength", 1}}},
				}},
			}),
			valueOfKind([]Kind{AppFrontmost, WindowTitleContains, TextVisible, OutputContains, OutputMatches}, object{{"type", "string"}}),
		}},
	)
}

// valueOfKind is the rule for the value of postconditions of these kinds.
func valueOfKind(kinds []Kind, value object) object {
	return object{
		{"if", object{{"required", []string{"kind"}}, {"properties", object{{"kind", object{{"enum", kinds}}}}}}},
		{"then", object{{"properties", object{{"value", value}}}}},
	}
}

// scriptKindRule keeps the conditions on scripts to the steps that run one.
func scriptKindRule() object {
	return object{
		{"if", object{{"required", []string{"postcondition"}}, {"properties", object{{"postcondition", object{
			{"type", "object"}, {"required", []string{"kind"}}, {"properties", object{{"kind", object{{"enum", ScriptKinds}}}}},
		}}}}}},
		{"then", object{{"properties", object{{"tool", object{{"const", "script"}}}}}}},
	}
}

func millisSchema(doc string, def time.Duration) object {
	return append(nullable("integer", doc+" In milliseconds."),
		entry{"minimum", 0}, entry{"maximum", MaxTime.Milliseconds()}, entry{"default", def.Milliseconds()})
}
