package program

// Stable codes of the problems, for filters and tests.
const (
	CodeMissingFile       = "missing-file"
	CodePermission        = "permission-denied"
	CodeNotRegular        = "not-a-regular-file"
	CodeUnreadable        = "unreadable"
	CodeTooLarge          = "file-too-large"
	CodeEmptyFile         = "empty-file"
	CodeNotUTF8           = "not-utf8"
	CodeSyntax            = "syntax"
	CodeTrailingData      = "trailing-data"
	CodeDuplicateKey      = "duplicate-key"
	CodeTooDeep           = "too-deep"
	CodeTooManyValues     = "too-many-values"
	CodeNotAnObject       = "not-an-object"
	CodeWrongType         = "wrong-type"
	CodeVersion           = "unsupported-version"
	CodeName              = "bad-name"
	CodeNoSteps           = "no-steps"
	CodeTooManySteps      = "too-many-steps"
	CodeMissingField      = "missing-field"
	CodeEmptyValue        = "empty-value"
	CodeBlankText         = "blank-text"
	CodeDuplicateID       = "duplicate-id"
	CodeUnknownTool       = "unknown-tool"
	CodeUnknownAction     = "unknown-action"
	CodeMissingParameter  = "missing-parameter"
	CodeBadValue          = "bad-value"
	CodeBadTime           = "bad-time"
	CodeBadVariable       = "bad-variable"
	CodeUnknownKey        = "unknown-key"
	CodeUnknownKind       = "unknown-postcondition"
	CodeMisplacedKind     = "misplaced-postcondition"
	CodeBadPattern        = "bad-pattern"
	CodeBadPath           = "bad-path"
	CodeMissingCode       = "missing-code"
	CodeUnusableCode      = "unusable-code"
	CodeCodeSyntax        = "code-syntax"
	CodeOverCap           = "over-the-cap"
	CodeEmptyTarget       = "empty-target"
	CodeMissingTarget     = "missing-target"
	CodeUnknownField      = "unknown-field"
	CodeUnknownParameter  = "unknown-parameter"
	CodeIgnoredParameter  = "ignored-parameter"
	CodeShadowedParameter = "shadowed-parameter"
	CodeTargetConflict    = "target-conflict"
	CodeNoVersion         = "no-version"
	CodeTooManyProblems   = "too-many-problems"
)

// CodeInfo describes one code.
type CodeInfo struct {
	Code     string
	Severity Severity
	Doc      string
}

// Codes lists every code that a Problem can have.
var Codes = []CodeInfo{
	{CodeMissingFile, Error, "The file does not exist, or is a link to nothing."},
	{CodePermission, Error, "The user may not read the file or folder."},
	{CodeNotRegular, Error, "The path is a folder, a pipe, a socket or a device."},
	{CodeUnreadable, Error, "The file or folder cannot be read for another reason."},
	{CodeTooLarge, Error, "The file has more than 8 MiB."},
	{CodeEmptyFile, Error, "The file holds nothing but white space."},
	{CodeNotUTF8, Error, "The file is not UTF-8."},
	{CodeSyntax, Error, "The file is not JSON."},
	{CodeTrailingData, Error, "Something follows the program."},
	{CodeDuplicateKey, Error, "An object has the same key twice."},
	{CodeTooDeep, Error, "Objects and lists are nested deeper than 100 levels."},
	{CodeTooManyValues, Error, "The file holds more than a million values."},
	{CodeNotAnObject, Error, "The file is JSON, but no object."},
	{CodeWrongType, Error, "A value has another type than its field."},
	{CodeVersion, Error, "The version is not 1."},
	{CodeName, Error, "The name holds a path separator."},
	{CodeNoSteps, Error, "There are no steps."},
	{CodeTooManySteps, Error, "There are more than 10,000 steps."},
	{CodeMissingField, Error, "A field that must be there is not."},
	{CodeEmptyValue, Error, "A text or list that must hold something is empty."},
	{CodeBlankText, Error, "A text to look for has nothing in it that shows."},
	{CodeDuplicateID, Error, "Two steps have the same id."},
	{CodeUnknownTool, Error, "There is no such tool."},
	{CodeUnknownAction, Error, "The tool has no such action."},
	{CodeMissingParameter, Error, "The action needs a parameter that is not there."},
	{CodeBadValue, Error, "A value is outside of its range or not one of the words allowed."},
	{CodeBadTime, Error, "A time is negative, longer than an hour, or no whole number of milliseconds."},
	{CodeBadVariable, Error, "A variable of the environment has no name, or a name that none can have."},
	{CodeUnknownKey, Error, "There is no such key or modifier."},
	{CodeUnknownKind, Error, "There is no such kind of postcondition."},
	{CodeMisplacedKind, Error, "The kind of postcondition is for scripts, and the step runs none."},
	{CodeBadPattern, Error, "A pattern is no regular expression."},
	{CodeBadPath, Error, "A path leads out of its folder, or is none that can be had on every system."},
	{CodeMissingCode, Error, "A script's file is not in the folder of the program's code."},
	{CodeUnusableCode, Error, "The folder of the program's code, or a file in it, cannot be used: a link out of it, too large, or not to be read."},
	{CodeCodeSyntax, Error, "A script is not valid Python."},
	{CodeOverCap, Error, "A script asks for more than the project's eval.yaml allows."},
	{CodeEmptyTarget, Error, "A target names nothing, or an element is asked for and no element named."},
	{CodeMissingTarget, Error, "The action needs a target that names an element."},
	{CodeUnknownField, Warning, "The format has no such field; it is ignored."},
	{CodeUnknownParameter, Warning, "The tool has no such parameter; it is ignored."},
	{CodeIgnoredParameter, Warning, "The parameter is accepted and has no meaning in a run, or none for this action."},
	{CodeShadowedParameter, Warning, "Two parameters say the same thing, and this one loses."},
	{CodeTargetConflict, Warning, "params and target name different elements; target wins."},
	{CodeNoVersion, Warning, "The file has no version and counts as version 1."},
	{CodeTooManyProblems, Warning, "There are more problems than are listed."},
}

// severityOf gives the severity that a code always has.
var severityOf = func() map[string]Severity {
	m := make(map[string]Severity, len(Codes))
	for _, c := range Codes {
		m[c.Code] = c.Severity
	}
	return m
}()
