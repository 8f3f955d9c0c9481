package desktop

import (
	"testing"
	"unicode/utf8"
)

func TestSameRole(t *testing.T) {
	same := [][]string{
		{"AXButton", "button", "push button", "Push Button", "toggle button", "GtkButton", "QPushButton", "PUSH_BUTTON", "ATSPI_ROLE_PUSH_BUTTON", "ControlType.Button", "ButtonControl", "push-button", " axbutton "},
		{"AXMenuItem", "menu item", "MenuItem", "check menu item", "radio menu item", "GtkMenuItem"},
		{"AXMenuBarItem", "menu", "AXMenu", "popup menu"},
		{"AXTextField", "entry", "text", "AXTextArea", "Edit", "EditControl", "GtkEntry", "text box", "password text", "AXSecureTextField", "search box", "QLineEdit"},
		{"AXStaticText", "label", "static", "StaticText", "TextControl", "GtkLabel", "QLabel"},
		{"AXWindow", "window", "frame", "Window", "GtkWindow", "WindowControl"},
		{"dialog", "AXSheet", "alert", "file chooser", "GtkDialog"},
		{"AXCheckBox", "check box", "CheckBox", "checkbox", "GtkCheckButton"},
		{"AXRadioButton", "radio button", "RadioButton"},
		{"AXComboBox", "combo box", "AXPopUpButton", "ComboBox"},
		{"AXLink", "link", "Hyperlink", "hyperlink"},
		{"AXTabGroup", "page tab list", "tab list"},
		{"page tab", "tab", "TabItem"},
		{"AXTable", "table", "DataGrid"},
		{"AXOutline", "tree", "tree table"},
		{"AXProgressIndicator", "progress bar", "ProgressBar"},
		{"AXIncrementor", "spin button", "Spinner", "GtkSpinButton"},
		{"AXGroup", "panel", "Pane", "GtkBox"},
		{"AXWebArea", "document web", "document frame"},
		{"some role", "Some  Role"},
	}
	for i, group := range same {
		for _, a := range group {
			for j, other := range same {
				for _, b := range other {
					if got, want := SameRole(a, b), i == j; got != want {
						t.Errorf("SameRole(%q, %q) = %v, want %v (%q, %q)", a, b, got, want, CanonicalRole(a), CanonicalRole(b))
					}
				}
			}
		}
	}
}

func TestClickable(t *testing.T) {
	for role, want := range map[string]bool{
		"AXButton": true, "push button": true, "menu item": true, "link": true, "table cell": true,
		"check box": true, "page tab": true, "list item": true,
		"label": false, "AXStaticText": false, "entry": false, "frame": false, "panel": false, "": false, "nonsense": false,
	} {
		if got := Clickable(role); got != want {
			t.Errorf("Clickable(%q) = %v, want %v", role, got, want)
		}
	}
}

// TestRoleTable holds that no spelling belongs to two roles.
func TestRoleTable(t *testing.T) {
	owner := map[string]string{}
	for _, r := range roles {
		for _, s := range append([]string{r.name}, r.synonyms...) {
			key := roleKey(s)
			if o, taken := owner[key]; taken {
				t.Errorf("%q is both %q and %q", s, o, r.name)
			}
			owner[key] = r.name
		}
		if got := CanonicalRole(r.name); got != r.name {
			t.Errorf("CanonicalRole(%q) = %q", r.name, got)
		}
	}
}

func FuzzCanonicalRole(f *testing.F) {
	for _, s := range []string{"AXButton", "push button", "", "q", "ax", "AXAX", "Straße", "ﬁller", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := CanonicalRole(s)
		if utf8.ValidString(s) && CanonicalRole(c) != c {
			t.Errorf("CanonicalRole(%q) = %q, and of that %q", s, c, CanonicalRole(c))
		}
		if !SameRole(s, s) {
			t.Errorf("SameRole(%q, itself) is false", s)
		}
	})
}
