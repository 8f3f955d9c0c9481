package program

import (
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/internal/fold"
)

// MaxExitCode is the highest exit code that there is.
const MaxExitCode = 255

// fileFields are the members of the value of file_contains.
var fileFields = []string{"file", "text"}

// ofScript reads what is expected of what a script has left. It has ended when
// that is looked at, so that there is nothing to wait for.
func (d *decoder) ofScript(v *node, path string, p *Postcondition) {
	p.Timeout = 0
	if i := slices.IndexFunc(v.members, func(m member) bool { return m.name == "timeout_ms" }); v.get("timeout_ms") != nil {
		d.ignore(v.members[i], joinPath(path, "timeout_ms"), "what a script has left is looked at once it has ended")
	}
	at := joinPath(path, "value")
	n := v.get("value")
	switch {
	case n == nil:
		d.add(CodeMissingField, v.start, at, "is missing: say what to look for")
	case p.Kind == ExitCode:
		d.exitCode(n, at, p)
	case p.Kind == FileContains:
		d.fileContains(n, at, p)
	default:
		p.Value = d.expectedText(n, at)
		if p.Kind == OutputMatches {
			d.pattern(p.Value, n, at)
		}
	}
}

func (d *decoder) exitCode(n *node, path string, p *Postcondition) {
	highest := float64(MaxExitCode)
	if d.number(n, path, numberRule{whole: true, minimum: new(float64), maximum: &highest}) {
		p.Code = int(n.number)
	}
}

func (d *decoder) fileContains(n *node, path string, p *Postcondition) {
	if n.kind != jsontext.KindBeginObject {
		d.add(CodeWrongType, n.start, path, "must be an object with file and text, not %s", n.kindName())
		return
	}
	d.unknownFields(n, path, fileFields)
	if file := d.needed(n, path, "file"); file != nil {
		name, ok := d.stringOf(file, joinPath(path, "file"))
		wrong := checkFilePath(name)
		switch {
		case !ok:
		case name == "":
			d.add(CodeEmptyValue, file.start, joinPath(path, "file"), "is empty: name a file that the script saves")
		case wrong != "":
			d.add(CodeBadPath, file.start, joinPath(path, "file"), "%s %s", quote(name), wrong)
		default:
			p.File = name
		}
	}
	if text := d.needed(n, path, "text"); text != nil {
		p.Value = d.expectedText(text, joinPath(path, "text"))
	}
}

// needed is a member that must be there.
func (d *decoder) needed(n *node, path, field string) *node {
	v := n.get(field)
	if v == nil {
		d.add(CodeMissingField, n.start, joinPath(path, field), "is missing: say which file is to hold which text")
	}
	return v
}

// expectedText reads a text that must show something, "" where it does not.
func (d *decoder) expectedText(n *node, path string) string {
	text, ok := d.stringOf(n, path)
	switch {
	case !ok:
	case text == "":
		d.add(CodeEmptyValue, n.start, path, "is empty, which would hold always: say what to look for")
	case fold.Text(text) == "":
		d.add(CodeBlankText, n.start, path, "shows nothing, which would hold always: say what to look for")
	case checkVariables(text) != "":
		d.add(CodeBadVariable, n.start, path, "%s", checkVariables(text))
	default:
		return text
	}
	return ""
}

// pattern holds a pattern against the grammar of Go's regular expressions. One
// that matches nothing at all would hold always.
func (d *decoder) pattern(text string, n *node, path string) {
	if text == "" {
		return
	}
	re, err := regexp.Compile(text)
	switch {
	case err != nil:
		d.add(CodeBadPattern, n.start, path, "is no regular expression: %v", err)
	case re.MatchString(""):
		d.add(CodeBadPattern, n.start, path, "matches an empty output, so that it would hold always: say what must be there")
	}
}

// checkFilePath says what keeps a path from being below a script's work
// folder, "" for nothing.
func checkFilePath(name string) string {
	if wrong := checkCodePath(name); wrong != "" {
		return "is no file in the script's work folder: use a relative path with forward slashes, such as unpaid.txt"
	}
	return ""
}
