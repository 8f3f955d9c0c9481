package learn

import (
	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/trajectory"
)

// appTarget names the application alone, nil for none.
func appTarget(app string) *draftTarget {
	if app == "" {
		return nil
	}
	return &draftTarget{App: app}
}

func canonicalRole(c *trajectory.Context) string {
	if c == nil || c.Role == "" {
		return ""
	}
	return desktop.CanonicalRole(c.Role)
}

// targetOf is the element that a click is to be done to; ok is false where the
// element does not say where in it was clicked, or is not known.
func targetOf(e trajectory.Event, app string) (t *draftTarget, ok bool) {
	c := e.Context
	if c == nil {
		return nil, false
	}
	x, y, placed := e.Place()
	if placed && e.Late && cameAfter(e, x, y) {
		return nil, false
	}
	switch role := canonicalRole(c); {
	case placed && spread[role]:
		return nil, false
	case placed && role == "spin button" && e.After != nil && e.After.Value != nil:
		return nil, false // one of its arrows
	case placed && holders[role] && titleOf(c) == "" && c.Identifier == "":
		return nil, false
	}
	return identified(c, app)
}

// cameAfter reports whether an element that was looked up late is not what was
// clicked: it is somewhere else, or in the window that the click brought to the
// front.
func cameAfter(e trajectory.Event, x, y int) bool {
	c := e.Context
	if c.Bounds != nil && !c.Bounds.Contains(x, y) {
		return true
	}
	return c.Window != "" && e.Before != nil && e.Before.Window != c.Window &&
		e.After != nil && e.After.Front != nil && e.After.Front.Window == c.Window
}

// identified is the element by what tells it from others.
func identified(c *trajectory.Context, app string) (t *draftTarget, ok bool) {
	if c == nil || windows[canonicalRole(c)] {
		return nil, false
	}
	t = &draftTarget{App: app, Role: c.Role, Title: titleOf(c), Identifier: c.Identifier, Ref: c.Ref}
	return t, t.Title != "" || t.Identifier != "" || t.Ref != ""
}

// titleOf is the element's title; "" where it is nothing but what stands in the
// element at the moment.
func titleOf(c *trajectory.Context) string {
	if c == nil || fold.Title(c.Title) == "" {
		return ""
	}
	if canonicalRole(c) == "entry" && fold.Text(c.Title) == fold.Text(c.Value) {
		return ""
	}
	return fold.Space(c.Title)
}

// windows are roles of whole windows: whoever clicks one means a place in it.
var windows = roles("window", "dialog", "application", "desktop frame", "popover")

// spread are roles in which it matters where they are clicked.
var spread = roles("window", "dialog", "application", "desktop frame", "popover",
	"canvas", "image map", "chart", "slider", "dial", "scroll bar", "ruler", "calendar",
	"list", "tree", "table", "header", "document", "terminal", "split pane", "menu bar", "page tab list")

// holders are roles of what holds other elements: only a title or an identifier
// makes one of them something to click.
var holders = roles("panel", "filler", "root pane", "glass pane", "layered pane", "viewport", "scroll pane",
	"tool bar", "app bar", "status bar", "section", "page", "form", "article", "landmark", "layout item",
	"embedded component", "redundant object", "custom", "unknown", "separator", "title bar", "matte", "")

func roles(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
