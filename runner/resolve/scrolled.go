package resolve

import "github.com/opendesk/opendesk/desktop"

// scrolledOut reports whether the element is not on the screen for no other
// reason than that what holds it is scrolled elsewhere. Chromium says of such
// elements that they are visible and do not show; Qt and Swing, of the entries
// of a list, neither.
func (v visibility) scrolledOut(e *desktop.Element) bool {
	if e.Gone || e.States.Has(desktop.Defunct) || e.States.Has(desktop.Showing) {
		return false
	}
	visible := true
	for at := e; at != nil && at.Parent != nil; at = at.Parent {
		if at.States.Has(desktop.Showing) {
			switch at.Role {
			case "document":
				return visible
			case "list", "tree", "table":
				return at == e.Parent && e.App != nil && (e.App.Toolkit == desktop.Qt || e.App.Toolkit == desktop.Swing)
			}
			return false
		}
		visible = visible && at.States.Has(desktop.Visible)
	}
	return false
}
