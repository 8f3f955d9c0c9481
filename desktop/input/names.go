package input

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keysymOf are the names that programs give to keys, in lower case without
// underscores, and the X keysym names of those keys.
var keysymOf = map[string]string{
	"return": "Return", "enter": "Return", "escape": "Escape", "esc": "Escape",
	"tab": "Tab", "space": "space", "spacebar": "space",
	"delete": "Delete", "del": "Delete", "forwarddelete": "Delete", "backspace": "BackSpace",
	"up": "Up", "down": "Down", "left": "Left", "right": "Right",
	"arrowup": "Up", "arrowdown": "Down", "arrowleft": "Left", "arrowright": "Right",
	"home": "Home", "end": "End", "insert": "Insert", "ins": "Insert",
	"pageup": "Prior", "pgup": "Prior", "pagedown": "Next", "pgdn": "Next", "pgdown": "Next",
	"menu": "Menu", "apps": "Menu", "printscreen": "Print", "print": "Print", "pause": "Pause",
	"capslock": "Caps_Lock", "numlock": "Num_Lock", "scrolllock": "Scroll_Lock",
	"volumeup": "XF86AudioRaiseVolume", "volumedown": "XF86AudioLowerVolume", "volumemute": "XF86AudioMute",

	"command": "Control_L", "cmd": "Control_L", "ctrl": "Control_L", "control": "Control_L",
	"ctrlleft": "Control_L", "ctrlright": "Control_R",
	"shift": "Shift_L", "shiftleft": "Shift_L", "shiftright": "Shift_R",
	"alt": "Alt_L", "option": "Alt_L", "altleft": "Alt_L", "altright": "Alt_R", "optionleft": "Alt_L", "optionright": "Alt_R",
	"altgr": "ISO_Level3_Shift",
	"meta":  "Super_L", "super": "Super_L", "win": "Super_L", "winleft": "Super_L", "winright": "Super_R",
}

func init() {
	for i := 1; i <= 24; i++ {
		keysymOf[fmt.Sprintf("f%d", i)] = fmt.Sprintf("F%d", i)
	}
}

// robotOf are robotgo's names of keys that lie the same on every layout.
var robotOf = map[string]string{
	"Return": "enter", "Escape": "escape", "Tab": "tab", "space": "space",
	"Delete": "delete", "BackSpace": "backspace", "Insert": "insert",
	"Up": "up", "Down": "down", "Left": "left", "Right": "right",
	"Home": "home", "End": "end", "Prior": "pageup", "Next": "pagedown",
	"F1": "f1", "F2": "f2", "F3": "f3", "F4": "f4", "F5": "f5", "F6": "f6",
	"F7": "f7", "F8": "f8", "F9": "f9", "F10": "f10", "F11": "f11", "F12": "f12",
	"Control_L": "ctrl", "Shift_L": "shift", "Alt_L": "alt", "Super_L": "cmd",
}

// keysymName is the X keysym name or the character that a program means by a
// key's name.
func keysymName(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		switch name {
		case "\n", "\r":
			return "Return"
		case "\t":
			return "Tab"
		}
		return name
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
	if sym, ok := keysymOf[plain]; ok {
		return sym
	}
	return name
}

// chordKey is the key's name in a chord with modifiers, where a capital letter
// means the letter's key, as in menus: Ctrl+S is not Ctrl+Shift+S.
func chordKey(key string, modifiers []string) string {
	r, n := utf8.DecodeRuneInString(key)
	if n > 0 && n == len(key) && len(modifiers) > 0 {
		return string(unicode.ToLower(r))
	}
	return key
}
