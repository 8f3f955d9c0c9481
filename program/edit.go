package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/program/tools"
)

// EditMode is what an Edit does.
type EditMode string

// The modes. Without one, an edit that names a step replaces it, and one that
// names none appends.
const (
	Replace      EditMode = "replace"
	InsertBefore EditMode = "insert_before"
	InsertAfter  EditMode = "insert_after"
	Append       EditMode = "append"
	Delete       EditMode = "delete"
)

// EditModes lists every mode, in the order in which documents name them.
var EditModes = []EditMode{Replace, InsertBefore, InsertAfter, Append, Delete}

// Edit is one change of a program's list of steps.
type Edit struct {
	// Mode is "" for the default.
	Mode EditMode
	// StepID is the step that is replaced or deleted, or beside which one is
	// inserted.
	StepID string
	// Step is the JSON object of the new step. Without an id it gets the id of
	// the one that it replaces, else the next free one.
	Step []byte
	// Unlock edits what is locked.
	Unlock bool
}

// Edited is the outcome of an edit.
type Edited struct {
	// Mode is the mode that was meant, StepID the id of the new step, or of the
	// deleted one.
	Mode   EditMode
	StepID string
	// Data is the file after the edit.
	Data []byte
	// Program is what Data holds.
	Program *Program
	// Warnings are the loader's about the new step. Their File is "step ID",
	// their JSONPath begins at the step.
	Warnings []Problem
}

// InvalidError says that a document, or what an edit would make of it, does
// not load. It lists every problem: those of a new step as in Edited.Warnings,
// others with their place in the file as it is.
type InvalidError struct {
	// What does not load: "the program", "the step", "the result".
	What     string
	Problems []Problem
}

func (e *InvalidError) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	lines = append(lines, e.What+" is not valid:")
	for _, p := range e.Problems {
		lines = append(lines, "  "+p.String())
	}
	return strings.Join(lines, "\n")
}

// LockedError says that the program or one of its steps must not be edited.
type LockedError struct {
	// StepID is "" for the program.
	StepID string
}

func (e *LockedError) Error() string {
	what := "the program"
	if e.StepID != "" {
		what = "step " + quote(e.StepID)
	}
	return what + ` is locked: --unlock changes it all the same`
}

// Apply gives the file after the edit; path names it in problems. Every byte
// outside of the edited step, and of the comma beside it, stays as it is. A new
// step is spread over lines as the steps beside it are, and keeps its own
// spelling of numbers and texts. Ids are never renumbered. The result loads: an
// edit after which it would not is refused with an *InvalidError, one of what
// is locked with a *LockedError.
func (e Edit) Apply(path string, data []byte) (*Edited, error) {
	mode, err := e.mode()
	if err != nil {
		return nil, err
	}
	doc, err := openSteps(path, data, e.Unlock)
	if err != nil {
		return nil, err
	}
	at, err := doc.anchor(mode, e.StepID)
	if err != nil {
		return nil, err
	}
	var step *value
	if mode != Delete {
		if step, err = parseStep(e.Step); err != nil {
			return nil, err
		}
	}
	s := splice{steps: doc, mode: mode, at: at}
	id, err := s.run(step)
	if err != nil {
		return nil, err
	}
	out := slices.Concat(data[:s.start], []byte(s.text), data[s.end:])
	prog, problems := parseResult(path, out)
	own, others := s.place(problems, path, out)
	if prog == nil {
		return nil, &InvalidError{What: "the result", Problems: onlyErrors(append(own, others...))}
	}
	return &Edited{Mode: mode, StepID: id, Data: out, Program: prog, Warnings: own}, nil
}

func onlyErrors(problems []Problem) []Problem {
	return slices.DeleteFunc(problems, func(p Problem) bool { return p.Severity != Error })
}

// mode gives the mode that is meant and holds it against the rest.
func (e Edit) mode() (EditMode, error) {
	mode := e.Mode
	switch {
	case mode == "" && e.StepID != "":
		mode = Replace
	case mode == "":
		mode = Append
	case !slices.Contains(EditModes, mode):
		names := make([]string, len(EditModes))
		for i, m := range EditModes {
			names[i] = string(m)
		}
		return "", fmt.Errorf("mode %s", unknownWord(string(mode), names))
	}
	switch {
	case mode == Append && e.StepID != "":
		return "", fmt.Errorf("append takes no step id: the new step comes last (insert_after puts it behind %s)", quote(e.StepID))
	case mode != Append && e.StepID == "":
		return "", fmt.Errorf("%s needs the id of a step", mode)
	case mode == Delete && e.Step != nil:
		return "", fmt.Errorf("delete takes no step")
	case mode != Delete && e.Step == nil:
		return "", fmt.Errorf("%s needs a step", mode)
	}
	return mode, nil
}

