package desktop

// role is one row of the table of roles.
type role struct {
	name      string
	clickable bool
	// synonyms are further spellings, without case, spaces and punctuation,
	// and without the prefixes in rolePrefixes. UIA's "Text" is missing under
	// label: AT-SPI calls an entry so.
	synonyms []string
}

// roles is the one table of roles: AT-SPI's names (those of GTK 4 and of
// at-spi2-core 2.52 too), macOS's AX names and UI Automation's control types.
//
// Toggle buttons are buttons and check menu items are menu items: releases of
// one toolkit disagree about which they are, and AX and UIA do not tell them
// apart. Dialogs are not windows, since AT-SPI does tell those apart.
var roles = []role{
	{name: "button", clickable: true, synonyms: []string{
		"push button", "toggle button", "split button", "push button menu", "button menu", "menu button",
		"tool button", "command button", "disclosure triangle", "ButtonControl", "SplitButtonControl"}},
	{name: "check box", clickable: true, synonyms: []string{"check button", "CheckBoxControl"}},
	{name: "switch", clickable: true, synonyms: []string{"toggle switch"}},
	{name: "radio button", clickable: true, synonyms: []string{"radio", "RadioButtonControl"}},
	{name: "menu bar", synonyms: []string{"popover menu bar", "MenuBarControl"}},
	{name: "menu", clickable: true, synonyms: []string{"popup menu", "menu bar item", "popover menu", "MenuControl"}},
	{name: "menu item", clickable: true, synonyms: []string{
		"check menu item", "radio menu item", "tear off menu item", "menu item check box", "menu item radio",
		"image menu item", "model button", "MenuItemControl"}},
	{name: "entry", synonyms: []string{
		"text", "text box", "text field", "text area", "text view", "text edit", "plain text edit", "line edit",
		"password text", "secure text field", "search box", "search field", "search entry", "edit",
		"editable text", "edit bar", "password entry", "source view", "EditControl"}},
	{name: "spin button", synonyms: []string{"spin box", "spinner", "stepper", "incrementor", "double spin box", "SpinnerControl"}},
	{name: "combo box", clickable: true, synonyms: []string{"pop up button", "drop down", "combo box text", "ComboBoxControl"}},
	{name: "label", synonyms: []string{"static", "static text", "caption", "TextControl"}},
	{name: "heading", synonyms: []string{"header text"}},
	{name: "paragraph"},
	{name: "link", clickable: true, synonyms: []string{"hyperlink", "link button", "HyperlinkControl"}},
	{name: "image", synonyms: []string{"img", "graphic", "picture", "ImageControl"}},
	{name: "icon", clickable: true, synonyms: []string{"desktop icon"}},
	{name: "list", synonyms: []string{"list box", "list view", "ListControl"}},
	{name: "list item", clickable: true, synonyms: []string{"list box row", "option", "ListItemControl"}},
	{name: "tree", synonyms: []string{"outline", "tree view", "tree table", "tree grid", "TreeControl"}},
	{name: "tree item", clickable: true, synonyms: []string{"outline row", "TreeItemControl"}},
	{name: "table", synonyms: []string{"grid", "data grid", "table view", "TableControl", "DataGridControl"}},
	{name: "table row", clickable: true, synonyms: []string{"row", "DataItemControl", "data item"}},
	{name: "table cell", clickable: true, synonyms: []string{"cell", "grid cell"}},
	{name: "column header", clickable: true, synonyms: []string{"table column header", "header item", "HeaderItemControl"}},
	{name: "row header", synonyms: []string{"table row header"}},
	{name: "header", synonyms: []string{"header view", "HeaderControl"}},
	{name: "page tab", clickable: true, synonyms: []string{"tab", "tab item", "tab button", "TabItemControl"}},
	{name: "page tab list", synonyms: []string{"tab list", "tab group", "tab bar", "notebook", "tab widget", "TabControl"}},
	{name: "slider", synonyms: []string{"scale", "SliderControl"}},
	{name: "progress bar", synonyms: []string{"progress indicator", "busy indicator", "ProgressBarControl"}},
	{name: "level bar", synonyms: []string{"level indicator", "meter"}},
	{name: "scroll bar", synonyms: []string{"ScrollBarControl"}},
	{name: "scroll pane", synonyms: []string{"scroll area", "scrolled window"}},
	{name: "split pane", synonyms: []string{"split group", "paned", "splitter"}},
	{name: "separator", synonyms: []string{"SeparatorControl"}},
	{name: "tool bar", synonyms: []string{"ToolBarControl"}},
	{name: "status bar", synonyms: []string{"StatusBarControl"}},
	{name: "tool tip", synonyms: []string{"help tag", "ToolTipControl"}},
	{name: "window", synonyms: []string{"frame", "application window", "main window", "internal frame", "WindowControl"}},
	{name: "dialog", synonyms: []string{
		"alert", "alert dialog", "message dialog", "message box", "file chooser", "file chooser dialog",
		"color chooser", "font chooser", "sheet", "system dialog"}},
	{name: "application"},
	{name: "panel", synonyms: []string{"group", "grouping", "pane", "box", "container", "GroupControl", "PaneControl"}},
	{name: "filler", synonyms: []string{"generic"}},
	{name: "document", synonyms: []string{
		"document frame", "document text", "document web", "document spreadsheet", "document presentation",
		"document email", "web area", "DocumentControl"}},
	{name: "terminal"},
	{name: "calendar", synonyms: []string{"CalendarControl"}},
	{name: "canvas", synonyms: []string{"drawing area", "layout area"}},
}
