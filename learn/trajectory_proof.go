package learn

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/trajectory"
)

// What is the work of an action shows within that time, in seconds; what comes
// later somebody else may have done.
const causedWithin = 3

// Postconditions that took longer than slow seconds as they were recorded get
// proofFactor times as long, at most maxProofTime.
const (
	slow         = 1.5
	proofFactor  = 3
	maxProofTime = time.Minute
)

// proof is the postcondition of event i, nil where nothing is known that did not
// hold before: an application that came to the front, the title of the window
// in front, a window that appeared, the text that was typed, a text that
// appeared.
func (c *retracer) proof(i int, app string) map[string]any {
	e := c.events[i]
	if next := c.broughtToFront(e, app); next != "" {
		return timed(e, condition(program.AppFrontmost, next))
	}
	held := titlesBefore(e, app)
	if e.Action == trajectory.Type {
		if text := typedProof(e, c.shown[app]); text != "" {
			return condition(program.TextVisible, literal(text))
		}
	}
	if after, ok := c.titleAfter(i, app); ok && len(held) > 0 {
		if part := newPart(after, held); part != "" {
			return timed(e, condition(program.WindowTitleContains, literal(part)))
		}
	}
	if e.After == nil {
		return nil
	}
	for _, w := range e.After.Windows {
		if part := newPart(w.Title, held); part != "" && w.Role != "" && (w.App == app || c.opened[w.App]) {
			return condition(program.ElementExists, draftTarget{App: otherApp(w.App, app), Role: w.Role, Title: literal(part)})
		}
	}
	if text := valueProof(e, c.shown[app]); text != "" {
		return condition(program.TextVisible, literal(text))
	}
	return appearedProof(e, app)
}

// timed gives a condition that was slow to hold more time.
func timed(e trajectory.Event, p map[string]any) map[string]any {
	if e.After != nil && e.After.FrontAfter > slow {
		within := time.Duration(math.Ceil(e.After.FrontAfter*proofFactor)) * time.Second
		if within = min(within, maxProofTime); within > program.DefaultCheckTimeout {
			p["timeout_ms"] = within.Milliseconds()
		}
	}
	return p
}

// broughtToFront is another application that the event brought to the front, ""
// for none. One that the steps have opened comes to the front when another is
// closed. One that is new may also have been opened by somebody else meanwhile:
// then a step has to open it.
func (c *retracer) broughtToFront(e trajectory.Event, app string) string {
	if e.After == nil || e.After.Front == nil {
		return ""
	}
	next := e.After.Front.App
	soon := e.After.FrontAfter <= causedWithin
	switch {
	case next == "" || next == app || e.After.Started == trajectory.StartedByCommand:
	case e.After.Started == trajectory.StartedByApp:
		return next
	case c.opened[next] && soon:
		return next
	case soon && mayStart(e) && slices.ContainsFunc(e.After.Windows, func(w trajectory.Context) bool { return w.App == next }):
		return next
	}
	return ""
}

// mayStart reports whether applications are started by what was done: a click, or
// a key that confirms something.
func mayStart(e trajectory.Event) bool {
	switch e.Action {
	case trajectory.Click, trajectory.DoubleClick:
		return true
	case trajectory.Key:
		return isReturn(e.Key) || isSpace(e)
	}
	return false
}

// titlesBefore are the titles that the window in front had before the event,
// none where that is not known.
func titlesBefore(e trajectory.Event, app string) (titles []string) {
	if e.Before != nil && (e.Before.App == app || e.Before.App == "") {
		titles = append(titles, e.Before.Window)
	}
	if e.Context != nil && e.Context.Window != "" {
		titles = append(titles, e.Context.Window)
	}
	return titles
}

