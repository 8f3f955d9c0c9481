package tools

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Key is a key that a program names.
type Key struct {
	// Keysym is the X keysym name ("Page_Up"); "" for a single character.
	Keysym string
	// Char is the character where the program names one; 0 for a keysym.
	Char rune
	// Modifier is the canonical modifier (ctrl, shift, alt, super) where the
	// key is one; "" for any other key.
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
	// Canonical is ctrl, shift, alt or super; "" for a modifier that X does not
	// have (fn), which is accepted and changes nothing.
	Canonical string
	// Keysym is the X keysym of its left key; "" where Canonical is.
	Keysym string
}

var keyNames = []KeyName{
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
	{"f2", "F2"},
	{"f3", "F3"},
	{"f4", "F4"},
	{"f5", "F5"},
	{"f6", "F6"},
	{"f7", "F7"},
	{"f8", "F8"},
	{"f9", "F9"},
	{"home", "Home"},
	{"insert", "Insert"},
	{"left", "Left"},
	{"menu", "Menu"},
	{"num_lock", "Num_Lock"},
	{"numlock", "Num_Lock"},
	{"page_down", "Page_Down"},
	{"page_up", "Page_Up"},
	{"pagedown", "Page_Down"},
	{"pageup", "Page_Up"},
	{"pause", "Pause"},
	{"print", "Print"},
	{"print_screen", "Print"},
	{"printscreen", "Print"},
	{"return", "Return"},
	{"right", "Right"},
	{"scroll_lock", "Scroll_Lock"},
	{"scrolllock", "Scroll_Lock"},
	{"space", "space"},
	{"tab", "Tab"},
	{"up", "Up"},
}

// Programs learned on a Mac say command for what is Ctrl elsewhere.
var modifierNames = []ModifierName{
	{"alt", "alt", "Alt_L"},
	{"cmd", "ctrl", "Control_L"},
	{"command", "ctrl", "Control_L"},
	{"control", "ctrl", "Control_L"},
	{"ctrl", "ctrl", "Control_L"},
	{"fn", "", ""},
	{"meta", "super", "Super_L"},
	{"option", "alt", "Alt_L"},
	{"shift", "shift", "Shift_L"},
	{"super", "super", "Super_L"},
	{"win", "super", "Super_L"},
}

// Keys lists the named keys, sorted by name. Beyond them ParseKey takes any
// single character and any X keysym name.
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

// keysymLike is what the names of X keysyms look like.
var keysymLike = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// ParseKey finds the key that a program means by name: a named key or a
// modifier (both without regard to case), a single character, or an X keysym
// name. The error is an *UnknownNameError. Keysyms are not looked up: a name
// that only looks like one is accepted here and refused by the display.
func ParseKey(name string) (Key, error) {
	if utf8.RuneCountInString(name) == 1 {
		r, _ := utf8.DecodeRuneInString(name)
		return Key{Char: r}, nil
	}
	lower := strings.ToLower(name)
	if i, ok := slices.BinarySearchFunc(keyNames, lower, func(k KeyName, n string) int { return strings.Compare(k.Name, n) }); ok {
		return Key{Keysym: keyNames[i].Keysym}, nil
	}
	if m, ok := lookupModifier(lower); ok {
		return Key{Keysym: m.Keysym, Modifier: m.Canonical}, nil
	}
	if !keysymLike.MatchString(name) {
		return Key{}, &UnknownNameError{What: "key", Name: name, Hint: chordHint(name)}
	}
	if m, ok := modifierKeysyms[name]; ok {
		return Key{Keysym: name, Modifier: m}, nil
	}
	if near := misspelt(name); near != "" {
		return Key{}, &UnknownNameError{What: "key", Name: name, Hint: didYouMean(near)}
	}
	return Key{Keysym: name}, nil
}

// ParseModifier gives the canonical name of a modifier: ctrl, shift, alt or
// super, or "" for one that X does not have. Case does not matter. The error
// is an *UnknownNameError.
func ParseModifier(name string) (string, error) {
	lower := strings.ToLower(name)
	if m, ok := lookupModifier(lower); ok {
		return m.Canonical, nil
	}
	if m, ok := modifierKeysyms[name]; ok {
		return m, nil
	}
	names := make([]string, len(modifierNames))
	for i, m := range modifierNames {
		names[i] = m.Name
	}
	return "", &UnknownNameError{What: "modifier", Name: name, Hint: didYouMean(Closest(name, names))}
}

// modifierKeysyms are the keysyms of modifier keys on either side.
var modifierKeysyms = map[string]string{
	"Alt_L": "alt", "Alt_R": "alt",
	"Control_L": "ctrl", "Control_R": "ctrl",
	"Meta_L": "super", "Meta_R": "super",
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

// lowerKeysyms are the keysyms whose names are words in lower case and so
// could be taken for a misspelt key.
var lowerKeysyms = strings.Fields(`
	ae acute agrave aacute acircumflex adiaeresis ampersand apostrophe aring asciicircum asciitilde asterisk at atilde
	backslash bar braceleft braceright bracketleft bracketright brokenbar ccedilla cedilla cent colon comma copyright
	currency degree diaeresis division dollar eacute ecircumflex ediaeresis egrave equal eth exclam exclamdown
	grave greater guillemotleft guillemotright hyphen iacute icircumflex idiaeresis igrave less macron masculine minus
	mu multiply nobreakspace notsign ntilde numbersign oacute ocircumflex odiaeresis ograve onehalf onequarter
	onesuperior ordfeminine oslash otilde paragraph parenleft parenright percent period periodcentered plus plusminus
	question questiondown quotedbl quoteleft quoteright registered script section semicolon slash space ssharp sterling
	thorn threequarters threesuperior twosuperior uacute ucircumflex udiaeresis ugrave underscore yacute ydiaeresis yen
	abovedot abreve aogonek breve cacute caron ccaron dcaron doubleacute dstroke eabovedot ecaron emacron eng eogonek
	function gcedilla hstroke idotless iogonek itilde jot kappa kra lacute lcaron lstroke nabla nacute ncaron ogonek
	racute rcaron sacute scaron scedilla tcaron tcedilla tslash umacron uogonek uring zabovedot zacute zcaron
	downarrow leftarrow rightarrow uparrow downtack uptack lefttack righttack ellipsis emdash endash emspace enspace
	voidsymbol schwa telephone overline integral radical infinity includes union intersection implies notequal
	oe oneeighth diamond circle club heart cross dagger`)

// misspelt names the key that a word in lower case most likely means, or "".
// Words with capitals, digits or underscores are taken for keysyms.
func misspelt(name string) string {
	if strings.ToLower(name) != name || strings.ContainsAny(name, "0123456789_") || slices.Contains(lowerKeysyms, name) {
		return ""
	}
	names := make([]string, 0, len(keyNames)+len(modifierNames))
	for _, k := range keyNames {
		names = append(names, k.Name)
	}
	for _, m := range modifierNames {
		names = append(names, m.Name)
	}
	return misspelling(name, names)
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
