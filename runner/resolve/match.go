// Package resolve finds the element that a target names in the trees of the
// desktop. Steps, postconditions and failure reports share it: there is one
// meaning of "the element".
//
// The order is the format's: a ref that still matches role and title, the
// identifier, role with the exact title, role with a part of the title. All
// comparisons are without case and over folded text.
package resolve

import (
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// wanted is a target prepared for comparison.
type wanted struct {
	program.Target
	title string // folded
	role  string // canonical
	among func(*desktop.Element) bool
}

func prepare(t program.Target) wanted {
	return wanted{Target: t, title: fold.Title(t.Title), role: desktop.CanonicalRole(t.Role)}
}

// bare reports whether the target names an application and nothing else.
func (w wanted) bare() bool {
	return w.Role == "" && w.Title == "" && w.Identifier == "" && w.Ref == ""
}

// mayBe reports whether the element is among those that are looked at.
func (w wanted) mayBe(e *desktop.Element) bool { return w.among == nil || w.among(e) }

func (w wanted) roleMatches(e *desktop.Element) bool {
	return w.Role == "" || e.Role == w.role
}

// titleMatch says how the element's title matches: not at all, in part, or
// exactly.
type titleMatch int

const (
	noMatch titleMatch = iota
	partMatch
	exactMatch
)

func (w wanted) titleMatches(e *desktop.Element) titleMatch {
	if w.title == "" {
		return noMatch // a title that shows nothing is that of no element
	}
	best := noMatch
	for _, name := range titlesOf(e) {
		switch {
		case name == w.title:
			return exactMatch
		case strings.Contains(name, w.title):
			best = partMatch
		}
	}
	return best
}

// titlesOf gives the folded titles under which an element is known. GTK 4
// doubles the name of some widgets ("_Retry Retry", "1 1"): each half counts.
// Where the name is empty, the element's text is its title (labels).
func titlesOf(e *desktop.Element) []string {
	name := e.Name
	if strings.TrimSpace(name) == "" {
		name = e.Text
	}
	folded := fold.Title(name)
	titles := []string{folded}
	words := strings.Fields(name)
	if n := len(words); n > 0 && n%2 == 0 {
		first, second := strings.Join(words[:n/2], " "), strings.Join(words[n/2:], " ")
		if half := fold.Title(first); half != "" && half == fold.Title(second) {
			titles = append(titles, half)
		}
	}
	return titles
}

// Title is the title under which an element is shown to people.
func Title(e *desktop.Element) string {
	if strings.TrimSpace(e.Name) == "" {
		return fold.Space(e.Text)
	}
	return fold.Space(e.Name)
}

// tier is one rule of the order, with what it asks of an element.
type tier struct {
	means   results.Means
	matches func(*desktop.Element) bool
}

// tiers are the rules that apply to the target, strongest first.
func (w wanted) tiers() []tier {
	var ts []tier
	if w.Ref != "" {
		ts = append(ts, tier{results.MeansRef, func(e *desktop.Element) bool {
			return e.Ref == w.Ref && w.roleMatches(e) && (w.Title == "" || w.titleMatches(e) != noMatch)
		}})
	}
	if w.Identifier != "" {
		ts = append(ts, tier{results.MeansIdentifier, func(e *desktop.Element) bool {
			return e.Identifier == w.Identifier
		}})
	}
	switch {
	case w.Title != "":
		ts = append(ts,
			tier{results.MeansExactTitle, func(e *desktop.Element) bool {
				return w.roleMatches(e) && w.titleMatches(e) == exactMatch
			}},
			tier{results.MeansSubstringTitle, func(e *desktop.Element) bool {
				return w.roleMatches(e) && w.titleMatches(e) == partMatch
			}})
	case w.Role != "" && w.Identifier == "" && w.Ref == "":
		ts = append(ts, tier{results.MeansRole, w.roleMatches})
	}
	return ts
}

// Need is what a snapshot must hold so that the target can be compared.
func Need(t program.Target) desktop.Need {
	var need desktop.Need
	if t.Identifier != "" {
		need |= desktop.NeedIdentifier
	}
	return need
}
