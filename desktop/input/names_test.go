package input

import (
	"testing"

	"github.com/opendesk/opendesk/desktop/x11"
)

func TestKeysymName(t *testing.T) {
	for name, want := range map[string]string{
		"return": "Return", "Enter": "Return", "ESC": "Escape", "page_up": "Prior", "PageDown": "Next", "page-down": "Next",
		"f1": "F1", "F12": "F12", "cmd": "Control_L", "Command": "Control_L", "meta": "Super_L", "option": "Alt_L",
		"a": "a", "A": "A", " ": " ", "é": "é", "\n": "Return", "\t": "Tab", "-": "-", "_": "_",
		"Return": "Return", "KP_Enter": "KP_Enter", "XF86AudioPlay": "XF86AudioPlay", "nonsense": "nonsense", "": "",
	} {
		if got := keysymName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestNamesAreKeysyms(t *testing.T) {
	for name, sym := range keysymOf {
		if _, ok := x11.KeysymByName(sym); !ok {
			t.Errorf("%s: X has no keysym %s", name, sym)
		}
	}
	for sym := range robotOf {
		if _, ok := x11.KeysymByName(sym); !ok {
			t.Errorf("X has no keysym %s", sym)
		}
	}
}

func TestChordKey(t *testing.T) {
	for _, c := range []struct {
		key       string
		modifiers []string
		want      string
	}{
		{"S", []string{"ctrl"}, "s"}, {"S", nil, "S"}, {"s", []string{"ctrl"}, "s"}, {"Ż", []string{"alt"}, "ż"},
		{"Return", []string{"ctrl"}, "Return"}, {"F5", []string{"shift"}, "F5"}, {"+", []string{"ctrl"}, "+"}, {"", []string{"ctrl"}, ""},
	} {
		if got := chordKey(c.key, c.modifiers); got != c.want {
			t.Errorf("%s with %v: got %q, want %q", c.key, c.modifiers, got, c.want)
		}
	}
}