// titleAfter is the title that the window in front had after the event; ok is
// false where that is not known, or where it is of another application. Where
// nobody saw it change, the next event may still have been done to another window.
func (c *retracer) titleAfter(i int, app string) (title string, ok bool) {
	e := c.events[i]
	if e.After != nil && e.After.Front != nil {
		return e.After.Front.Window, e.After.Front.App == app || e.After.Front.App == ""
	}
	if i+1 == len(c.events) || c.appOf(c.events[i+1]) != app {
		return "", false
	}
	next := c.events[i+1]
	switch {
	case next.Context != nil && next.Context.Window != "" && (!next.Late || next.Action == trajectory.Type):
		return next.Context.Window, true // what is typed into was there before
	case next.Before != nil:
		return next.Before.Window, true
	}
	return "", false
}

// Bounds of what makes a text a proof, in characters.
const (
	minTyped = 4 // shorter ones may well stand elsewhere
	minText  = 2
	maxText  = 60
)

// typedProof is the text that was typed where it is seen to stand in the
// element, and no text that was seen before holds it.
func typedProof(e trajectory.Event, known texts) string {
	text := shortened(e.Text)
	if e.Password || e.After == nil || fold.Text(text) == "" {
		return ""
	}
	for _, seen := range e.After.Appeared {
		for _, shown := range visible(seen) {
			if shows(shown, text) {
				return text
			}
		}
	}
	if utf8.RuneCountInString(fold.Text(text)) >= minTyped && e.After.Value != nil && shows(*e.After.Value, text) && !known.hold(text) {
		return text
	}
	return ""
}

// shortened is the text as one line of at most maxText characters, cut between
// words.
func shortened(text string) string {
	words := strings.Fields(fold.Space(text))
	out := ""
	for _, word := range words {
		longer := strings.TrimPrefix(out+" "+word, " ")
		if utf8.RuneCountInString(longer) > maxText {
			break
		}
		out = longer
	}
	return out
}

// shows reports whether a text that is shown has the other in it.
func shows(shown, text string) bool { return strings.Contains(fold.Text(shown), fold.Text(text)) }

// valueProof is what stands in the event's element now, if no text that was seen
// before holds it. Of what was typed typedProof judges.
func valueProof(e trajectory.Event, known texts) string {
	if e.Action == trajectory.Type || e.Password || e.After.Value == nil || !telling[canonicalRole(e.Context)] {
		return ""
	}
	text := fold.Space(*e.After.Value)
	if !proves(text) || known.hold(text) {
		return ""
	}
	return text
}

// appearedProof looks for something that appeared and is likely to appear again,
// nil for nothing: what the event's own element says now, a text, or an element
// that may be called by the texts of several others in it.
func appearedProof(e trajectory.Event, app string) map[string]any {
	if e.Password {
		return nil
	}
	var text, called map[string]any
	for _, seen := range e.After.Appeared {
		for i, shown := range visible(seen) {
			var p map[string]any
			switch isTitle := i == 0; {
			case !proves(shown):
				continue
			case isTitle && composed[canonicalRole(&seen)]:
				p = condition(program.ElementExists, draftTarget{App: otherApp(seen.App, app), Role: seen.Role, Title: literal(shown)})
				if called == nil {
					called = p
				}
			default:
				p = condition(program.TextVisible, literal(shown))
				if text == nil {
					text = p
				}
			}
			if e.Context != nil && e.Context.Ref != "" && seen.Ref == e.Context.Ref {
				return p
			}
		}
	}
	if text != nil {
		return text
	}
	return called
}

// composed are roles whose title may be made of the labels in them, and be the
// text of no element.
var composed = roles("button", "check box", "switch", "radio button", "list item", "tree item", "table row", "table cell", "page tab", "link")

// otherApp is the app where it is not the step's own.
func otherApp(app, own string) string {
	if app == own {
		return ""
	}
	return app
}

// proves reports whether the text is short enough to be looked for, says
// something, and will be the same the next time.
func proves(text string) bool {
	n := utf8.RuneCountInString(fold.Text(text))
	return n >= minText && n <= maxText && legible(text) && lasting(text)
}
