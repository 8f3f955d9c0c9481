package resolve

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// menuRoles are what a menu on the way, and what an item, may be. A header
// bar's menu is a button.
var (
	menuRoles = []string{"menu", "menu item", "button", "combo box"}
	itemRoles = []string{"menu item", "menu", "button", "check box", "radio button", "list item"}
)

// InMenu finds an entry of a menu by title, of the roles that menus have:
// the menu itself where top is set, else an item in it. Menu roles win over
// button roles, and where the menu itself is meant, what is in no menu wins:
// in GTK 4 a button that says what is chosen has an item of the same title in
// its menu.
func (f Finder) InMenu(ctx context.Context, snap *desktop.Snapshot, app, title string, top bool) (*Found, *Miss, error) {
	if !top {
		return f.ofRoles(ctx, snap, app, title, itemRoles)
	}
	outside := Finder{Desktop: f.Desktop, Among: func(e *desktop.Element) bool { return !inMenu(e) }}
	if found, _, err := outside.ofRoles(ctx, snap, app, title, menuRoles); err != nil || found != nil {
		return found, nil, err
	}
	return f.ofRoles(ctx, snap, app, title, menuRoles)
}

func inMenu(e *desktop.Element) bool {
	for at := e.Parent; at != nil; at = at.Parent {
		if isMenuItem(at) {
			return true
		}
	}
	return false
}

// ofRoles finds an entry by title, of the first role of which there is one. A
// title that is the same wins over one that contains it, whatever the roles.
func (f Finder) ofRoles(ctx context.Context, snap *desktop.Snapshot, app, title string, roles []string) (*Found, *Miss, error) {
	var part *Found
	var first *Miss
	for _, role := range roles {
		found, miss, err := f.In(ctx, snap, program.Target{App: app, Role: role, Title: title}, ForAction)
		switch {
		case err != nil:
			return nil, nil, err
		case found == nil:
			if first == nil || miss.Unusable != nil {
				first = miss
			}
		case found.Means == results.MeansExactTitle:
			return found, nil, nil
		case part == nil:
			part = found
		}
	}
	if part != nil {
		return part, nil, nil
	}
	return nil, first, nil
}

// Detached tells, for Finder.Among, what may be an entry of the menu although
// it is not below it in the tree, as popovers of some toolkits are: an item in
// no other menu, or something else that did not show before the menu was
// opened. shown are the refs of what did, nil where it is not opened yet.
func Detached(menu *desktop.Element, shown map[string]bool) func(*desktop.Element) bool {
	return func(e *desktop.Element) bool {
		if e == menu {
			return false
		}
		for at := e.Parent; at != nil; at = at.Parent {
			switch {
			case at.Role == "menu bar":
				return false
			case !isMenuItem(at) || Title(at) == "":
			case at.Parent != nil && at.Parent.Role == "button" && at.Parent == menu.Parent:
				return true // GTK 4: a menu button holds the button to press and the popover
			case shown == nil || shown[at.Ref]:
				return false
			}
		}
		return isMenuItem(e) || shown != nil && !shown[e.Ref]
	}
}

// Shown are the refs of what shows.
func Shown(snap *desktop.Snapshot) map[string]bool {
	v := judge()
	shown := map[string]bool{}
	each(snap, func(e *desktop.Element) {
		if v.showing(e) {
			shown[e.Ref] = true
		}
	})
	return shown
}

// Below is the part of the snapshot under one element.
func Below(snap *desktop.Snapshot, e *desktop.Element) *desktop.Snapshot {
	below := &desktop.Snapshot{Faults: snap.Faults, TakenIn: snap.TakenIn}
	for _, app := range snap.Apps {
		if app.Root != nil && root(e) == app.Root {
			below.Apps = append(below.Apps, &desktop.AppTree{Info: app.Info, Root: e})
		}
	}
	return below
}

func root(e *desktop.Element) *desktop.Element {
	for e.Parent != nil {
		e = e.Parent
	}
	return e
}
