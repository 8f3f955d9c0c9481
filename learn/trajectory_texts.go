package learn

import (
	"slices"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/trajectory"
)

// texts are folded texts that were seen.
type texts map[string]bool

func (t texts) add(seen ...string) {
	for _, text := range seen {
		if folded := fold.Text(text); folded != "" {
			t[folded] = true
		}
	}
}

// hold reports whether one of them has the text in it.
func (t texts) hold(text string) bool {
	folded := fold.Text(text)
	for seen := range t {
		if strings.Contains(seen, folded) {
			return true
		}
	}
	return false
}

// textsBefore are the texts that are known to have shown when the event began.
func textsBefore(e trajectory.Event) (seen []string) {
	if e.Context != nil {
		seen = append(seen, e.Context.Window, e.Context.Title, e.Context.Value)
	}
	if e.Before != nil {
		seen = append(seen, e.Before.Window)
	}
	return seen
}

// textsAfter are those that are known to have shown after it.
func textsAfter(e trajectory.Event) (seen []string) {
	seen = append(seen, e.Text)
	if a := e.After; a != nil {
		if a.Value != nil {
			seen = append(seen, *a.Value)
		}
		for _, element := range slices.Concat(a.Windows, a.Appeared) {
			seen = append(seen, element.Title, element.Value)
		}
	}
	return seen
}

// visible are the texts that people see of an element. The values of scroll bars
// and the like are not, and what a tool tip says goes by itself.
func visible(c trajectory.Context) []string {
	top, _, _ := strings.Cut(c.Ref, "[")
	if fleeting[canonicalRole(&c)] || fleeting[desktop.CanonicalRole(top)] {
		return nil
	}
	texts := []string{fold.Space(c.Title)}
	if telling[canonicalRole(&c)] {
		texts = append(texts, fold.Space(c.Value))
	}
	return texts
}

// fleeting are roles of what comes and goes by itself.
var fleeting = roles("tool tip", "notification", "timer", "animation", "progress bar")

// telling are roles whose value is a text that people read.
var telling = roles("entry", "spin button", "combo box", "date editor", "label", "heading", "paragraph", "link", "icon",
	"list item", "tree item", "table cell", "status bar", "document", "section", "terminal", "info bar", "notification", "log")
