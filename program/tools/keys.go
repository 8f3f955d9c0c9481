package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/internal/keysym"
)

// Key is a key that a program names.
type Key struct {
	// Keysym is the X keysym name ("Page_Up"), or a single character; "" for
	// a modifier that X does not have (fn).
	Keysym string
	// Modifier is the canonical modifier (ctrl, shift, alt, altgr, super)
	// where the key is one; "" for any other key.
	Modifier string
}

// KeyName is one row of the list of named keys.
type KeyName struct {
	// Name is what programs write, in lower case.
	Name string
	// Keysym is the X keysym that it means.
	Keysym string
}

// ModifierName is one row of the list of modifiers.
type ModifierName struct {
	// Name is what programs write, in lower case.
	Name string
	// Canonical is ctrl, shift, alt, altgr or super; "" for a modifier that X
	// does not have (fn), which is accepted and changes nothing.
	Canonical string
	// Keysym is the X keysym of its key, the left one where the name does not
	// say; "" where Canonical is.
	Keysym string
}

var keyNames = []KeyName{
	{"apps", "Menu"},
	{"arrow_down", "Down"},
	{"arrow_left", "Left"},
	{"arrow_right", "Right"},
	{"arrow_up", "Up"},
	{"arrowdown", "Down"},
	{"arrowleft", "Left"},
	{"arrowright", "Right"},
	{"arrowup", "Up"},
	{"backspace", "BackSpace"},
	{"caps_lock", "Caps_Lock"},
	{"capslock", "Caps_Lock"},
	{"del", "Delete"},
	{"delete", "Delete"},
	{"down", "Down"},
	{"end", "End"},
	{"enter", "Return"},
	{"esc", "Escape"},
	{"escape", "Escape"},
	{"f1", "F1"},
	{"f10", "F10"},
	{"f11", "F11"},
	{"f12", "F12"},
	{"f13", "F13"},
	{"f14", "F14"},
	{"f15", "F15"},
	{"f16", "F16"},
	{"f17", "F17"},
	{"f18", "F18"},
	{"f19", "F19"},
	{"f2", "F2"},
	{"f20", "F20"},
	{"f21", "F21"},
	{"f22", "F22"},
	{"f23", "F23"},
	{"f24", "F24"},
	{"f3", "F3"},
	{"f4", "F4"},
	{"f5", "F5"},
	{"f6", "F6"},
	{"f7", "F7"},
	{"f8", "F8"},
	{"f9", "F9"},
	{"forward_delete", "Delete"},
	{"forwarddelete", "Delete"},
	{"home", "Home"},
	{"ins", "Insert"},
	{"insert", "Insert"},
	{"left", "Left"},
	{"menu", "Menu"},
	{"nexttrack", "XF86AudioNext"},
	{"num_lock", "Num_Lock"},
	{"numlock", "Num_Lock"},
	{"page_down", "Page_Down"},
	{"page_up", "Page_Up"},
	{"pagedown", "Page_Down"},
	{"pageup", "Page_Up"},
	{"pause", "Pause"},
	{"pgdn", "Page_Down"},
	{"pgdown", "Page_Down"},
	{"pgup", "Page_Up"},
	{"playpause", "XF86AudioPlay"},
	{"prevtrack", "XF86AudioPrev"},
	{"print", "Print"},
	{"print_screen", "Print"},
	{"printscreen", "Print"},
	{"prtsc", "Print"},
	{"return", "Return"},
	{"right", "Right"},
	{"scroll_lock", "Scroll_Lock"},
	{"scrolllock", "Scroll_Lock"},
	{"space", "space"},
	{"spacebar", "space"},
	{"tab", "Tab"},
	{"up", "Up"},
	{"volume_down", "XF86AudioLowerVolume"},
	{"volume_mute", "XF86AudioMute"},
	{"volume_up", "XF86AudioRaiseVolume"},
	{"volumedown", "XF86AudioLowerVolume"},
	{"volumemute", "XF86AudioMute"},
	{"volumeup", "XF86AudioRaiseVolume"},
}

// Programs learned on a Mac say command for what is Ctrl elsewhere.
var modifierNames = []ModifierName{
	{"alt", "alt", "Alt_L"},
	{"altgr", "altgr", "ISO_Level3_Shift"},
	{"altleft", "alt", "Alt_L"},
	{"altright", "alt", "Alt_R"},
	{"cmd", "ctrl", "Control_L"},
	{"command", "ctrl", "Control_L"},
	{"control", "ctrl", "Control_L"},
	{"ctrl", "ctrl", "Control_L"},
	{"ctrlleft", "ctrl", "Control_L"},
	{"ctrlright", "ctrl", "Control_R"},
	{"fn", "", ""},
	{"meta", "super", "Super_L"},
	{"option", "alt", "Alt_L"},
	{"optionleft", "alt", "Alt_L"},
	{"optionright", "alt", "Alt_R"},
	{"shift", "shift", "Shift_L"},
	{"shiftleft", "shift", "Shift_L"},
	{"shiftright", "shift", "Shift_R"},
	{"super", "super", "Super_L"},
	{"win", "super", "Super_L"},
	{"winleft", "super", "Super_L"},
	{"winright", "super", "Super_R"},
}

