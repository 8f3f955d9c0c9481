package program

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Texts that are typed or copied (the parameter text) and the texts that a
// postcondition looks for may hold variables of the environment: ${env:NAME}
// stands for the value of NAME, and $${ for ${ itself.

// textParam is the parameter in which variables stand for their values.
const textParam = "text"

var (
	// variable finds what begins like a variable, and what escapes one.
	variable     = regexp.MustCompile(`\$\$\{|\$\{env:[^}]*\}?`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Reference is the variable as programs write it.
func Reference(name string) string { return "${env:" + name + "}" }

// expand puts values in the places of variables.
func expand(text string, value func(name string) string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		if found == "$${" {
			return "${"
		}
		return value(referred(found))
	})
}

// referred is the name in a reference.
func referred(found string) string {
	return strings.TrimSuffix(strings.TrimPrefix(found, "${env:"), "}")
}

// variables are the names of a text's variables.
func variables(text string) (names []string) {
	for _, found := range variable.FindAllString(text, -1) {
		if found != "$${" {
			names = append(names, referred(found))
		}
	}
	return names
}

// checkVariables says what is wrong with the variables of a text, "" for nothing.
func checkVariables(text string) string {
	for _, found := range variable.FindAllString(text, -1) {
		switch {
		case found == "$${":
		case !strings.HasSuffix(found, "}"):
			return fmt.Sprintf("holds %s without its closing brace (write $${ for ${ itself)", quote(found))
		case !variableName.MatchString(referred(found)):
			return fmt.Sprintf("holds %s: write ${env:NAME} with a name of letters, digits and _ (and $${ for ${ itself)", quote(found))
		}
	}
	return ""
}

// Variables are the names of the variables that the step's texts hold, sorted.
func (s Step) Variables() []string {
	names := variables(s.Text(textParam))
	if c := s.Postcondition; c != nil {
		names = append(names, variables(c.Value)...)
		if c.Element != nil {
			names = append(names, variables(c.Element.Title)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Expanded is the step with values in the places of variables. Raw stays as the
// file has it.
func (s Step) Expanded(value func(name string) string) Step {
	if text, ok := s.Params[textParam].(string); ok {
		s.Params = maps.Clone(s.Params)
		s.Params[textParam] = expand(text, value)
	}
	if s.Postcondition != nil {
		c := *s.Postcondition
		if c.Kind == OutputMatches {
			c.Value = expand(c.Value, func(name string) string { return regexp.QuoteMeta(value(name)) })
		} else {
			c.Value = expand(c.Value, value)
		}
		if c.Element != nil {
			element := *c.Element
			element.Title = expand(element.Title, value)
			c.Element = &element
		}
		s.Postcondition = &c
	}
	return s
}
