package program

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/opendesk/opendesk/program/tools"
)

// callRules ties a step's params and target to its tool and action.
func callRules() []object {
	var rules []object
	for _, tool := range tools.All() {
		isTool := entry{"tool", object{{"const", tool.Name}}}
		if tool.HasActions() {
			rules = append(rules, object{
				{"if", object{{"required", []string{"tool"}}, {"properties", object{isTool}}}},
				{"then", object{{"required", []string{"params"}}, {"properties", object{{"params", object{
					{"type", "object"},
					{"required", []string{"action"}},
					{"properties", object{{"action", object{{"description", tool.Doc}, {"enum", tool.ActionNames()}}}}},
				}}}}}},
			})
		}
		for _, action := range tool.Actions {
			condition := object{{"required", []string{"tool"}}, {"properties", object{isTool}}}
			if tool.HasActions() {
				isAction := object{{"required", []string{"action"}}, {"properties", object{{"action", object{{"const", action.Name}}}}}}
				condition = object{{"required", []string{"tool", "params"}}, {"properties", object{isTool, {"params", isAction}}}}
			}
			consequence := object{{"properties", object{{"params", ref(defName(tool, action))}}}}
			if !tool.HasActions() && slices.ContainsFunc(action.Params, func(p tools.Param) bool { return p.Required }) {
				consequence = append(consequence, entry{"required", []string{"params"}})
			}
			if action.Target == tools.TargetRequired {
				consequence = append(consequence, entry{"anyOf", elementNamed(action)})
			}
			rules = append(rules, object{{"if", condition}, {"then", consequence}})
		}
	}
	return rules
}

// elementNamed lists the ways in which a step can name its element.
func elementNamed(action tools.Action) []object {
	ways := []object{{{"required", []string{"target"}}, {"properties", object{{"target", object{
		{"type", "object"}, {"$ref", "#/$defs/element"},
	}}}}}}
	for _, p := range action.Params {
		if p.TargetField != "" && p.TargetField != "app" {
			ways = append(ways, object{{"required", []string{"params"}}, {"properties", object{{"params", nonEmpty(p.Name)}}}})
		}
	}
	return ways
}

func defName(tool tools.Tool, action tools.Action) string {
	return strings.TrimSuffix("params-"+tool.Name+"-"+action.Name, "-")
}

// actionDefs holds the parameters of every action.
func actionDefs() object {
	var defs object
	for _, tool := range tools.All() {
		for _, action := range tool.Actions {
			defs = append(defs, entry{defName(tool, action), actionSchema(tool, action)})
		}
	}
	return defs
}

func actionSchema(tool tools.Tool, action tools.Action) object {
	schema := object{
		{"title", strings.TrimSpace(tool.Name + " " + action.Name)},
		{"description", action.Doc},
	}
	if action.OneOf != nil || slices.ContainsFunc(action.Params, func(p tools.Param) bool { return p.Required }) {
		schema = append(schema, entry{"type", "object"})
	}
	var properties object
	var required []string
	for _, p := range action.Params {
		properties = append(properties, entry{p.Name, paramSchema(p)})
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if properties != nil {
		schema = append(schema, entry{"properties", properties})
	}
	if required != nil {
		schema = append(schema, entry{"required", required})
	}
	var groups []object
	for _, group := range action.OneOf {
		var anyOf []object
		for _, name := range group {
			anyOf = append(anyOf, present(name))
		}
		groups = append(groups, object{{"anyOf", anyOf}})
	}
	if groups != nil {
		schema = append(schema, entry{"allOf", groups})
	}
	return schema
}

func paramSchema(p tools.Param) object {
	schema := object{{"description", paramDoc(p)}}
	kind := string(p.Type)
	if p.Type == tools.StringList {
		kind = "array"
	}
	if p.Required {
		schema = append(schema, entry{"type", kind})
	} else {
		schema = append(schema, entry{"type", []string{kind, "null"}})
	}
	if p.Type == tools.StringList {
		if p.NonEmpty {
			schema = append(schema, entry{"minItems", 1})
		}
		schema = append(schema, entry{"items", append(object{{"type", "string"}}, textRules(p)...)})
	} else {
		schema = append(schema, textRules(p)...)
	}
	if p.Minimum != nil {
		schema = append(schema, entry{"minimum", *p.Minimum})
	}
	if p.Maximum != nil {
		schema = append(schema, entry{"maximum", *p.Maximum})
	}
	if p.Default != nil {
		schema = append(schema, entry{"default", p.Default})
	}
	return schema
}

// textRules are the rules for a text, or for a list's entries.
func textRules(p tools.Param) object {
	var rules object
	if p.NonEmpty {
		rules = append(rules, entry{"minLength", 1})
	}
	switch {
	case p.Enum != nil:
		rules = append(rules, entry{"pattern", "^(" + anyCase(p.Enum) + ")$"}, entry{"examples", p.Enum})
	case p.Names == tools.KeyNames:
		rules = append(rules, entry{"pattern", `^([\s\S]|[A-Za-z0-9_]+|U\+[0-9A-Fa-f]{4,6})$`}, entry{"examples", []string{"return", "page_up", "a", "XF86AudioPlay"}})
	case p.Names == tools.ModifierNames:
		var names []string
		for _, m := range tools.Modifiers() {
			names = append(names, m.Name)
		}
		rules = append(rules, entry{"pattern", "^(" + anyCase(names) + "|" + strings.Join(tools.ModifierKeysyms(), "|") + ")$"}, entry{"examples", names})
	}
	return rules
}

func paramDoc(p tools.Param) string {
	doc := p.Doc
	switch p.Unit {
	case "ms":
		doc += " In milliseconds."
	case "s":
		doc += " In seconds."
	}
	if p.Ignored != "" {
		doc += " Ignored in a run: " + p.Ignored + "."
	}
	return doc
}

// anyCase gives a pattern for the words without regard to case; JSON Schema's
// patterns have no flag for it.
func anyCase(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, r := range word {
			if unicode.IsLetter(r) {
				b.WriteString("[" + string(unicode.ToLower(r)) + string(unicode.ToUpper(r)) + "]")
			} else {
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	return b.String()
}
