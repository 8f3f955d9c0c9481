package atspi

// roleNames are AT-SPI's names of its role numbers, as at-spi2-core 2.46 has
// them. Toolkits and later releases name some roles differently ("button" for
// "push button"); a name that follows from the number is the same for all of
// them, so a structural path learned on one machine holds on another.
var roleNames = [...]string{
	0: "", 1: "accelerator label", 2: "alert", 3: "animation", 4: "arrow",
	5: "calendar", 6: "canvas", 7: "check box", 8: "check menu item",
	9: "color chooser", 10: "column header", 11: "combo box",
	12: "date editor", 13: "desktop icon", 14: "desktop frame", 15: "dial",
	16: "dialog", 17: "directory pane", 18: "drawing area", 19: "file chooser",
	20: "filler", 21: "focus traversable", 22: "font chooser", 23: "frame",
	24: "glass pane", 25: "html container", 26: "icon", 27: "image",
	28: "internal frame", 29: "label", 30: "layered pane", 31: "list",
	32: "list item", 33: "menu", 34: "menu bar", 35: "menu item",
	36: "option pane", 37: "page tab", 38: "page tab list", 39: "panel",
	40: "password text", 41: "popup menu", 42: "progress bar",
	43: "push button", 44: "radio button", 45: "radio menu item",
	46: "root pane", 47: "row header", 48: "scroll bar", 49: "scroll pane",
	50: "separator", 51: "slider", 52: "spin button", 53: "split pane",
	54: "status bar", 55: "table", 56: "table cell",
	57: "table column header", 58: "table row header",
	59: "tear off menu item", 60: "terminal", 61: "text",
	62: "toggle button", 63: "tool bar", 64: "tool tip", 65: "tree",
	66: "tree table", 67: "", 68: "viewport", 69: "window", 70: "",
	71: "header", 72: "footer", 73: "paragraph", 74: "ruler",
	75: "application", 76: "autocomplete", 77: "edit bar",
	78: "embedded component", 79: "entry", 80: "chart", 81: "caption",
	82: "document frame", 83: "heading", 84: "page", 85: "section",
	86: "redundant object", 87: "form", 88: "link",
	89: "input method window", 90: "table row", 91: "tree item",
	92: "document spreadsheet", 93: "document presentation",
	94: "document text", 95: "document web", 96: "document email",
	97: "comment", 98: "list box", 99: "grouping", 100: "image map",
	101: "notification", 102: "info bar", 103: "level bar",
	104: "title bar", 105: "block quote", 106: "audio", 107: "video",
	108: "definition", 109: "article", 110: "landmark", 111: "log",
	112: "marquee", 113: "math", 114: "rating", 115: "timer",
	116: "static", 117: "math fraction", 118: "math root",
	119: "subscript", 120: "superscript", 121: "description list",
	122: "description term", 123: "description value", 124: "footnote",
	125: "content deletion", 126: "content insertion", 127: "mark",
	128: "suggestion", 129: "push button menu", 130: "switch",
}

// rolePassword is the role of fields whose text is never read.
const rolePassword = 40

// roleTableCell is the role of cells of tables and spreadsheets.
const roleTableCell = 56

// roleName is the name of a role number, "" where the number says nothing
// (invalid, unknown, extended, or newer than the table).
func roleName(number uint32) string {
	if int64(number) < int64(len(roleNames)) {
		return roleNames[number]
	}
	return ""
}
