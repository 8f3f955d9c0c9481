package desktop

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSameRole(t *testing.T) {
	same := [][]string{
		{"AXButton", "button", "push button", "Push Button", "toggle button", "GtkButton", "QPushButton", "PUSH_BUTTON", "ATSPI_ROLE_PUSH_BUTTON", "ControlType.Button", "ButtonControl", "push-button", " axbutton ", "UIA_ButtonControlTypeId", "JButton", "javax.swing.JButton", "AXCloseButton"},
		{"AXMenuItem", "menu item", "MenuItem", "check menu item", "radio menu item", "GtkMenuItem"},
		{"AXMenuBarItem", "menu", "AXMenu", "popup menu"},
		{"AXTextField", "entry", "text", "AXTextArea", "Edit", "EditControl", "GtkEntry", "text box", "password text", "AXSecureTextField", "search box", "QLineEdit"},
		{"AXStaticText", "label", "static", "StaticText", "TextControl", "ControlType.Text", "UIA_TextControlTypeId", "GtkLabel", "QLabel"},
		{"AXWindow", "window", "frame", "Window", "GtkWindow", "WindowControl"},
		{"dialog", "AXSheet", "alert", "file chooser", "GtkDialog"},
		{"AXCheckBox", "check box", "CheckBox", "checkbox", "GtkCheckButton"},
		{"AXRadioButton", "radio button", "RadioButton"},
		{"AXComboBox", "combo box", "AXPopUpButton", "ComboBox"},
		{"AXLink", "link", "Hyperlink", "hyperlink"},
		{"AXTabGroup", "page tab list", "tab list", "ControlType.Tab", "TabControl", "QTabWidget"},
		{"page tab", "tab", "TabItem"},
		{"AXTable", "table", "DataGrid"},
		{"AXOutline", "tree", "tree table"},
		{"AXProgressIndicator", "progress bar", "ProgressBar"},
		{"AXIncrementor", "spin button", "Spinner", "GtkSpinButton"},
		{"AXGroup", "panel", "Pane", "GtkBox"},
		{"AXWebArea", "document web", "document frame"},
		{"some role", "Some  Role"},
		{"info bar", "ATSPI_ROLE_INFO_BAR", "GtkInfoBar"},
		{"unknown", "AXUnknown", "ATSPI_ROLE_INVALID"},
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

// TestAllRolesAreKnown holds the table against the platforms' own lists.
func TestAllRolesAreKnown(t *testing.T) {
	for platform, list := range map[string]string{
		"ATSPI_ROLE_": "INVALID ACCELERATOR_LABEL ALERT ANIMATION ARROW CALENDAR CANVAS CHECK_BOX CHECK_MENU_ITEM COLOR_CHOOSER COLUMN_HEADER " +
			"COMBO_BOX DATE_EDITOR DESKTOP_ICON DESKTOP_FRAME DIAL DIALOG DIRECTORY_PANE DRAWING_AREA FILE_CHOOSER FILLER FOCUS_TRAVERSABLE " +
			"FONT_CHOOSER FRAME GLASS_PANE HTML_CONTAINER ICON IMAGE INTERNAL_FRAME LABEL LAYERED_PANE LIST LIST_ITEM MENU MENU_BAR MENU_ITEM " +
			"OPTION_PANE PAGE_TAB PAGE_TAB_LIST PANEL PASSWORD_TEXT POPUP_MENU PROGRESS_BAR PUSH_BUTTON RADIO_BUTTON RADIO_MENU_ITEM ROOT_PANE " +
			"ROW_HEADER SCROLL_BAR SCROLL_PANE SEPARATOR SLIDER SPIN_BUTTON SPLIT_PANE STATUS_BAR TABLE TABLE_CELL TABLE_COLUMN_HEADER " +
			"TABLE_ROW_HEADER TEAROFF_MENU_ITEM TERMINAL TEXT TOGGLE_BUTTON TOOL_BAR TOOL_TIP TREE TREE_TABLE UNKNOWN VIEWPORT WINDOW EXTENDED " +
			"HEADER FOOTER PARAGRAPH RULER APPLICATION AUTOCOMPLETE EDITBAR EMBEDDED ENTRY CHART CAPTION DOCUMENT_FRAME HEADING PAGE SECTION " +
			"REDUNDANT_OBJECT FORM LINK INPUT_METHOD_WINDOW TABLE_ROW TREE_ITEM DOCUMENT_SPREADSHEET DOCUMENT_PRESENTATION DOCUMENT_TEXT " +
			"DOCUMENT_WEB DOCUMENT_EMAIL COMMENT LIST_BOX GROUPING IMAGE_MAP NOTIFICATION INFO_BAR LEVEL_BAR TITLE_BAR BLOCK_QUOTE AUDIO VIDEO " +
			"DEFINITION ARTICLE LANDMARK LOG MARQUEE MATH RATING TIMER STATIC MATH_FRACTION MATH_ROOT SUBSCRIPT SUPERSCRIPT DESCRIPTION_LIST " +
			"DESCRIPTION_TERM DESCRIPTION_VALUE FOOTNOTE CONTENT_DELETION CONTENT_INSERTION MARK SUGGESTION PUSH_BUTTON_MENU SWITCH",
		"ControlType.": "AppBar Button Calendar CheckBox ComboBox Custom DataGrid DataItem Document Edit Group Header HeaderItem Hyperlink Image " +
			"List ListItem Menu MenuBar MenuItem Pane ProgressBar RadioButton ScrollBar SemanticZoom Separator Slider Spinner SplitButton " +
			"StatusBar Tab TabItem Table Text Thumb TitleBar ToolBar ToolTip Tree TreeItem Window",
		"AX": "Application SystemWide Window Sheet Drawer GrowArea Image Unknown Button RadioButton CheckBox PopUpButton MenuButton TabGroup Table " +
			"Column Row Outline Browser ScrollArea ScrollBar RadioGroup List Group ValueIndicator ComboBox Slider Incrementor BusyIndicator " +
			"ProgressIndicator RelevanceIndicator Toolbar DisclosureTriangle TextField TextArea StaticText Heading MenuBar MenuBarItem Menu " +
			"MenuItem SplitGroup Splitter ColorWell TimeField DateField HelpTag Matte DockItem Ruler RulerMarker Grid LevelIndicator Cell " +
			"LayoutArea LayoutItem Handle Popover Link WebArea Page CloseButton MinimizeButton ZoomButton ToolbarButton FullScreenButton " +
			"SecureTextField TableRow OutlineRow StandardWindow Dialog SystemDialog FloatingWindow SearchField Switch Toggle SortButton " +
			"RatingIndicator ContentList DefinitionList TabButton",
	} {
		for _, name := range strings.Fields(list) {
			if canonical, ok := knownRole(platform + name); !ok {
				t.Errorf("%s%s is not known", platform, name)
			} else if bare, ok := knownRole(name); name != "Text" && name != "Tab" && (!ok || bare != canonical) {
				t.Errorf("%s%s is %q, and without the prefix %q", platform, name, canonical, bare)
			}
		}
	}
}

// TestAlsoRoles holds that what may stand in for a role is a role.
func TestAlsoRoles(t *testing.T) {
	for _, r := range roles {
		for _, also := range AlsoRoles(r.name) {
			if CanonicalRole(also) != also || also == r.name {
				t.Errorf("%q may also be %q", r.name, also)
			}
		}
	}
	for role, want := range map[string]string{"AXMenuItem": "menu", "AXMenuBarItem": "menu item", "AXWindow": "dialog", "dialog": "", "button": ""} {
		if got := strings.Join(AlsoRoles(role), " "); got != want {
			t.Errorf("%s may also be %q, want %q", role, got, want)
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
