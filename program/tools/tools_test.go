package tools

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/internal/keysym"
)

func TestTableIsWellFormed(t *testing.T) {
	if !slices.IsSortedFunc(table, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the tools are not sorted")
	}
	for _, tool := range All() {
		if tool.Doc == "" {
			t.Errorf("%s has no doc", tool.Name)
		}
		seen := map[string]bool{}
		for _, a := range tool.Actions {
			where := tool.Name + " " + a.Name
			if seen[a.Name] {
				t.Errorf("%s stands twice", where)
			}
			seen[a.Name] = true
			if a.Doc == "" || (a.Effect != Acts && a.Effect != Reads) || a.Target == "" {
				t.Errorf("%s is incomplete: %+v", where, a)
			}
			checkParams(t, where, a)
		}
	}
}

func checkParams(t *testing.T, where string, a Action) {
	t.Helper()
	names := a.ParamNames()
	for i, p := range a.Params {
		switch {
		case slices.Index(names, p.Name) != i:
			t.Errorf("%s: %s stands twice", where, p.Name)
		case p.Name == "action":
			t.Errorf("%s: action is not a parameter", where)
		case p.Doc == "":
			t.Errorf("%s: %s has no doc", where, p.Name)
		case (p.Type == Number || p.Type == Integer) && (p.Minimum == nil || p.Maximum == nil || p.Unit == "" && p.Name != "window_index"):
			t.Errorf("%s: %s has no bounds or no unit", where, p.Name)
		case p.Required && p.Default != nil:
			t.Errorf("%s: %s is required and has a default", where, p.Name)
		case p.ShadowedBy != "" && !slices.Contains(names, p.ShadowedBy):
			t.Errorf("%s: %s is shadowed by nothing", where, p.Name)
		}
	}
	for _, group := range a.OneOf {
		for _, name := range group {
			if !slices.Contains(names, name) {
				t.Errorf("%s: group of %v has no parameter %s", where, group, name)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	for _, name := range []string{"ui", "keyboard", "app", "mouse", "clipboard", "wait", "script"} {
		tool, ok := Lookup(name)
		if !ok || tool.Name != name {
			t.Errorf("Lookup(%q) = %v, %v", name, tool, ok)
		}
		if got, want := tool.HasActions(), name != "wait" && name != "script"; got != want {
			t.Errorf("%s has actions: %v", name, got)
		}
	}
	if _, ok := Lookup("UI"); ok {
		t.Error("names of tools have no second spelling")
	}
	drag, ok := must(t, "mouse").Action("drag")
	if !ok {
		t.Fatal("no drag")
	}
	if p, ok := drag.Param("duration"); !ok || p.Ignored != "" {
		t.Error("a drag's motion takes its time")
	}
	move, _ := must(t, "mouse").Action("move")
	if p, ok := move.Param("duration"); !ok || p.Ignored == "" {
		t.Error("a move's duration is an upper bound only")
	}
}

func must(t *testing.T, name string) *Tool {
	t.Helper()
	tool, ok := Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return tool
}

func TestNameListsAreSorted(t *testing.T) {
	if !slices.IsSortedFunc(Keys(), func(a, b KeyName) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("Keys")
	}
	if !slices.IsSortedFunc(Modifiers(), func(a, b ModifierName) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("Modifiers")
	}
}

func TestParseKey(t *testing.T) {
	for name, want := range map[string]Key{
		"return":        {Keysym: "Return"},
		"Enter":         {Keysym: "Return"},
		"PAGE_UP":       {Keysym: "Page_Up"},
		"pagedown":      {Keysym: "Page_Down"},
		"f12":           {Keysym: "F12"},
		"space":         {Keysym: "space"},
		"a":             {Keysym: "a"},
		"Ż":             {Keysym: "Ż"},
		" ":             {Keysym: " "},
		"+":             {Keysym: "+"},
		"F13":           {Keysym: "F13"},
		"f13":           {Keysym: "F13"},
		"U20AC":         {Keysym: "U20AC"},
		"U+20AC":        {Keysym: "U+20AC"},
		"\n":            {Keysym: "Return"},
		"\t":            {Keysym: "Tab"},
		"arrowleft":     {Keysym: "Left"},
		"fn":            {},
		"AltGr":         {Keysym: "ISO_Level3_Shift", Modifier: "altgr"},
		"XF86AudioPlay": {Keysym: "XF86AudioPlay"},
		"KP_Enter":      {Keysym: "KP_Enter"},
		"eacute":        {Keysym: "eacute"},
		"comma":         {Keysym: "comma"},
		"at":            {Keysym: "at"},
		"plus":          {Keysym: "plus"},
		"dead_acute":    {Keysym: "dead_acute"},
		"leftcaret":     {Keysym: "leftcaret"},
		"cmd":           {Keysym: "Control_L", Modifier: "ctrl"},
		"shift":         {Keysym: "Shift_L", Modifier: "shift"},
		"win":           {Keysym: "Super_L", Modifier: "super"},
		"Shift_R":       {Keysym: "Shift_R", Modifier: "shift"},
	} {
		got, err := ParseKey(name)
		if err != nil || got != want {
			t.Errorf("ParseKey(%q) = %+v, %v; want %+v", name, got, err, want)
		}
	}
	for name, hint := range map[string]string{
		"retrun":        `"return"`,
		"entr":          `"enter"`,
		"escpae":        `"escape"`,
		"backspce":      `"backspace"`,
		"page up":       `"page_up"`,
		"page-down":     `"page_down"`,
		"ctrl+s":        "hotkey",
		"":              "",
		"ctrl ":         `"ctrl"`,
		"nonsense":      "",
		"xf86audioplay": `"XF86AudioPlay"`,
		"KP_Entr":       `"KP_Enter"`,
		"\x1b":          "",
		"U110000":       "",
		"→→":            "",
	} {
		_, err := ParseKey(name)
		var unknown *UnknownNameError
		if !errors.As(err, &unknown) {
			t.Errorf("ParseKey(%q) has no error", name)
			continue
		}
		if !strings.Contains(unknown.Hint, hint) || hint == "" && unknown.Hint != "" {
			t.Errorf("ParseKey(%q): hint %q, want %q", name, unknown.Hint, hint)
		}
	}
}

func TestNamesOfKeysAreKeysyms(t *testing.T) {
	known := func(name, sym string) {
		if _, ok := keysym.ByName(sym); !ok {
			t.Errorf("%s: X has no keysym %q", name, sym)
		}
	}
	for _, k := range Keys() {
		known(k.Name, k.Keysym)
	}
	for _, m := range Modifiers() {
		if m.Canonical != "" {
			known(m.Name, m.Keysym)
		}
	}
	for _, sym := range ModifierKeysyms() {
		known("modifier", sym)
	}
}

func TestParseModifier(t *testing.T) {
	for name, want := range map[string]string{
		"command": "ctrl", "Cmd": "ctrl", "ctrl": "ctrl", "CONTROL": "ctrl", "shift": "shift", "alt": "alt", "option": "alt",
		"meta": "super", "super": "super", "win": "super", "fn": "", "Control_L": "ctrl",
	} {
		got, err := ParseModifier(name)
		if err != nil || got.Modifier != want {
			t.Errorf("ParseModifier(%q) = %+v, %v; want %q", name, got, err, want)
		}
	}
	_, err := ParseModifier("crtl")
	if err == nil || err.Error() != `modifier "crtl" is unknown (did you mean "ctrl"?)` {
		t.Errorf("crtl: %v", err)
	}
}

func TestClosest(t *testing.T) {
	kinds := []string{"app_frontmost", "window_title_contains", "element_exists", "text_visible"}
	for word, want := range map[string]string{
		"windowtitle":  "window_title_contains",
		"AppFrontmost": "app_frontmost",
		"text_visble":  "text_visible",
		"nothing":      "",
		"":             "",
		"e":            "",
	} {
		if got := Closest(word, kinds); got != want {
			t.Errorf("Closest(%q) = %q, want %q", word, got, want)
		}
	}
}
