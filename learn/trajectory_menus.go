package learn

import (
	"slices"
	"strings"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/trajectory"
)

// menuParams are those of a choice from a menu.
func menuParams(path []string) map[string]any {
	if len(path) == 2 && !strings.ContainsAny(path[1], ">→") {
		return map[string]any{"action": "click_menu", "menu": path[0], "menu_item": path[1]}
	}
	return map[string]any{"action": "click_menu", "path": path}
}

// menuPath is the titles from the menu bar to the item that was clicked, nil
// where they are not certain.
func (c *retracer) menuPath(i int) []string {
	at := c.events[i].Context
	if role := canonicalRole(at); role != "menu item" && role != "menu" {
		return nil
	}
	if len(at.MenuPath) >= 2 {
		return captions(at.MenuPath)
	}
	// An item below the menu that was clicked right before, in a menu bar.
	if i == 0 || len(at.MenuPath) > 0 {
		return nil
	}
	before := c.events[i-1]
	above := before.Context
	if before.Action != trajectory.Click || above == nil || above.App != at.App || !strings.Contains(above.Ref, "menu bar[") {
		return nil
	}
	if below, ok := strings.CutPrefix(at.Ref, above.Ref+"/"); !ok || strings.Contains(below, "/") {
		return nil // what is between the two has a title that nobody knows
	}
	path := c.menuPath(i - 1)
	if path == nil {
		path = captions([]string{above.Title})
	}
	last := captions([]string{at.Title})
	if path == nil || last == nil {
		return nil
	}
	return append(path, last...)
}

// captions are titles of menus as people read them, nil where one shows nothing.
func captions(titles []string) []string {
	path := make([]string, len(titles))
	for i, title := range titles {
		if path[i] = fold.Space(fold.Caption(title)); path[i] == "" {
			return nil
		}
	}
	return path
}

// dropOpening takes back the steps that opened the menus on the way to the item
// that event i chose.
func (c *retracer) dropOpening(i int, app string) {
	path := c.menuPath(i)
	for len(c.steps) > 0 {
		last := c.steps[len(c.steps)-1]
		if last.event < 0 || c.appOf(c.events[last.event]) != app || !opens(c.events[last.event], path) {
			return
		}
		c.steps = c.steps[:len(c.steps)-1]
	}
}

// opens reports whether the event clicked one of the menus on the way.
func opens(e trajectory.Event, path []string) bool {
	role := canonicalRole(e.Context)
	if e.Action != trajectory.Click || role != "menu" && role != "menu item" {
		return false
	}
	way := path[:len(path)-1]
	if len(e.Context.MenuPath) == 0 {
		own := captions([]string{e.Context.Title})
		return own != nil && slices.Contains(way, own[0])
	}
	own := captions(e.Context.MenuPath)
	return own != nil && len(own) <= len(way) && slices.Equal(own, way[:len(own)])
}
