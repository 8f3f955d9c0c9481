package resolve

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
)

// menuRoles are what a menu on the way, and what an item, may be. A header
// bar's menu is a button.
var (
	menuRoles = []string{"menu", "menu item", "button", "combo box"}
	itemRoles = []string{"menu item", "menu", "button", "check box", "radio button", "list item"}
)

// InMenu finds an entry of a menu by title, of the roles that menus have:
// the menu itself where top is set, else an item in it. Menu roles win over
// button roles.
func (f Finder) InMenu(ctx context.Context, snap *desktop.Snapshot, app, title string, top bool) (*Found, *Miss, error) {
	roles := itemRoles
	if top {
		roles = menuRoles
	}
	var first *Miss
	for _, role := range roles {
		found, miss, err := f.In(ctx, snap, program.Target{App: app, Role: role, Title: title}, ForAction)
		if err != nil || found != nil {
			return found, nil, err
		}
		if first == nil || miss.Unusable != nil {
			first = miss
		}
	}
	return nil, first, nil
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
