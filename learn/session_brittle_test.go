package learn_test

import (
	"os"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/results"
)

// What acts at a place on the screen is noted, also where that is the pointer's.
func TestBrittleStepsAreNoted(t *testing.T) {
	for name, c := range map[string]struct {
		action string
		params map[string]any
		note   string // "" for none
	}{
		"at a place":       {"mouse_click", map[string]any{"action": "click", "x": 3, "y": 4}, "a place on the screen"},
		"at the pointer":   {"mouse_click", map[string]any{"action": "click"}, "the pointer's place"},
		"the wheel":        {"mouse_scroll", map[string]any{"action": "scroll", "amount": 3}, "the pointer's place"},
		"a drag":           {"mouse_drag", map[string]any{"action": "drag", "end_x": 3, "end_y": 4}, "a place on the screen"},
		"at an element":    {"mouse_click", map[string]any{"action": "click", "app": "Numbers", "role": "button", "title": "PDF"}, ""},
		"an element's own": {"ui_action", map[string]any{"action": "click", "app": "Numbers", "role": "button", "title": "PDF"}, ""},
		"keys, wherever":   {"keyboard_type", map[string]any{"action": "type", "text": "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			task := place(t)
			log := []results.AuditEntry{{ID: "a1", Action: c.action, Params: c.params, ReplayParams: c.params}}
			saved, err := learn.SaveSession(t.Context(), task, "Weekly report", "", log, false, recorder)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(saved.Notes, "\n")
			text, err := os.ReadFile(task.ProgramFile())
			if err != nil {
				t.Fatal(err)
			}
			if c.note == "" {
				if notes != "" || strings.Contains(string(text), `"note"`) {
					t.Errorf("notes %q, and\n%s", notes, text)
				}
				return
			}
			if !strings.Contains(notes, " at "+c.note+", which breaks when anything moves") ||
				!strings.Contains(string(text), `"note": "`+strings.ToUpper(c.note[:1])+c.note[1:]+": breaks when anything moves.") {
				t.Errorf("notes %q, and\n%s", notes, text)
			}
		})
	}
}

// A name that no file system takes is refused before anything is written.
func TestLongNamesAreRefused(t *testing.T) {
	folder := learn.Folder{Project: t.TempDir()}
	for name, ok := range map[string]bool{
		strings.Repeat("x", 200): true, strings.Repeat("x", 201): false,
		"reports/" + strings.Repeat("ü", 100): true, strings.Repeat("ü", 101) + "/weekly": false,
	} {
		if _, err := folder.Place(name); (err == nil) != ok {
			t.Errorf("%d bytes: %v", len(name), err)
		}
	}
}
