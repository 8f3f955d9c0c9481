package step

import (
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

func TestPolicy(t *testing.T) {
	const shows = desktop.Showing
	bar := &desktop.Element{Role: "menu bar"}
	menu := &desktop.Element{Role: "menu"}
	for _, row := range []struct {
		toolkit desktop.Toolkit
		role    string
		parent  *desktop.Element
		states  desktop.States
		want    means
	}{
		{desktop.GTK3, "button", nil, shows, byAction},
		{desktop.GTK3, "menu item", menu, 0, byAction},      // closed
		{desktop.GTK3, "menu item", menu, shows, byPointer}, // open
		{desktop.GTK2, "menu", bar, shows, byPointer},
		{desktop.GTK2, "menu item", menu, 0, byPointer}, // open or not
		{desktop.LibreOffice, "menu", bar, shows, byPointer},
		{desktop.GTK3, "label", nil, shows, byPointer},
		{desktop.GTK4, "button", nil, 0, bySurePointer},
		{desktop.GTK4, "check box", nil, 0, byAction},
		{desktop.GTK4, "menu item", menu, 0, byAction},
		{desktop.GTK4, "button", menu, 0, byAction}, // in a popover
		{desktop.Qt, "button", nil, shows, byAction},
		{desktop.Qt, "list item", nil, shows, byPointerAlone},
		{desktop.Qt, "table cell", nil, shows, byPointerAlone},
		{desktop.Qt, "menu item", menu, shows, byPointer},
		{desktop.Swing, "menu item", menu, shows, byAction},
		{desktop.Swing, "label", nil, shows, byPointer},
		{desktop.Chromium, "list item", nil, shows, byAction},
		{desktop.Chromium, "label", nil, shows, byPointer}, // has doDefault
		{"", "button", nil, shows, byAction},
		{"", "entry", nil, shows, byPointer},
	} {
		e := &desktop.Element{Role: row.role, Parent: row.parent, States: row.states, App: &desktop.AppInfo{Toolkit: row.toolkit}}
		if got := meansFor(e); got != row.want {
			t.Errorf("%s, %s, states %b: %d, want %d", row.toolkit, row.role, row.states, got, row.want)
		}
	}
	if got := meansFor(&desktop.Element{Role: "button"}); got != byAction {
		t.Errorf("without an application: %d", got)
	}
}
