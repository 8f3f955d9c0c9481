package step

import (
	"slices"

	"github.com/opendesk/opendesk/desktop"
)

// means is how an element is clicked.
type means int

const (
	// byAction: its native action, and the pointer where it has none.
	byAction means = iota
	// byPointer: the pointer, and the native action where the element has no
	// place that the pointer could go to. What is covered is an error.
	byPointer
	// byPointerAlone: the pointer; the native action means something else.
	byPointerAlone
	// bySurePointer: the pointer where the toolkit itself says that it hits the
	// element, and the native action elsewhere.
	bySurePointer
)

// policy is the one table of how elements are clicked, by toolkit: what its
// actions break goes by pointer, what its boxes break goes by action. The first
// row that applies counts. What no row names goes by action if it is there to
// be clicked (desktop.Clickable), and by pointer if not: a label has actions
// in Chromium and GTK 4, none of which is a click.
var policy = []struct {
	toolkits []desktop.Toolkit // nil for all
	applies  func(*desktop.Element) bool
	means    means
}{
	// An action on a menu that shows, or on an item of an open one, can leave
	// the menu's grab behind (keys then go nowhere), or the menu itself.
	{[]desktop.Toolkit{desktop.GTK3, desktop.LibreOffice, desktop.Qt}, showingMenu, byPointer},
	// GTK 2 says of no item of an open menu that it shows.
	{[]desktop.Toolkit{desktop.GTK2}, isMenu, byPointer},
	// The boxes in a popover are those of its parent.
	{[]desktop.Toolkit{desktop.GTK4}, inMenu, byAction},
	// A button carries its action out after 250 ms, a click at once.
	{[]desktop.Toolkit{desktop.GTK4}, hasRole("button"), bySurePointer},
	// The action of an entry of a list is Toggle, which selects and chooses
	// nothing.
	{[]desktop.Toolkit{desktop.Qt}, hasRole("list item", "tree item", "table cell"), byPointerAlone},
	// The boxes of a menu can be off by the title bar's height.
	{[]desktop.Toolkit{desktop.Swing}, hasRole("menu", "menu item"), byAction},
	{nil, func(e *desktop.Element) bool { return desktop.Clickable(e.Role) }, byAction},
	{nil, func(*desktop.Element) bool { return true }, byPointer},
}

// meansFor is how the element is clicked.
func meansFor(e *desktop.Element) means {
	for _, row := range policy {
		if (row.toolkits == nil || e.App != nil && slices.Contains(row.toolkits, e.App.Toolkit)) && row.applies(e) {
			return row.means
		}
	}
	return byPointer
}

func hasRole(roles ...string) func(*desktop.Element) bool {
	return func(e *desktop.Element) bool { return slices.Contains(roles, e.Role) }
}

// showingMenu reports whether the element is a title in a menu bar or an item
// of a menu that is open.
func showingMenu(e *desktop.Element) bool { return isMenu(e) && e.States.Has(desktop.Showing) }

// inMenu reports whether the element is part of a menu.
func inMenu(e *desktop.Element) bool {
	for at := e; at != nil; at = at.Parent {
		if isMenu(at) {
			return true
		}
	}
	return false
}

func isMenu(e *desktop.Element) bool { return e.Role == "menu" || e.Role == "menu item" }
