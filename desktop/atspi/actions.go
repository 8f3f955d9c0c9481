package atspi

import (
	"strings"

	"github.com/opendesk/opendesk/desktop"
)

// Actions are asked for one by one: GetActions gives GTK 3's translated names.
const (
	actionInterface = "org.a11y.atspi.Action"
	actionName      = actionInterface + ".GetName"

	maxActions = 64
)

// actionNames are the names, best first, that toolkits give to each sort of
// action, without case, spaces and punctuation.
var actionNames = map[desktop.ActionKind][]string{
	desktop.Press: {"click", "press", "activate", "toggle", "jump", "open", "switch", "select", "check", "uncheck",
		"togglepopup", "dodefault"},
	desktop.ShowMenu: {"showmenu", "popup", "popupmenu", "menu"}, // not the context menu
	desktop.Expand:   {"expandorcontract", "expandorcollapse", "expand", "contract", "collapse"},
}

// actionCount reads the property NActions.
func actionCount(body []any) int {
	n, _ := variantOf(body).(int32)
	return int(max(0, min(n, maxActions)))
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
