package record

import (
	"strings"

	"github.com/opendesk/opendesk/program/tools"
)

// preferred are the names of keys that have several, as people write them.
var preferred = map[string]string{
	"Return": "return", "Escape": "escape", "space": "space", "Delete": "delete", "BackSpace": "backspace",
	"Up": "up", "Down": "down", "Left": "left", "Right": "right", "Prior": "pageup", "Next": "pagedown",
	"Page_Up": "pageup", "Page_Down": "pagedown", "Insert": "insert", "Menu": "menu", "Print": "print",
	"Caps_Lock": "caps_lock", "Scroll_Lock": "scroll_lock",
}

// programKey is what programs call the key with that keysym: one of the names
// of program/tools where there is one, else the keysym's own.
func programKey(keysym string) string {
	if name, ok := preferred[keysym]; ok {
		return name
	}
	for _, k := range tools.Keys() {
		if k.Keysym == keysym {
			return k.Name
		}
	}
	return keysym
}

// chord joins the modifiers and the key.
func chord(modifiers []string, key string) string {
	return strings.Join(append(modifiers[:len(modifiers):len(modifiers)], key), "+")
}
