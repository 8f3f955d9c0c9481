package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/opendesk/opendesk/program/tools"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// minimal gives a program of one step that calls the action with the
// parameters that it needs.
func minimal(tool tools.Tool, action tools.Action) map[string]any {
	params := map[string]any{}
	if action.Name != "" {
		params["action"] = action.Name
	}
	for _, p := range action.Params {
		if p.Required {
			params[p.Name] = example(p)
		}
	}
	for _, group := range action.OneOf {
		p, _ := action.Param(group[0])
		params[group[0]] = example(*p)
	}
	step := map[string]any{"id": "s1", "tool": tool.Name, "params": params}
	if action.Target == tools.TargetRequired {
		step["target"] = map[string]any{"title": "a"}
	}
	return map[string]any{"version": 1, "steps": []any{step}}
}

func example(p tools.Param) any {
	switch p.Type {
	case tools.Number, tools.Integer:
		return 1
	case tools.StringList:
		return []any{"shift"}
	default:
		if p.Enum != nil {
			return p.Enum[0]
		}
		return "a"
	}
}

// strange are values that some field takes and most do not, as JSON.
var strange = []string{`null`, `true`, `false`, `""`, `"a"`, `"shift"`, `"Up"`, `"ctrl+s"`, `"page_up"`, `" "`,
	`-1`, `0`, `1`, `1.5`, `2`, `5000`, `4e6`, `-1e9`, `1e40`, `[]`, `["a"]`, `[1]`, `[""]`, `["alt", "f4"]`,
	`{}`, `{"title": "a"}`, `{"app": "a"}`, `{"title": null}`, `{"action": "click"}`,
	`{"kind": "exit_code", "value": 3}`, `{"kind": "output_contains", "value": "a"}`, `{"file": "a", "text": "b"}`,
	`{"kind": "file_contains", "value": {"file": "a", "text": "b"}}`, `"exit_code"`, `"../a"`,
	`{"kind": "text_visible", "value": "a"}`, `{"kind": "element_exists", "value": {"role": "button"}}`}

// fresh decodes one of the strange values, so that no two documents share it.
func fresh(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}

// beyondSchema are errors that JSON Schema cannot express.
var beyondSchema = []string{CodeDuplicateID, CodeUnknownKey, CodeBlankText, CodeBadPath, CodeBadPattern}

func TestSchemaAgreesOnEveryParameter(t *testing.T) {
	schema := compileSchema(t)
	for _, tool := range tools.All() {
		for _, action := range tool.Actions {
			doc := minimal(tool, action)
			if prog, problems := Parse("x", encode(t, doc)); prog == nil || len(problems) > 0 {
				t.Errorf("%s %s: %v", tool.Name, action.Name, problems)
			}
			params := doc["steps"].([]any)[0].(map[string]any)["params"].(map[string]any)
			for _, p := range action.Params {
				before, had := params[p.Name]
				for _, value := range strange {
					params[p.Name] = fresh(value)
					agree(t, schema, doc)
				}
				delete(params, p.Name)
				agree(t, schema, doc)
				if had {
					params[p.Name] = before
				}
			}
		}
	}
}

func TestSchemaAgreesOnMutations(t *testing.T) {
	schema := compileSchema(t)
	random := rand.New(rand.NewPCG(1, 2))
	var good []*row
	for _, r := range readTable(t) {
		if r.good {
			good = append(good, r)
		}
	}
	accepted := 0
	const rounds = 4_000
	for range rounds {
		var doc any
		if err := json.Unmarshal(good[random.IntN(len(good))].data, &doc); err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(3) {
			doc = mutate(random, doc)
		}
		if agree(t, schema, doc) {
			accepted++
		}
	}
	if accepted < rounds/10 || accepted > rounds*9/10 {
		t.Errorf("%d of %d programs were accepted: the mutations prove little", accepted, rounds)
	}
}

// mutate replaces, removes or adds one value somewhere in the document.
func mutate(random *rand.Rand, doc any) any {
	if random.IntN(8) == 0 {
		return fresh(strange[random.IntN(len(strange))])
	}
	switch v := doc.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		switch {
		case len(names) == 0 || random.IntN(10) == 0:
			known := slices.Concat(stepFields, targetFields, postconditionFields, []string{"action", "text", "key", "title", "x"})
			v[known[random.IntN(len(known))]] = fresh(strange[random.IntN(len(strange))])
		case random.IntN(8) == 0:
			delete(v, names[random.IntN(len(names))])
		default:
			name := names[random.IntN(len(names))]
			v[name] = mutate(random, v[name])
		}
		return v
	case []any:
		if len(v) > 0 {
			i := random.IntN(len(v))
			v[i] = mutate(random, v[i])
		}
		return v
	default:
		return fresh(strange[random.IntN(len(strange))])
	}
}

// agree holds Parse and the schema together and says what they found.
func agree(t *testing.T, schema *jsonschema.Schema, doc any) bool {
	t.Helper()
	data := encode(t, doc)
	prog, problems := Parse("x", data)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	err = schema.Validate(instance)
	if (prog != nil) == (err == nil) {
		return prog != nil
	}
	for _, p := range problems {
		if p.Severity == Error && !slices.Contains(beyondSchema, p.Code) {
			t.Fatalf("%s\nParse: %v\nschema: %v", data, problems, err)
		}
	}
	if err != nil {
		t.Fatalf("%s\nParse: %v\nschema: %v", data, problems, err)
	}
	return false
}

func encode(t *testing.T, doc any) []byte {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(fmt.Errorf("%v: %w", doc, err))
	}
	return data
}
