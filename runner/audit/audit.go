// Package audit tells of every action of a run in the form of opendesk's audit
// log, in which a session can be made into a program.
package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
)

// Mask stands for a text that must not be shown.
const Mask = "•••"

// names are the log's names of what steps do. A step that is not in it, such
// as wait, acts on nothing.
var names = map[string]map[string]string{
	"ui": {
		"click": "ui_action", "click_menu": "ui_action", "type": "ui_action", "press_key": "ui_action",
		"get_value": "ui_action", "get_tree": "ui_action",
	},
	"keyboard": {"type": "keyboard_type", "press": "keyboard_press", "hotkey": "keyboard_hotkey", "hold": "keyboard_hold"},
	"app":      {"open": "app_open", "close": "app_close", "focus": "app_focus", "list": "app_list"},
	"mouse": {
		"move": "mouse_move", "click": "mouse_click", "double_click": "mouse_click", "triple_click": "mouse_click",
		"right_click": "mouse_click", "middle_click": "mouse_click", "left_down": "mouse_down", "left_up": "mouse_up",
		"scroll": "mouse_scroll", "drag": "mouse_drag", "cursor_position": "cursor_position",
	},
	"clipboard": {"read": "clipboard_read", "write": "clipboard_write"},
	"script":    {"": "script_run"},
}

// Outcome is how an action ended.
type Outcome struct {
	// Result is what a read gave, or by what the action was done.
	Result string
	// Err is why it could not be done, nil where it was.
	Err error
	// Secret says that what was typed went into a field whose text is hidden.
	Secret bool
}

// Of is the entry for a step's action; ok is false for a step that does none.
func Of(s program.Step, at time.Time, o Outcome) (e results.AuditEntry, ok bool) {
	action, ok := names[s.Tool][s.Action]
	if !ok {
		return e, false
	}
	e = results.AuditEntry{Timestamp: seconds(at), Action: action, Step: s.ID, Result: o.Result}
	if o.Err != nil {
		e.Error = o.Err.Error()
	}
	e.Params = params(s, o.Secret)
	if tool, known := tools.Lookup(s.Tool); known && !tool.InProgram { // what a script called has entries of its own
		if done, known := tool.Action(s.Action); known && done.Effect == tools.Acts {
			e.ReplayParams = e.Params
		}
	}
	return e, true
}

// Seen is the entry for what the runner itself has looked at: "screenshot" or
// "ocr". There is nothing to do again.
func Seen(what, stepID string, at time.Time, result string) results.AuditEntry {
	return results.AuditEntry{Timestamp: seconds(at), Action: what, Step: stepID, Result: result, Params: map[string]any{}}
}

// params are the tool's parameters with the target's fields among them, as the
// tools of opendesk take them.
func params(s program.Step, secret bool) map[string]any {
	all := map[string]any{}
	if s.Action != "" {
		all["action"] = s.Action
	}
	for name, value := range s.Params {
		all[name] = value
	}
	if t := s.Target; t != nil {
		for name, value := range map[string]string{
			"app": t.App, "role": t.Role, "title": t.Title, "identifier": t.Identifier, "ref": t.Ref,
		} {
			if value != "" {
				all[name] = value
			}
		}
	}
	if _, typed := all["text"]; typed && secret {
		all["text"] = Mask
	}
	return all
}

func seconds(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }

// Log writes entries as lines of JSON. It is for concurrent use.
type Log struct {
	mu     sync.Mutex
	w      io.Writer
	number int
}

// NewLog makes a Log that writes to w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Write writes the entry and gives it its id, which is unique in the log.
func (l *Log) Write(e results.AuditEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
	e.ID = fmt.Sprintf("a%d", l.number)
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	if _, err := l.w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}
