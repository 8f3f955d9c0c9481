// Package resolve finds the element that a target names in the trees of the
// desktop. Steps, postconditions and failure reports share it: there is one
// meaning of "the element".
//
// The order is the format's: a ref that still matches role and title, the
// identifier, role with the exact title, role with a part of the title. All
// comparisons are without case and over folded text.
package resolve

import (
	"slices"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// wanted is a target prepared for comparison.
type wanted struct {
	program.Target
	titles forms
	role   string   // canonical
	also   []string // roles that may stand in for it
	among  func(*desktop.Element) bool
	known  *known
}

func (f Finder) prepare(t program.Target) wanted {
	return wanted{
		Target: t, titles: formsOf(t.Title, true), role: desktop.CanonicalRole(t.Role), also: desktop.AlsoRoles(t.Role),
		among: f.Among, known: f.known,
	}
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

// titleMatch says how the element's title matches, from not at all to exactly.
type titleMatch int

const (
	noMatch    titleMatch = iota
	partMatch             // the wanted title is a part of it
	signMatch             // the same but for signs that look alike
	exactMatch            // the same
)

// titleMatches compares the title with the element's name. A title that shows
// nothing is that of no element.
func (w wanted) titleMatches(e *desktop.Element) titleMatch {
	return w.titles.match(w.known.nameForms(e))
}

// contentMatches compares the title with what an element shows that has no
// name.
func (w wanted) contentMatches(e *desktop.Element) titleMatch {
	return w.titles.match(w.known.contentForms(e))
}

// tier is one rule of the order, with what it asks of an element.
type tier struct {
	means   results.Means
	content bool // it looks at texts
	matches func(*desktop.Element) bool
}

// tiers are the rules that apply to the target, strongest first. What is known
// by what it shows comes right after what is known by its name.
func (w wanted) tiers() []tier {
	var ts []tier
	rule := func(means results.Means, matches func(*desktop.Element) bool) {
		ts = append(ts, tier{means: means, matches: matches})
	}
	showing := func(means results.Means, matches func(*desktop.Element) bool) {
		ts = append(ts, tier{means: means, content: true, matches: matches})
	}
	titled := func(m titleMatch) func(*desktop.Element) bool {
		return func(e *desktop.Element) bool { return w.roleMatches(e) && w.titleMatches(e) == m }
	}
	if w.Ref != "" {
		rule(results.MeansRef, func(e *desktop.Element) bool {
			return w.refHolds(e) && w.roleMatches(e) && (w.Title == "" || w.titleMatches(e) >= signMatch)
		})
	}
	if w.Identifier != "" {
		rule(results.MeansIdentifier, func(e *desktop.Element) bool { return e.Identifier == w.Identifier })
	}
	switch {
	case w.Title != "":
		rule(results.MeansExactTitle, titled(exactMatch))
		rule(results.MeansExactTitle, titled(signMatch))
		if len(w.also) > 0 {
			rule(results.MeansExactTitle, func(e *desktop.Element) bool {
				return slices.Contains(w.also, e.Role) && w.titleMatches(e) == exactMatch
			})
		}
		if w.Ref != "" {
			showing(results.MeansRef, func(e *desktop.Element) bool {
				return w.refHolds(e) && w.roleMatches(e) && w.contentMatches(e) >= signMatch
			})
		}
		showing(results.MeansExactTitle, func(e *desktop.Element) bool {
			return w.roleMatches(e) && w.contentMatches(e) >= signMatch
		})
		if w.Ref != "" {
			// It was this one, and its title is longer now: better than another
			// whose title is longer as well.
			rule(results.MeansRef, func(e *desktop.Element) bool { return w.refHolds(e) && titled(partMatch)(e) })
		}
		rule(results.MeansSubstringTitle, titled(partMatch))
		showing(results.MeansSubstringTitle, func(e *desktop.Element) bool {
			return w.roleMatches(e) && w.contentMatches(e) == partMatch
		})
	case w.Role != "" && w.Identifier == "" && w.Ref == "":
		rule(results.MeansRole, w.roleMatches)
	}
	return ts
}

// refHolds reports whether the element has the ref that is asked for, and is
// not known to be another one by its identifier.
func (w wanted) refHolds(e *desktop.Element) bool {
	if e.Ref != w.Ref {
		return false
	}
	return w.Identifier == "" || e.Identifier == w.Identifier || e.Identifier == "" && w.Title != ""
}

// Need is what a snapshot must hold so that the target can be compared.
func Need(t program.Target) desktop.Need {
	var need desktop.Need
	if t.Identifier != "" {
		need |= desktop.NeedIdentifier
	}
	return need
}