// steps is the list of steps in a file that need not be valid.
type steps struct {
	data []byte
	src  *source
	list *node
	// unlock says that locks do not count.
	unlock bool
}

func openSteps(path string, data []byte, unlock bool) (*steps, error) {
	c := &collector{src: newSource(path, data)}
	root := readDocument(c)
	var list *node
	if root != nil && root.kind == jsontext.KindBeginObject {
		list = root.get("steps")
	}
	if list == nil || list.kind != jsontext.KindBeginArray {
		_, problems := Parse(path, data)
		return nil, &InvalidError{What: "the program", Problems: onlyErrors(problems)}
	}
	if !unlock && isTrue(root.get("locked")) {
		return nil, &LockedError{}
	}
	return &steps{data: data, src: c.src, list: list, unlock: unlock}, nil
}

func isTrue(n *node) bool { return n != nil && n.kind == jsontext.KindTrue }

// idOf is a step's id, "" where it has none.
func idOf(n *node) string {
	if id := n.get("id"); id != nil {
		return id.text
	}
	return ""
}

// ids lists the ids of the steps.
func (d *steps) ids() []string {
	var ids []string
	for _, item := range d.list.items {
		if id := idOf(item); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// anchor finds the step that the edit names; without one it is the last.
func (d *steps) anchor(mode EditMode, id string) (int, error) {
	if id == "" {
		return len(d.list.items) - 1, nil
	}
	at := -1
	for i, item := range d.list.items {
		if idOf(item) != id {
			continue
		}
		if at >= 0 {
			line, column := d.src.position(item.start)
			first, firstColumn := d.src.position(d.list.items[at].start)
			return 0, fmt.Errorf("two steps have the id %s (at %d:%d and %d:%d): give one of them another in the file", quote(id), first, firstColumn, line, column)
		}
		at = i
	}
	if at < 0 {
		ids := d.ids()
		if hint := tools.Closest(id, ids); hint != "" {
			return 0, fmt.Errorf("there is no step %s (did you mean %s?)", quote(id), quote(hint))
		}
		if len(ids) > maxListed {
			return 0, fmt.Errorf("there is no step %s (there are %s, …, %s)", quote(id), list(ids[:maxListed-1]), ids[len(ids)-1])
		}
		return 0, fmt.Errorf("there is no step %s (there is %s)", quote(id), list(ids))
	}
	if (mode == Replace || mode == Delete) && !d.unlock && isTrue(d.list.items[at].get("locked")) {
		return 0, &LockedError{StepID: id}
	}
	return at, nil
}

// maxListed bounds how many ids a message lists.
const maxListed = 10

// numberedID gives the id of a number.
func numberedID(n int) string { return "s" + strconv.Itoa(n) }

// nextID is the free id after the highest: s4 after s1, s3.
func nextID(ids []string) string { return numberedID(highestID(ids) + 1) }

// highestID is the highest number in ids such as s3.
func highestID(ids []string) int {
	highest := 0
	for _, id := range ids {
		digits, ok := strings.CutPrefix(id, "s")
		if n, err := strconv.Atoi(digits); ok && err == nil && n <= maxNumberedID {
			highest = max(highest, n)
		}
	}
	return highest
}

// maxNumberedID is the highest number from which ids are counted on.
const maxNumberedID = 1_000_000_000

// parseStep reads a step that stands alone.
func parseStep(data []byte) (*value, error) {
	c := &collector{src: newSource("step", data)}
	c.src.words = stepWords
	root := readDocument(c)
	if root != nil && root.kind != jsontext.KindBeginObject {
		c.add(CodeWrongType, root.start, "", "must be an object with tool and params, not %s", root.kindName())
	}
	if c.errors > 0 {
		return nil, &InvalidError{What: "the step", Problems: c.sorted()}
	}
	return valueOf(root, data), nil
}
