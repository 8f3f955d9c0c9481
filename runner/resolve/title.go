package resolve

import (
	"regexp"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// forms are the folded texts under which a title is known.
type forms struct {
	exact []string
	signs []string // the same with fold.Signs
}

// formsOf gives the forms of a title. The title of a control counts with and
// without the mark of its mnemonic and the column of its shortcut.
func formsOf(title string, control bool) forms {
	var f forms
	f.add(fold.Text(title))
	if control {
		f.add(fold.Title(title))
	}
	return f
}

func (f *forms) add(folded string) {
	if folded == "" || slices.Contains(f.exact, folded) {
		return
	}
	f.exact = append(f.exact, folded)
	f.signs = append(f.signs, fold.Signs(folded))
}

// match compares the wanted forms with an element's.
func (f forms) match(of forms) titleMatch {
	best := noMatch
	for i, want := range f.exact {
		for j, have := range of.exact {
			switch {
			case have == want:
				return exactMatch
			case of.signs[j] == f.signs[i]:
				best = signMatch
			case best == noMatch && strings.Contains(of.signs[j], f.signs[i]):
				best = partMatch
			}
		}
	}
	return best
}

// controls are the roles whose titles may mark a mnemonic or hold a shortcut.
var controls = map[string]bool{
	"button": true, "check box": true, "switch": true, "radio button": true, "combo box": true,
	"menu": true, "menu item": true, "page tab": true,
}

// nameForms are those of the element's name. GTK 4 doubles the name of some
// widgets ("_Retry Retry", "1 1"): each half counts.
func nameForms(e *desktop.Element) forms {
	control := controls[e.Role]
	f := formsOf(e.Name, control)
	if half := halfOf(e.Name); control && half != "" {
		f.add(fold.Title(half))
	}
	return f
}

// halfOf is the second half of a doubled name, "" for another name.
func halfOf(name string) string {
	words := strings.Fields(name)
	n := len(words)
	if n == 0 || n%2 != 0 {
		return ""
	}
	first, second := strings.Join(words[:n/2], " "), strings.Join(words[n/2:], " ")
	if fold.Title(first) != fold.Title(second) {
		return ""
	}
	return second
}

// contentForms are those of what an element shows that has no name.
func contentForms(e *desktop.Element) forms {
	if !nameless(e) {
		return forms{}
	}
	return formsOf(content(e), false)
}

// class matches the names of classes, which GTK 4 gives to widgets that have
// no name.
var class = regexp.MustCompile(`^(?:Gtk|Adw)[A-Z][A-Za-z]*$`)

func nameless(e *desktop.Element) bool {
	return strings.TrimSpace(e.Name) == "" || class.MatchString(e.Name)
}

// maxContent bounds how many labels make up what an element shows.
const maxContent = 4

// content is what people read on an element that has no name: its text, or
// the labels in it.
func content(e *desktop.Element) string {
	if saysItsText(e) && strings.TrimSpace(e.Text) != "" {
		return e.Text
	}
	if !showsLabels(e) {
		return ""
	}
	var labels []string
	for _, child := range e.Children {
		child.Walk(func(at *desktop.Element) bool {
			if at.Role == "label" && at.Name != "" && (at.States.Has(desktop.Visible) || at.States.Has(desktop.Showing)) {
				labels = append(labels, at.Name)
			}
			return len(labels) <= maxContent
		})
	}
	if len(labels) > maxContent {
		return "" // it holds more than a title
	}
	return strings.Join(labels, " ")
}

// saysItsText reports whether the role's text is what people see of it.
func saysItsText(e *desktop.Element) bool {
	switch e.Role {
	case "label", "icon", "list item", "tree item", "table cell", "heading", "paragraph", "link", "status bar":
		return true
	}
	return false
}

// showsLabels reports whether the role is titled by the labels in it.
func showsLabels(e *desktop.Element) bool {
	switch e.Role {
	case "button", "check box", "switch", "radio button", "list item", "tree item", "table row", "table cell", "page tab", "link":
		return true
	}
	return false
}

// Title is the title under which an element is shown to people, as one line.
func Title(e *desktop.Element) string {
	if nameless(e) {
		if shown := fold.Space(content(e)); shown != "" {
			return shown
		}
	}
	return fold.Space(e.Name)
}

// known remembers the forms of elements that do not change. A nil one
// remembers nothing.
type known struct{ names, contents map[*desktop.Element]forms }

func remember() *known {
	return &known{names: map[*desktop.Element]forms{}, contents: map[*desktop.Element]forms{}}
}

func (k *known) nameForms(e *desktop.Element) forms {
	if k == nil {
		return nameForms(e)
	}
	return once(k.names, e, nameForms)
}

func (k *known) contentForms(e *desktop.Element) forms {
	if k == nil {
		return contentForms(e)
	}
	return once(k.contents, e, contentForms)
}

func once(m map[*desktop.Element]forms, e *desktop.Element, compute func(*desktop.Element) forms) forms {
	f, ok := m[e]
	if !ok {
		f = compute(e)
		m[e] = f
	}
	return f
}
