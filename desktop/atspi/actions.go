package atspi

import (
	"strings"

	"github.com/opendesk/opendesk/desktop"
)

const getActions = "org.a11y.atspi.Action.GetActions"

// actionNames are the names, best first, that toolkits give to each sort of
// action, without case, spaces and punctuation.
var actionNames = map[desktop.ActionKind][]string{
	desktop.Press:    {"click", "press", "activate", "toggle", "jump", "open", "switch", "select", "check", "uncheck", "dodefault"},
	desktop.ShowMenu: {"showmenu", "showcontextmenu", "popup", "popupmenu", "menu", "contextmenu"},
	desktop.Expand:   {"expandorcontract", "expandorcollapse", "expand", "contract", "collapse"},
}

// parseActions reads the names of an "a(sss)".
func parseActions(v any) []string {
	list, _ := v.([][]any)
	names := make([]string, 0, len(list))
	for _, fields := range list {
		name := ""
		if len(fields) > 0 {
			name, _ = fields[0].(string)
		}
		names = append(names, name)
	}
	return names
}

// pickAction gives the index of the action that is of that sort, -1 for none.
// Chromium gives every node the action doDefault, so that on a label it is no
// press.
func pickAction(names []string, kind desktop.ActionKind, label bool) int {
	for _, want := range actionNames[kind] {
		if label && want == "dodefault" {
			continue
		}
		for i, have := range names {
			if squeeze(have) == want {
				return i
			}
		}
	}
	return -1
}

// squeeze drops case and everything but letters.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}
