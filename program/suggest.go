package program

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program/tools"
)

// Place is where a step names an element.
type Place string

// The places: the step's target, the element that its postcondition
// element_exists asks for, and the titles of a click_menu.
const (
	InTarget        Place = "target"
	InPostcondition Place = "postcondition"
	InMenu          Place = "menu"
)

// Replacement says which element a step looked for in vain, and which one it
// should look for instead.
type Replacement struct {
	Place Place
	// Missed is what was looked for. In a menu, its Title is the entry.
	Missed Target
	// Found is what is there. Its App counts only where the step names none,
	// and a Role that means the same as the step's own is best given in the
	// step's spelling.
	Found Target
	// Project is the project's folder as the command should name it; "" where
	// the command is to be run in it.
	Project string
}

// PatchCommand gives the command line, ready for a POSIX shell, that makes the
// step look for what was found: opendesk learn patch NAME --step-id ID 'STEP'.
// Whatever titles hold, it is one line of characters that show. It is "" where
// there is nothing to suggest: the place does not name what was missed, or what
// was found has no title, identifier or role.
func PatchCommand(programPath string, s Step, r Replacement) string {
	if fold.Title(r.Found.Title) == "" {
		r.Found.Title = "" // it shows nothing, and would not be looked for
	}
	step := s.replaced(r)
	if step == "" || strings.Contains(s.ID+r.Project, "\x00") {
		return "" // no command takes a NUL character
	}
	words := []string{"opendesk", "learn", "patch"}
	if r.Project != "" && r.Project != "." {
		words = append(words, "--project="+r.Project)
	}
	name := TaskName(programPath)
	if strings.HasPrefix(name, "-") {
		words = append(words, "--step-id="+s.ID, "--", name, step)
	} else {
		words = append(words, name, "--step-id="+s.ID, step)
	}
	for i, word := range words {
		words[i] = shellQuote(word)
	}
	return strings.Join(words, " ")
}

// TaskName is a program's path as people type it: below the learned folder,
// without the ending.
func TaskName(programPath string) string {
	return strings.TrimSuffix(strings.TrimPrefix(programPath, LearnedDir+"/"), Suffix)
}

// replaced is the step's JSON on one line with the element replaced, "" where
// that cannot be.
func (s Step) replaced(r Replacement) string {
	c := &collector{src: newSource("step", s.Raw)}
	root := readDocument(c)
	if root == nil || root.kind != jsontext.KindBeginObject {
		return ""
	}
	v := valueOf(root, s.Raw)
	ok := false
	switch r.Place {
	case InMenu:
		ok = s.replaceEntry(v, r)
	case InPostcondition:
		ok = s.replaceExpected(v, r)
	case InTarget:
		ok = s.replaceTarget(v, r)
	}
	if !ok {
		return ""
	}
	var b strings.Builder
	oneLine.inline(&b, v)
	return escapeHidden(b.String())
}

// replaceTarget replaces the step's target. The older form, in which params
// name the element, is given up.
func (s Step) replaceTarget(v *value, r Replacement) bool {
	if s.Target == nil || !r.Found.namesElement() {
		return false
	}
	target := v.get("target")
	if target == nil {
		target = &value{kind: jsontext.KindBeginObject}
		v.set("target", target)
	}
	found := r.Found
	if s.Target.App != "" {
		found.App = s.Target.App
	}
	target.retarget(found)
	params := v.get("params")
	tool, _ := tools.Lookup(s.Tool)
	if params == nil || tool == nil {
		return true
	}
	if action, ok := tool.Action(s.Action); ok {
		for _, p := range action.Params {
			if p.TargetField != "" {
				params.remove(p.Name)
			}
		}
	}
	return true
}

// replaceExpected replaces the element that the postcondition asks for.
func (s Step) replaceExpected(v *value, r Replacement) bool {
	if s.Postcondition == nil || s.Postcondition.Element == nil || !r.Found.namesElement() {
		return false
	}
	expected := v.get("postcondition")
	element := expected.get("value")
	if element.kind == jsontext.KindString {
		// A plain title stays one.
		if r.Found.Title != "" {
			expected.set("value", textValue(r.Found.Title))
			return true
		}
		element = &value{kind: jsontext.KindBeginObject}
		expected.set("value", element)
	}
	found := r.Found
	found.App = s.Postcondition.Element.App
	element.retarget(found)
	return true
}

// retarget gives a target's object the fields of t; those that t does not have
// are removed, and what the format does not know stays.
func (v *value) retarget(t Target) {
	for _, name := range targetFields {
		if text := *t.field(name); text == "" {
			v.remove(name)
		} else if was := v.get(name); was == nil || was.text() != text {
			v.set(name, textValue(text))
		}
	}
}

// text is what a string says.
func (v *value) text() string {
	text, err := jsontext.AppendUnquote(nil, v.raw)
	if v.kind != jsontext.KindString || err != nil {
		return ""
	}
	return string(text)
}

// replaceEntry replaces the missed entry on the way through the menus.
func (s Step) replaceEntry(v *value, r Replacement) bool {
	params := v.get("params")
	way, at := s.MenuPath(), -1
	for i, title := range way {
		if title == r.Missed.Title {
			at = i
			break
		}
	}
	if at < 0 || params == nil || fold.Text(r.Found.Title) == "" {
		return false
	}
	way[at] = r.Found.Title
	path := &value{kind: jsontext.KindBeginArray}
	for _, title := range way {
		path.items = append(path.items, textValue(title))
	}
	switch {
	case params.get("path") == nil && at == 0 && s.Text("menu") != "":
		params.set("menu", textValue(r.Found.Title))
	case params.get("path") == nil && len(way) == 2 && !menuSeparator.MatchString(r.Found.Title):
		params.set("menu_item", textValue(r.Found.Title))
	default:
		params.remove("menu")
		params.remove("menu_item")
		params.set("path", path)
	}
	return true
}
