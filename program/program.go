// Package program is the learned-program format: its types, loading,
// validation, JSON Schema and the folder that programs live in.
//
// A learned program is a desktop task turned into a fixed list of tool calls.
// Each call targets an element of the user interface by identity (application,
// role, title, identifier) and may carry a postcondition that is checked after
// the call.
package program

import (
	"encoding/json"
	"slices"
	"time"
)

// Defaults of the format, used where a file is silent.
const (
	// DefaultResolveTimeout is how long a target is looked for.
	DefaultResolveTimeout = 5000 * time.Millisecond
	// DefaultCheckTimeout is how long a postcondition may take to hold.
	DefaultCheckTimeout = 5000 * time.Millisecond
)

// Limits of the format. A file beyond one of them does not load.
const (
	// MaxFileBytes is the largest program file that is read.
	MaxFileBytes = 8 << 20
	// MaxSteps is the largest number of steps in one program.
	MaxSteps = 10_000
	// MaxTime is the longest time that any single field may ask for.
	MaxTime = time.Hour
)

// Version is the only format version there is. A file without one counts as
// this version, with a warning.
const Version = 1

// Program is one loaded and valid program. It can only be had from Load or
// Parse, so whoever holds one holds a checked one.
type Program struct {
	// Path is the program's identity: the file's path relative to the
	// project, with forward slashes.
	Path string
	// Name, Description and Source are the file's own words.
	Name        string
	Description string
	Source      string
	// Strict and Locked are the file's "strict" and "locked" fields.
	Strict bool
	Locked bool
	// Steps are never empty and their ids are unique.
	Steps []Step
	// Raw holds the bytes of the file.
	Raw []byte
	// Code is the folder of the program's scripts as it was when the program was
	// loaded, sorted by name. It is empty for a program without scripts, and for
	// one that was parsed and not loaded.
	Code []CodeFile
}

// Step is one tool call of a program.
type Step struct {
	// ID is the step's stable id ("s1"); ids are never renumbered.
	ID string
	// Index is the step's place in the file, from 0.
	Index int
	// Line and Column say where the step's object begins in the file, from 1.
	Line, Column int
	// Tool is the tool's name: ui, keyboard, app, mouse, clipboard, script or
	// wait.
	Tool string
	// Action is params.action, or "" for a tool without actions (wait).
	Action string
	// Params are the call's other parameters as the file gives them, every one
	// of them checked against the table in program/tools. Numbers are
	// float64, lists []any of strings, words of an enumeration in the table's
	// spelling. Parameters that are null, unknown to the action, or moved into
	// Target (app, title, role) are not in it.
	Params map[string]any
	// Target is nil where the step names none. Where an action needs one it
	// names more than an app.
	Target *Target
	// Postcondition is nil where the step has none.
	Postcondition *Postcondition
	// ResolveTimeout is how long the target is looked for.
	ResolveTimeout time.Duration
	// Wait is the pause after the action and before the check.
	Wait time.Duration
	// Note is the file's free text.
	Note string
	// Locked is the step's "locked" field.
	Locked bool
	// Raw is the step's JSON object as the file has it.
	Raw json.RawMessage

	codeAt place // where a script's file is named
}

// Target names an element by identity. Empty fields are not asked for.
type Target struct {
	App        string `json:"app,omitempty"`
	Role       string `json:"role,omitempty"`
	Title      string `json:"title,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	// Ref is a structural path (frame[0]/panel[1]/push button[2]).
	Ref string `json:"ref,omitempty"`
}

// IsZero reports whether the target asks for nothing.
func (t Target) IsZero() bool { return t == Target{} }

// Kind is the kind of a postcondition.
type Kind string

// The kinds of postconditions: four of what is on the screen, and four of what
// a script has left.
const (
	AppFrontmost        Kind = "app_frontmost"
	WindowTitleContains Kind = "window_title_contains"
	ElementExists       Kind = "element_exists"
	TextVisible         Kind = "text_visible"

	ExitCode       Kind = "exit_code"
	OutputContains Kind = "output_contains"
	OutputMatches  Kind = "output_matches"
	FileContains   Kind = "file_contains"
)

// ScreenKinds are those that any step may have, ScriptKinds those of scripts
// alone, and Kinds all, in the order in which documents name them.
var (
	ScreenKinds = []Kind{AppFrontmost, WindowTitleContains, ElementExists, TextVisible}
	ScriptKinds = []Kind{ExitCode, OutputContains, OutputMatches, FileContains}
	Kinds       = slices.Concat(ScreenKinds, ScriptKinds)
)

// OfScript reports whether the condition is about what a script has left.
func (k Kind) OfScript() bool { return slices.Contains(ScriptKinds, k) }

// Postcondition is what must hold after a step.
type Postcondition struct {
	Kind Kind
	// Value is the text to look for. For ElementExists given as a title it is
	// the title; given as a target-like object it is empty.
	Value string
	// Element is set for ElementExists only: the target to look up, also
	// where the file gives a plain title. Its App is empty where the file names
	// none there.
	Element *Target
	// Code is the exit code of ExitCode.
	Code int
	// File is the file of FileContains, relative to the script's work folder.
	File string
	// Timeout is how long the condition may take to hold.
	Timeout time.Duration
	// Line and Column say where it stands in the file, from 1.
	Line, Column int
}

// Severity tells an error from a warning.
type Severity string

// An Error keeps a file from being run; a Warning does not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one finding of the loader, located in the file.
type Problem struct {
	Severity Severity `json:"severity"`
	// Code is a stable short name of the kind of problem ("unknown-tool").
	Code string `json:"code"`
	// File is the path as the caller gave it, Line and Column count from 1;
	// they are 0 where the problem has no place (a missing file).
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// JSONPath is the place inside the document ("steps[2].target.role").
	JSONPath string `json:"json_path,omitempty"`
	// Message says what is wrong and what to do, without the place.
	Message string `json:"message"`
}
