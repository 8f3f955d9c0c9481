package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// documented are the parameters of the Python opendesk's tools with their
// defaults, as its documents have them, and the ways of naming menus and times
// that programs in the field use: tool, actions, parameters.
const documented = `
ui        click            app title role window_index=1
ui        click_menu       app menu menu_item path window_index=1
ui        type             app title role text window_index=1
ui        press_key        app title role key modifiers window_index=1
ui        get_value        app title role window_index=1
ui        get_tree         app window_index=1
keyboard  type             text interval=0.02 settle_ms=300
keyboard  press            key settle_ms=300
keyboard  hotkey           keys settle_ms=300
keyboard  hold             key hold_duration=1 settle_ms=300
app       open,close,focus name
app       list
mouse     move,click,double_click,triple_click,right_click,middle_click,left_down,left_up x=0 y=0 duration=0.25 settle_ms=500 image_width image_height
mouse     scroll           x=0 y=0 direction amount=3 duration=0.25 settle_ms=500 image_width image_height
mouse     drag             x=0 y=0 end_x end_y duration=0.25 settle_ms=500 image_width image_height
mouse     cursor_position
clipboard write            text
clipboard read
wait      -                ms seconds
script    -                file args timeout_ms=30000 cpu_seconds=30 memory_mib=512 processes=64 disk_mib=200
`

// ignored are those that are accepted with a note, since they have no meaning
// in a run: the waits that a run replaces by looking.
var ignored = []string{"settle_ms", "interval", "duration"}

func TestDocumentedParameters(t *testing.T) {
	known := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(documented)) {
		fields := strings.Fields(line)
		tool, ok := Lookup(fields[0])
		if !ok {
			t.Errorf("no tool %s", fields[0])
			continue
		}
		for name := range strings.SplitSeq(fields[1], ",") {
			name = strings.TrimPrefix(name, "-")
			known[fields[0]+" "+name] = true
			action, ok := tool.Action(name)
			if !ok {
				t.Errorf("%s has no action %q", fields[0], name)
				continue
			}
			for _, field := range fields[2:] {
				param, def, _ := strings.Cut(field, "=")
				checkDocumented(t, fields[0]+" "+name, action, param, def)
			}
		}
	}
	for _, tool := range All() {
		for _, a := range tool.Actions {
			if !known[tool.Name+" "+a.Name] {
				t.Errorf("%s %s is in the table and in no document", tool.Name, a.Name)
			}
		}
	}
}

func checkDocumented(t *testing.T, where string, a *Action, name, def string) {
	t.Helper()
	p, ok := a.Param(name)
	if !ok {
		t.Errorf("%s has no parameter %s", where, name)
		return
	}
	if have := ""; p.Default != nil {
		if have = fmt.Sprint(reflect.ValueOf(p.Default)); have != def {
			t.Errorf("%s: %s is %s where the program is silent, not %q", where, name, have, def)
		}
	} else if def != "" {
		t.Errorf("%s: %s has no default, documented is %s", where, name, def)
	}
	mayIgnore := slices.Contains(ignored, name) && !(where == "mouse drag" && name == "duration")
	if (p.Ignored != "") != mayIgnore {
		t.Errorf("%s: %s is ignored: %q", where, name, p.Ignored)
	}
}

func TestDocumentedKeysAndModifiers(t *testing.T) {
	for name := range strings.FieldsSeq(`return enter escape esc tab space delete backspace up down left right home end
		pageup page_up pagedown page_down f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 a Z 5 é ? €`) {
		if _, err := ParseKey(name); err != nil {
			t.Errorf("key %s: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"command": "ctrl", "cmd": "ctrl", "ctrl": "ctrl", "control": "ctrl", "meta": "super", "super": "super",
		"shift": "shift", "alt": "alt", "option": "alt",
	} {
		if got, err := ParseModifier(name); err != nil || got.Modifier != want {
			t.Errorf("modifier %s means %q, %v; want %s", name, got.Modifier, err, want)
		}
	}
}
