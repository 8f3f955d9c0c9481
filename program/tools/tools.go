// Package tools is the one declarative table of tools, actions and parameters
// that learned programs may call. Validation, JSON Schema, step binding and
// documents are made from it; nothing else may list a tool or a parameter.
//
// The parameters are those of the Python opendesk's tools, so that programs
// made there run here unmodified.
package tools

// Type is the type of a parameter's value.
type Type string

// The types that parameters have.
const (
	String     Type = "string"
	Number     Type = "number"
	Integer    Type = "integer"
	StringList Type = "list of strings"
)

// Effect says whether an action acts on the desktop or only reads it.
type Effect string

// Acts changes the desktop; Reads is legal in a program and does nothing in a
// run, except ui get_value, whose result is recorded.
const (
	Acts  Effect = "acts"
	Reads Effect = "reads"
)

// TargetUse says what an action does with the step's target.
type TargetUse string

// How an action uses its step's target.
const (
	// TargetNone: the target, if any, only names the app.
	TargetNone TargetUse = "none"
	// TargetWithoutPoint: the target is resolved where it names more than an
	// app and params give neither x nor y; coordinates win over it.
	TargetWithoutPoint TargetUse = "without point"
	// TargetOptional: the target is resolved where it names more than an app.
	TargetOptional TargetUse = "optional"
	// TargetRequired: the step is invalid without a target or its equivalent
	// in params.
	TargetRequired TargetUse = "required"
)

// Names says which names a string parameter takes.
type Names string

// The vocabularies of names.
const (
	// AnyText: no vocabulary.
	AnyText Names = ""
	// KeyNames: what ParseKey accepts, modifiers included.
	KeyNames Names = "key"
	// ModifierNames: what ParseModifier accepts.
	ModifierNames Names = "modifier"
)

// Param is one parameter of an action.
type Param struct {
	Name string
	Type Type
	// Default is the value where the program is silent; nil for none.
	Default any
	// Required parameters must be present.
	Required bool
	// Enum lists the only accepted values (compared without case); nil for any.
	Enum []string
	// NonEmpty texts and lists hold at least one character or entry.
	NonEmpty bool
	// Names is the vocabulary of a String or of a StringList's entries.
	Names Names
	// Path says that a String is a file in the folder of the program's code:
	// relative, with forward slashes, and never outside.
	Path bool
	// TargetField is the field of the step's target that the parameter is moved
	// into ("app", "role", "title"); "" for a parameter that stays in params.
	TargetField string
	// ShadowedBy names the parameter that wins where both are given.
	ShadowedBy string
	// Minimum and Maximum bound a number; nil for no bound.
	Minimum, Maximum *float64
	// Unit is the unit of a number ("ms", "s", "px", "clicks"), "" for none.
	Unit string
	// Ignored says why the parameter has no meaning in a run; "" if it has one.
	Ignored string
	Doc     string
}

// Action is one action of a tool. The tool wait has one, with an empty name.
type Action struct {
	Name   string
	Effect Effect
	Target TargetUse
	Params []Param
	// OneOf lists groups of parameters of which at least one must be present.
	OneOf [][]string
	Doc   string
	// Script is what scripts are told of the action beyond that.
	Script Script
}

// Script is what the Python module for scripts has of an action.
type Script struct {
	// Doc is the action's Doc for scripts, "" where it is the same: reads that
	// do nothing in a program give scripts what they read.
	Doc string
	// Returns is what a call gives, of the Python type Type; "" for nothing.
	Returns, Type string
	// Edges says what there is to know of it beside, "" for nothing.
	Edges string
	// Example is a call as a script has it.
	Example string
}

// Tool is one tool.
type Tool struct {
	Name    string
	Doc     string
	Actions []Action
	// InProgram says that the tool needs files that are saved with a program:
	// no single step can call it, and no script.
	InProgram bool
}
