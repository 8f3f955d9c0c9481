package resolve

import (
	"slices"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/results"
)

// Why one of several matches was taken: the last rule that told it from
// others.
const (
	// RuleTitle: of several with one identifier, title and role match as well.
	RuleTitle = "its title and role match as well"
	// RuleUsable: the others are hidden or greyed out.
	RuleUsable = "the only one that can be used"
	// RuleShowing: the others are not on the screen at the moment.
	RuleShowing = "it shows"
	// RuleSensitive: the others are greyed out.
	RuleSensitive = "it is not greyed out"
	// RuleClickable: a click on the others means nothing.
	RuleClickable = "can be clicked"
	// RuleFocused: the others are in other windows.
	RuleFocused = "in the focused window"
	// RuleFirst: nothing tells them apart.
	RuleFirst = "first in the document"
)

// choose takes the best of the matches: usable, then showing and sensitive,
// then clickable, then in the focused window, then the first in the document.
func (w wanted) choose(means results.Means, matches []*desktop.Element, v visibility, use Use) (best *desktop.Element, rule string) {
	left := matches
	narrow := func(by string, keep func(*desktop.Element) bool) {
		kept := keepOnly(left, keep)
		if len(kept) > 0 && len(kept) < len(left) {
			left, rule = kept, by
		}
	}
	if means == results.MeansIdentifier {
		for _, m := range []titleMatch{signMatch, partMatch} {
			narrow(RuleTitle, func(e *desktop.Element) bool {
				return w.roleMatches(e) && max(w.titleMatches(e), w.contentMatches(e)) >= m
			})
		}
		narrow(RuleTitle, w.roleMatches)
	}
	narrow(RuleUsable, func(e *desktop.Element) bool { return v.usable(e, use) })
	if !v.usable(left[0], use) {
		return nil, ""
	}
	narrow(RuleShowing, func(e *desktop.Element) bool { return v.showing(e) && (use != ForPointer || e.BoundsKnown) })
	narrow(RuleSensitive, Sensitive)
	narrow(RuleClickable, Clickable)
	narrow(RuleFocused, inFocusedWindow)
	if len(left) > 1 {
		rule = RuleFirst
	}
	return left[0], rule
}

func keepOnly(elements []*desktop.Element, keep func(*desktop.Element) bool) []*desktop.Element {
	var kept []*desktop.Element
	for _, e := range elements {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

func inFocusedWindow(e *desktop.Element) bool {
	top := topLevel(e)
	return top.States.Has(desktop.Active) || top.States.Has(desktop.Focused)
}

// clicks are native actions that are a click whatever the element. Chromium's
// doDefault is not among them: there, every text has it.
var clicks = []string{"click", "press", "toggle", "jump", "check", "uncheck", "select", "open"}

// Clickable reports whether a click on the element means something: it has a
// native action, and its role is one that people click, or the action says so.
func Clickable(e *desktop.Element) bool {
	if desktop.Clickable(e.Role) {
		return len(e.Actions) > 0
	}
	return slices.ContainsFunc(e.Actions, func(name string) bool { return slices.Contains(clicks, name) })
}

// windowOf is the window of the application that a bare target names: the
// active one, else the first.
func windowOf(snap *desktop.Snapshot, v visibility) *Found {
	var windows []*desktop.Element
	for _, app := range snap.Apps {
		windows = append(windows, keepOnly(app.Root.Children, v.present)...)
	}
	if len(windows) == 0 {
		return nil
	}
	found := &Found{Element: windows[0], Means: results.MeansApp, Matched: len(windows), Showing: true}
	active := keepOnly(windows, inFocusedWindow)
	switch {
	case len(windows) == 1:
	case len(active) == 1:
		found.Element, found.Rule = active[0], RuleFocused
	case len(active) > 1:
		found.Element, found.Rule = active[0], RuleFirst
	default:
		found.Rule = RuleFirst
	}
	return found
}
