package runner_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/results"
)

// An item is chosen from the menu that the program names. The same title in
// another menu, or on a button in the window, is another command.
func TestClickMenuStaysInItsMenu(t *testing.T) {
	item := func(name string, children ...*fake.Node) *fake.Node {
		role := "menu item"
		if children != nil {
			role = "menu"
		}
		return &fake.Node{Role: role, Name: name, Without: desktop.Showing, Actions: []string{"click"}, Children: children}
	}
	menu := func(name string, children ...*fake.Node) *fake.Node {
		return &fake.Node{Role: "menu", Name: name, Actions: []string{"click"}, Children: children}
	}
	button := func(name string) *fake.Node {
		return &fake.Node{Role: "button", Name: name, Actions: []string{"click"}}
	}
	for _, row := range []struct {
		menu, item string
		status     results.Status
	}{
		{"File", "Open", results.Passed},
		{"View", "Zoom > 200 %", results.Passed},
		{"More", "Preferences", results.Passed},         // in a popover, a menu item
		{"More", "Night", results.Passed},               // in a popover, a button
		{"View", "Open", results.Failed},                // in another menu
		{"View", "Zoom > Open", results.Failed},         // the same, from further down
		{"View", "Zoom > Line Numbers", results.Failed}, // next to the submenu, not in it
		{"View", "File", results.Failed},                // a menu of the bar
		{"View", "Print", results.Failed},               // a button
		{"Late", "Print", results.Failed},               // a button, beside a menu that opens
		{"More", "Print", results.Failed},               // the same, beside a popover
		{"More", "Preferences > Print", results.Failed}, // beside an item
		{"Basic", "Advanced", results.Passed},           // beside the button that opens it, which an item is called as
		{"Basic", "Print", results.Failed},
	} {
		t.Run(row.menu+" > "+row.item, func(t *testing.T) {
			d := fake.New(1280, 800)
			w := &fake.Window{Title: "w", Bounds: desktop.Rect{Width: 800, Height: 600}}
			more, late := button("More"), menu("Late")
			more.OnPress = func() {
				w.Nodes = append(w.Nodes, &fake.Node{Role: "panel", Children: []*fake.Node{
					{Role: "menu item", Name: "Preferences", Actions: []string{"click"}}, button("Night"),
				}})
				more.OnPress = nil
			}
			late.OnPress = func() {
				late.Children = []*fake.Node{{Role: "menu item", Name: "Other", Actions: []string{"click"}}}
			}
			mode := button("Basic")
			modes := &fake.Node{Role: "button", Name: "GtkMenuButton", Children: []*fake.Node{mode}}
			mode.OnPress = func() {
				modes.Children = []*fake.Node{mode, {Role: "menu", Name: "GtkPopoverMenu", Children: []*fake.Node{
					{Role: "menu item", Name: "Basic", Actions: []string{"click"}},
					{Role: "menu item", Name: "Advanced", Actions: []string{"click"}},
				}}}
				mode.OnPress = nil
			}
			w.Nodes = []*fake.Node{
				{Role: "menu bar", Children: []*fake.Node{
					menu("File", item("Open")),
					menu("View", item("Zoom", item("200 %")), item("Line Numbers")), late,
				}},
				more, modes, button("Print"),
			}
			d.Add(&fake.App{Info: desktop.AppInfo{Name: "Numbers"}, Windows: []*fake.Window{w}})
			o := run(t, d, fmt.Sprintf(`{"name":"m","version":1,"steps":[{"id":"s1","tool":"ui","resolve_timeout_ms":300,
			  "params":{"action":"click_menu","menu":%q,"menu_item":%q},"target":{"app":"Numbers"}}]}`, row.menu, row.item))
			if o.Status != row.status {
				t.Errorf("%s: %s %q", o.Status, o.Reason, d.Log())
			}
			if o.Status == results.Failed && o.step("s1").Failure.Kind != results.MenuItemNotFound {
				t.Errorf("%s", o.step("s1").Failure.Kind)
			}
			if pressed := slices.ContainsFunc(d.Log(), func(l string) bool { return l == "press button 'Print'" }); pressed {
				t.Errorf("pressed a button of the window: %q", d.Log())
			}
		})
	}
}

// An item that is called so wins over one whose title only contains that, also
// where it is of another role.
func TestClickMenuPrefersTheSameTitle(t *testing.T) {
	d := fake.New(1280, 800)
	export := &fake.Node{Role: "menu", Name: "Export", Without: desktop.Showing, Actions: []string{"click"}}
	exportAs := &fake.Node{Role: "menu item", Name: "Export As PDF", Without: desktop.Showing, Actions: []string{"click"}}
	d.Add(&fake.App{Info: desktop.AppInfo{Name: "Numbers"}, Windows: []*fake.Window{{Title: "w", Nodes: []*fake.Node{
		{Role: "menu", Name: "File", Actions: []string{"click"}, Children: []*fake.Node{exportAs, export}},
	}}}})
	const source = `{"name":"m","version":1,"steps":[{"id":"s1","tool":"ui","resolve_timeout_ms":300,
	  "params":{"action":"click_menu","menu":"File","menu_item":"Export"},"target":{"app":"Numbers"}}]}`
	o := run(t, d, source)
	if o.Status != results.Passed || o.step("s1").Resolution.Element.Title != "Export" {
		t.Errorf("%s %+v", o.Reason, o.step("s1").Resolution)
	}
	export.Name = "Send"
	o = run(t, d, source)
	if o.step("s1").Resolution.Means != results.MeansSubstringTitle {
		t.Errorf("%s %+v", o.Reason, o.step("s1").Resolution)
	}
}