// Keys lists the named keys, sorted by name. Beyond them ParseKey takes any
// single character, any X keysym name and characters by number (U20AC).
func Keys() []KeyName { return slices.Clone(keyNames) }

// Modifiers lists the modifiers, sorted by name.
func Modifiers() []ModifierName { return slices.Clone(modifierNames) }

// UnknownNameError says that a key or a modifier has a name that nothing has.
type UnknownNameError struct {
	// What is "key" or "modifier".
	What string
	// Name is the name as the program has it.
	Name string
	// Hint says what to write instead; "" where nothing is near.
	Hint string
}

func (e *UnknownNameError) Error() string {
	msg := fmt.Sprintf("%s %q is unknown", e.What, e.Name)
	if e.Hint != "" {
		msg += " (" + e.Hint + ")"
	}
	return msg
}

// ParseKey finds the key that a program means by name: a named key or a
// modifier (both without regard to case), a single character, an X keysym name
// (to the letter), or a character by number (U20AC, U+20AC). The error is an
// *UnknownNameError.
func ParseKey(name string) (Key, error) {
	switch name {
	case "\n", "\r":
		return Key{Keysym: "Return"}, nil
	case "\t":
		return Key{Keysym: "Tab"}, nil
	}
	lower := strings.ToLower(name)
	if i, ok := slices.BinarySearchFunc(keyNames, lower, func(k KeyName, n string) int { return strings.Compare(k.Name, n) }); ok {
		return Key{Keysym: keyNames[i].Keysym}, nil
	}
	if m, ok := lookupModifier(lower); ok {
		return Key{Keysym: m.Keysym, Modifier: m.Canonical}, nil
	}
	if _, ok := keysym.ByName(name); ok {
		return Key{Keysym: name, Modifier: modifierKeysyms[name]}, nil
	}
	hint := chordHint(name)
	if hint == "" {
		hint = didYouMean(misspelt(name))
	}
	return Key{}, &UnknownNameError{What: "key", Name: name, Hint: hint}
}

// ParseModifier finds the modifier that a program means by name (without
// regard to case) or by X keysym name. The error is an *UnknownNameError.
func ParseModifier(name string) (Key, error) {
	if m, ok := lookupModifier(strings.ToLower(name)); ok {
		return Key{Keysym: m.Keysym, Modifier: m.Canonical}, nil
	}
	if m, ok := modifierKeysyms[name]; ok {
		return Key{Keysym: name, Modifier: m}, nil
	}
	names := make([]string, len(modifierNames))
	for i, m := range modifierNames {
		names[i] = m.Name
	}
	return Key{}, &UnknownNameError{What: "modifier", Name: name, Hint: didYouMean(Closest(name, names))}
}

// modifierKeysyms are the keysyms of modifier keys on either side.
var modifierKeysyms = map[string]string{
	"Alt_L": "alt", "Alt_R": "alt",
	"Control_L": "ctrl", "Control_R": "ctrl",
	"ISO_Level3_Shift": "altgr",
	"Meta_L":           "super", "Meta_R": "super",
	"Shift_L": "shift", "Shift_R": "shift",
	"Super_L": "super", "Super_R": "super",
}

// ModifierKeysyms lists the keysyms that ParseModifier takes, sorted.
func ModifierKeysyms() []string {
	return slices.Sorted(maps.Keys(modifierKeysyms))
}

func lookupModifier(lower string) (ModifierName, bool) {
	i, ok := slices.BinarySearchFunc(modifierNames, lower, func(m ModifierName, n string) int { return strings.Compare(m.Name, n) })
	if !ok {
		return ModifierName{}, false
	}
	return modifierNames[i], true
}

// misspelt names the key that a name most likely means, or "".
func misspelt(name string) string {
	for _, known := range keysym.Names() {
		if strings.EqualFold(known, name) {
			return known
		}
	}
	names := make([]string, 0, len(keyNames)+len(modifierNames))
	for _, k := range keyNames {
		names = append(names, k.Name)
	}
	for _, m := range modifierNames {
		names = append(names, m.Name)
	}
	if near := misspelling(name, names); near != "" {
		return near
	}
	return misspelling(name, keysym.Names())
}

// chordHint says how to write what looks like several keys in one name.
func chordHint(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '+' || r == '-' || r == ' ' })
	if len(parts) < 2 {
		return ""
	}
	if joined := strings.ToLower(strings.Join(parts, "_")); slices.ContainsFunc(keyNames, func(k KeyName) bool { return k.Name == joined }) {
		return didYouMean(joined)
	}
	if _, ok := lookupModifier(strings.ToLower(parts[0])); !ok {
		return ""
	}
	return `for keys pressed together use keyboard hotkey with a list of keys, or ui press_key with modifiers`
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", name)
}
