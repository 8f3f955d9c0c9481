package desktop

// role is one row of the table of roles.
type role struct {
	name      string
	clickable bool
	// synonyms are further spellings, without case, spaces and punctuation,
	// and without the prefixes and suffixes in roles.go.
	synonyms []string
	// also are roles that an element of the same title may have where no
	// element has this one: platforms disagree about which of them it is.
	also []string
}

// roles is the one table of roles: every name of AT-SPI (those of GTK 4 and of
// at-spi2-core 2.52 too), macOS's AX roles and subroles, and UI Automation's
// control types.
//
// Toggle buttons are buttons and check menu items are menu items: releases of
// one toolkit disagree about which they are, and AX and UIA do not tell them
// apart. Dialogs are not windows, since AT-SPI does tell those apart. "Text" is
// AT-SPI's (an entry), not UIA's (a label), which is understood as
// ControlType.Text or TextControl.
var roles = []role{
	// Controls.
	{name: "button", clickable: true, synonyms: []string{
		"push button", "toggle button", "split button", "push button menu", "button menu", "menu button",
		"tool button", "command button", "disclosure triangle", "close button", "minimize button", "zoom button",
		"full screen button", "toolbar button", "toggle"}},
	{name: "check box", clickable: true, synonyms: []string{"check button"}, also: []string{"switch"}},
	{name: "switch", clickable: true, synonyms: []string{"toggle switch"}, also: []string{"check box"}},
	// Tabs of macOS are radio buttons.
	{name: "radio button", clickable: true, synonyms: []string{"radio"}, also: []string{"page tab"}},
	{name: "combo box", clickable: true, synonyms: []string{"pop up button", "drop down", "combo box text", "combo row"}},
	{name: "entry", synonyms: []string{
		"text", "text box", "text field", "text area", "text view", "text edit", "plain text edit", "line edit",
		"password text", "secure text field", "search box", "search field", "search entry", "edit",
		"editable text", "edit bar", "password entry", "source view"}},
	{name: "spin button", synonyms: []string{"spin box", "spinner", "stepper", "incrementor", "double spin box"}},
	{name: "slider", synonyms: []string{"scale"}},
	{name: "dial"},
	{name: "link", clickable: true, synonyms: []string{"hyperlink", "link button", "text link"}},
	{name: "color well", clickable: true},
	{name: "date editor", synonyms: []string{"date field", "time field", "date time area", "date edit", "date time edit"}},
	{name: "accelerator label"},
	{name: "autocomplete"},

	// Menus. What GTK calls a menu, Qt, AX and UIA call a menu item where it
	// is an entry of a menu bar or of another menu.
	{name: "menu bar", synonyms: []string{"popover menu bar"}},
	{name: "menu", clickable: true, synonyms: []string{"popup menu", "menu bar item", "popover menu"}, also: []string{"menu item"}},
	{name: "menu item", clickable: true, synonyms: []string{
		"check menu item", "radio menu item", "tear off menu item", "menu item check box", "menu item radio",
		"image menu item", "model button"}, also: []string{"menu"}},

	// Texts and pictures.
	{name: "label", synonyms: []string{"static", "static text", "caption", "TextControl", "ControlType.Text", "UIA_TextControlTypeId"}},
	{name: "heading", synonyms: []string{"header text"}},
	{name: "paragraph"},
	{name: "block quote"},
	{name: "image", synonyms: []string{"img", "graphic", "picture"}},
	{name: "image map"},
	{name: "icon", clickable: true, synonyms: []string{"desktop icon", "dock item"}},
	{name: "animation"},
	{name: "arrow"},
	{name: "chart"},
	{name: "canvas", synonyms: []string{"drawing area", "layout area"}},
	{name: "terminal"},
	{name: "document", synonyms: []string{
		"document frame", "document text", "document web", "document spreadsheet", "document presentation",
		"document email", "web area", "html container"}},
	{name: "article"},
	{name: "section"},
	{name: "page"},
	{name: "form"},
	{name: "landmark"},
	{name: "footer"},
	{name: "footnote"},
	{name: "comment"},
	{name: "mark"},
	{name: "suggestion"},
	{name: "content insertion"},
	{name: "content deletion"},
	{name: "definition"},
	{name: "description list", synonyms: []string{"definition list"}},
	{name: "description term", synonyms: []string{"term"}},
	{name: "description value"},
	{name: "math"},
	{name: "math fraction"},
	{name: "math root"},
	{name: "subscript"},
	{name: "superscript"},
	{name: "audio"},
	{name: "video"},

	// Collections. What is an item in one toolkit is a row or a cell in another.
	{name: "list", synonyms: []string{"list box", "list view", "content list", "section list"}},
	{name: "list item", clickable: true, synonyms: []string{"list box row", "option"}, also: []string{"tree item", "table row", "table cell"}},
	{name: "tree", synonyms: []string{"outline", "tree view", "tree table", "tree grid"}},
	{name: "tree item", clickable: true, synonyms: []string{"outline row"}, also: []string{"list item", "table row", "table cell"}},
	{name: "table", synonyms: []string{"grid", "data grid", "table view"}},
	{name: "table row", clickable: true, synonyms: []string{"row", "data item"}, also: []string{"list item", "tree item", "table cell"}},
	{name: "table cell", clickable: true, synonyms: []string{"cell", "grid cell"}, also: []string{"list item", "tree item", "table row"}},
	{name: "table column", synonyms: []string{"column"}},
	{name: "column header", clickable: true, synonyms: []string{"table column header", "header item", "sort button"}},
	{name: "row header", synonyms: []string{"table row header"}},
	{name: "header", synonyms: []string{"header view"}},
	{name: "browser"},
	{name: "directory pane"},
	{name: "page tab", clickable: true, synonyms: []string{"tab", "tab item", "tab button"}},
	{name: "page tab list", synonyms: []string{"tab list", "tab group", "tab bar", "notebook", "tab widget", "ControlType.Tab", "TabControl", "UIA_TabControlTypeId"}},
	{name: "calendar"},

	// What tells something.
	{name: "progress bar", synonyms: []string{"progress indicator", "busy indicator"}},
	{name: "level bar", synonyms: []string{"level indicator", "meter", "relevance indicator"}},
	{name: "rating", synonyms: []string{"rating indicator"}},
	{name: "value indicator"},
	{name: "status bar"},
	{name: "info bar"},
	{name: "notification"},
	{name: "log"},
	{name: "marquee"},
	{name: "timer"},
	{name: "tool tip", synonyms: []string{"help tag"}},

	// Windows. Only AT-SPI and newer toolkits tell dialogs from windows.
	{name: "window", synonyms: []string{
		"frame", "application window", "main window", "internal frame", "standard window", "floating window"}, also: []string{"dialog"}},
	{name: "dialog", synonyms: []string{
		"alert", "alert dialog", "message dialog", "message box", "file chooser", "file chooser dialog",
		"color chooser", "font chooser", "option pane", "sheet", "system dialog"}},
	{name: "title bar"},
	{name: "input method window"},
	{name: "desktop frame", synonyms: []string{"system wide"}},
	{name: "application"},
	{name: "popover"},
	{name: "drawer"},

	// What holds other elements.
	{name: "panel", synonyms: []string{"group", "grouping", "pane", "box", "container", "radio group"}},
	{name: "filler", synonyms: []string{"generic"}},
	{name: "root pane"},
	{name: "glass pane"},
	{name: "layered pane"},
	{name: "viewport"},
	{name: "scroll pane", synonyms: []string{"scroll area", "scrolled window"}},
	{name: "scroll bar"},
	{name: "thumb", synonyms: []string{"handle"}},
	{name: "split pane", synonyms: []string{"split group", "paned", "splitter"}},
	{name: "separator"},
	{name: "tool bar"},
	{name: "app bar"},
	{name: "ruler"},
	{name: "ruler marker"},
	{name: "grow area"},
	{name: "matte"},
	{name: "layout item"},
	{name: "embedded component", synonyms: []string{"embedded"}},
	{name: "focus traversable"},
	{name: "redundant object"},
	{name: "semantic zoom"},
	{name: "custom"},
	{name: "unknown", synonyms: []string{"invalid", "extended"}},
}
