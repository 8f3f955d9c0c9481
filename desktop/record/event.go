package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/trajectory"
)

// Bounds of what a recording keeps of texts and changes.
const (
	maxText     = 300 // characters
	maxAppeared = 20
)

// names are how a recording calls things.
type names struct {
	// app is the name by which programs open the application.
	app func(desktop.AppInfo) string
	// title is what an element is called.
	title func(*desktop.Element) string
	// password stands for what is typed into a password field.
	password string
}

// event is the action as recordings have it.
func (n names) event(a *action) trajectory.Event {
	e := trajectory.Event{
		Timestamp: seconds(a.began), EndedAt: seconds(a.ended), Action: a.kind, Text: a.text,
		ScrollDX: a.scrollX, ScrollDY: a.scrollY, Late: a.seen.late,
	}
	switch a.kind {
	case trajectory.Key:
		e.Key = chord(a.modifiers, a.key)
	case trajectory.Type:
		if a.seen.hidden() {
			e.Text, e.Password = n.password, true
		}
	default:
		e.X, e.Y, e.Modifiers = &a.at.X, &a.at.Y, a.modifiers
		e.Button = buttons[a.button]
		if a.kind == trajectory.Drag {
			e.EndX, e.EndY = &a.to.X, &a.to.Y
		}
	}
	e.Context = n.context(a.seen)
	e.Before = n.scene(a.seen.view)
	return e
}

var buttons = map[byte]string{left: "left", middle: "middle", right: "right", 8: "back", 9: "forward"}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// context is what was acted on, nil where nothing is known of it.
func (n names) context(s *sighting) *trajectory.Context {
	if s.window == nil {
		return nil
	}
	c := trajectory.Context{App: n.app(s.window.App), Window: s.window.Title}
	if e := s.element; e != nil {
		c = n.element(e)
		c.App = n.app(s.window.App)
		if c.Window == "" && !s.window.Override {
			c.Window = s.window.Title
		}
	}
	return &c
}

// element is an element's own context, without the app.
func (n names) element(e *desktop.Element) trajectory.Context {
	c := trajectory.Context{Role: e.RawRole, Title: n.title(e), Identifier: e.Identifier, Value: valueOf(e), Ref: e.Ref, MenuPath: n.menuPath(e)}
	if e.Window != nil {
		c.Window = e.Window.Name
	}
	if e.BoundsKnown {
		c.Bounds = &trajectory.Bounds{X: e.Bounds.X, Y: e.Bounds.Y, Width: e.Bounds.Width, Height: e.Bounds.Height}
	}
	return c
}

// menuPath are the titles from a menu bar down to the item.
func (n names) menuPath(e *desktop.Element) (path []string) {
	if e.Role != "menu item" && e.Role != "menu" {
		return nil
	}
	for at := e; at != nil; at = at.Parent {
		switch {
		case at.Role == "menu bar":
			return path
		case at.Role == "menu item" || at.Role == "menu":
			if title := n.title(at); title != "" {
				path = append([]string{title}, path...)
			}
		}
	}
	return nil
}

// valueOf is the element's text, or else its value.
func valueOf(e *desktop.Element) string {
	if e.States.Has(desktop.Password) {
		return ""
	}
	if e.Text != "" {
		return cut(e.Text)
	}
	return cut(e.Value)
}

func cut(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxText {
			return s[:i]
		}
	}
	return s
}

// scene is what was in front, nil where nothing was seen.
func (n names) scene(v *view) *trajectory.Scene {
	if v == nil {
		return nil
	}
	if v.front == nil {
		return &trajectory.Scene{}
	}
	return &trajectory.Scene{App: n.app(v.front.App), Window: v.front.Title}
}

// change is what had come of an action when the next one was about to begin,
// nil where no view was taken in between.
func (n names) change(a *action, later *view) *trajectory.Change {
	before := a.seen.view
	if before == nil || later == nil || !later.began.After(a.ended) {
		return nil
	}
	c := &trajectory.Change{}
	if was, is := n.scene(before), n.scene(later); *was != *is {
		c.Front, c.FrontAfter = is, max(0, later.since.Sub(a.ended).Seconds())
		c.Started = startedBy(a, later)
	}
	for _, win := range later.windows {
		if was := before.window(win.ID); was == nil && !win.Override && !win.Tooltip {
			c.Windows = append(c.Windows, trajectory.Context{App: n.app(win.App), Window: win.Title, Title: win.Title, Role: later.roleOf(win)})
		}
	}
	if !later.forest.began.After(a.ended) || a.seen.hidden() {
		return c
	}
	if e := a.seen.element; e != nil {
		if now := later.again(e); now != nil && valueOf(now) != valueOf(e) {
			value := valueOf(now)
			c.Value = &value
		}
	}
	if a.seen.settled { // else the action before may have brought it about
		c.Appeared = n.appeared(before, later)
	}
	return c
}

// roleOf is the role of a window in its app's tree, "" where it is not known.
func (v *view) roleOf(win desktop.Window) string {
	for _, tree := range v.forest.trees[win.App.PID] {
		for _, top := range tree.Root.Children {
			if top.Name == win.Title && shown(top) {
				return top.RawRole
			}
		}
	}
	return ""
}

// again is the element that is the same in this view, nil where there is none.
func (v *view) again(e *desktop.Element) (found *desktop.Element) {
	if e.App == nil {
		return nil
	}
	for _, tree := range v.forest.trees[e.App.PID] {
		tree.Root.Walk(func(at *desktop.Element) bool {
			if at.Ref == e.Ref && at.Role == e.Role && at.Identifier == e.Identifier && shown(at) {
				found = at
			}
			return found == nil
		})
	}
	return found
}

// appeared are the elements of the app in front that show a text which was no
// part of any text there before. What was, is left out of them.
func (n names) appeared(before, later *view) (list []trajectory.Context) {
	if later.front == nil || len(before.forest.trees[later.front.App.PID]) == 0 {
		return nil
	}
	pid := later.front.App.PID
	var all strings.Builder
	visit(before.forest.trees[pid], func(e *desktop.Element) {
		fmt.Fprintf(&all, "%s\x00%s\x00", fold.Text(n.title(e)), fold.Text(valueOf(e)))
	})
	known := all.String()
	fresh := func(text string) string {
		if strings.Contains(known, fold.Text(text)) {
			return ""
		}
		return text
	}
	visit(later.forest.trees[pid], func(e *desktop.Element) {
		if len(list) >= maxAppeared || !shown(e) {
			return
		}
		c := n.element(e)
		c.App, c.Title, c.Value = n.app(later.front.App), fresh(c.Title), fresh(c.Value)
		if c.Title != "" || c.Value != "" {
			list = append(list, c)
		}
	})
	return list
}

// visit calls f for every element below the applications.
func visit(trees []*desktop.AppTree, f func(*desktop.Element)) {
	for _, tree := range trees {
		tree.Root.Walk(func(e *desktop.Element) bool {
			if e.Parent != nil {
				f(e)
			}
			return true
		})
	}
}
