package learn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/trajectory"
)

// brittleNote is that of a step at coordinates.
const brittleNote = "A place on the screen: breaks when anything moves. Name an element instead."

// lateNote is that of an element that was looked up after the click.
const lateNote = "What was clicked was looked up late: it may be what came after."

// make gives the steps of one event without their postconditions, none where it
// cannot be done again, which is noted.
func (c *retracer) make(i int, app string) []retraced {
	e := c.events[i]
	switch e.Action {
	case trajectory.Click, trajectory.DoubleClick, trajectory.TripleClick, trajectory.RightClick, trajectory.MiddleClick:
		return c.click(i, app)
	case trajectory.Scroll:
		return c.scroll(i, app)
	case trajectory.Drag:
		return c.drag(i, app)
	case trajectory.Type:
		return c.typing(i, app)
	case trajectory.Key:
		return c.key(i, app)
	}
	c.leave(i, "nobody knows how to do that")
	return nil
}

// leave notes that an event makes no step.
func (c *retracer) leave(i int, why string) {
	e := c.events[i]
	c.left = append(c.left, fmt.Sprintf("what was done after %.1f s (%s) is left out: %s", max(0, e.Timestamp-c.started), fold.Space(string(e.Action)), why))
}

func (c *retracer) click(i int, app string) []retraced {
	e := c.events[i]
	if path := c.menuPath(i); path != nil && e.Action == trajectory.Click && len(e.Modifiers) == 0 {
		return []retraced{{draft: draft{Tool: "ui", Params: menuParams(path), Target: appTarget(app)}}}
	}
	s := retraced{draft: draft{Tool: "ui", Params: map[string]any{"action": "click"}}}
	if e.Action != trajectory.Click {
		s.Tool, s.Params = "mouse", map[string]any{"action": string(e.Action)}
	}
	target, ok := targetOf(e, app)
	switch x, y, placed := e.Place(); {
	case ok:
		s.Target = target
		if target.Identifier == "" && target.Title == "" {
			s.remark("Known by its place in the tree alone: breaks when the window is built otherwise.")
		}
		if e.Late {
			s.remark(lateNote)
		}
		if c.caret(e) {
			s.remark(fmt.Sprintf("Clicks the middle of the text, which was clicked at (%d,%d).", x, y))
		}
	case placed:
		s = c.pointAt(string(e.Action), x, y, app)
	default:
		c.leave(i, "neither what was clicked nor where is known")
		return nil
	}
	s.held(e)
	return []retraced{s}
}

// pointAt is a mouse step at coordinates.
func (c *retracer) pointAt(action string, x, y int, app string) retraced {
	s := retraced{draft: draft{Tool: "mouse", Params: map[string]any{"action": action, "x": x, "y": y}, Target: appTarget(app)}}
	s.remark(brittleNote)
	return s
}

// held notes modifiers that were down, which no step can say.
func (s *retraced) held(e trajectory.Event) {
	if len(e.Modifiers) > 0 {
		s.remark(strings.Join(e.Modifiers, "+") + " was down meanwhile, which programs cannot do.")
	}
}

// caret reports whether it matters where in a text was clicked.
func (c *retracer) caret(e trajectory.Event) bool {
	_, _, placed := e.Place()
	return placed && e.Action == trajectory.Click && canonicalRole(e.Context) == "entry" && e.Context.Value != ""
}

// scroll turns the wheel over an element, or at a place where there is none.
func (c *retracer) scroll(i int, app string) (steps []retraced) {
	e := c.events[i]
	add := func(direction string, amount int) {
		if amount == 0 {
			return
		}
		s := retraced{draft: draft{Tool: "mouse", Params: map[string]any{"action": "scroll"}, Target: appTarget(app)}}
		if target, ok := identified(e.Context, app); ok {
			s.Target = target
		} else if x, y, placed := e.Place(); placed {
			s = c.pointAt("scroll", x, y, app)
		}
		s.Params["direction"], s.Params["amount"] = direction, amount
		s.held(e)
		steps = append(steps, s)
	}
	add("up", min(max(e.ScrollDY, 0), 1000))
	add("down", min(max(-e.ScrollDY, 0), 1000))
	add("left", min(max(-e.ScrollDX, 0), 1000))
	add("right", min(max(e.ScrollDX, 0), 1000))
	if len(steps) == 0 {
		c.leave(i, "the wheel came back to where it was")
	}
	return steps
}

// drag goes from place to place: an element does not say where in it was begun.
func (c *retracer) drag(i int, app string) []retraced {
	e := c.events[i]
	x, y, from := e.Place()
	endX, endY, to := e.End()
	if !from || !to {
		c.leave(i, "where it began or ended is not known")
		return nil
	}
	s := c.pointAt("drag", x, y, app)
	s.Params["end_x"], s.Params["end_y"] = endX, endY
	s.held(e)
	return []retraced{s}
}

func (c *retracer) typing(i int, app string) []retraced {
	e := c.events[i]
	if e.Text == "" {
		c.leave(i, "nothing was typed")
		return nil
	}
	s := retraced{draft: draft{Tool: "ui", Params: map[string]any{"action": "type", "text": literal(e.Text)}, Target: appTarget(app)}}
	// A field is brought into focus again. One that is known by its place alone
	// would make typing fail that needs it only to be where it was.
	if target, ok := identified(e.Context, app); ok && (target.Identifier != "" || target.Title != "") {
		s.Target = target
	}
	if e.Password {
		s.Params["text"] = e.Text
		name := strings.TrimSuffix(strings.TrimPrefix(e.Text, "${env:"), "}")
		s.remark("A password: the variable " + name + " has to hold it.")
	}
	return []retraced{s}
}

// literal writes a text so that nothing in it is taken for a variable.
func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }

func (c *retracer) key(i int, app string) []retraced {
	e := c.events[i]
	modifiers, key := chord(e.Key)
	if key == "" {
		c.leave(i, "it does not say which key")
		return nil
	}
	s := retraced{draft: draft{Tool: "ui", Params: map[string]any{"action": "press_key", "key": key}, Target: appTarget(app)}}
	if len(modifiers) > 0 {
		s.Params["modifiers"] = modifiers
	}
	return []retraced{s}
}

// chord takes a chord apart: "ctrl+shift+s", and "ctrl++" for a plus.
func chord(keys string) (modifiers []string, key string) {
	parts := strings.Split(keys, "+")
	key = parts[len(parts)-1]
	parts = parts[:len(parts)-1]
	if key == "" && len(parts) > 0 { // the key is "+" itself
		key, parts = "+", parts[:len(parts)-1]
	}
	for _, p := range parts {
		if p != "" {
			modifiers = append(modifiers, p)
		}
	}
	return modifiers, key
}

// switches reports whether the event switches between applications by keys of
// the window manager, which choose by what was in front before. It says what
// comes to the front where nothing else would.
func (c *retracer) switches(i int, app string) bool {
	e := c.events[i]
	if e.Action != trajectory.Key || !switching(e.Key) {
		return false
	}
	if e.After != nil && e.After.Front != nil && e.After.Front.App != "" && e.After.Front.App != app {
		c.bringToFront(app)
		c.bringToFront(e.After.Front.App)
		return true
	}
	return e.After == nil && i+1 < len(c.events) && c.appOf(c.events[i+1]) != app
}

func switching(keys string) bool {
	modifiers, key := chord(strings.ToLower(keys))
	if !slices.Contains([]string{"tab", "iso_left_tab", "escape", "`"}, key) {
		return false
	}
	return slices.ContainsFunc(modifiers, func(m string) bool {
		return slices.Contains([]string{"alt", "super", "cmd", "command", "meta", "win"}, m)
	})
}

// isTyping reports whether keys follow each other in the order of typing: after
// such a step the next keys go where these went.
func isTyping(s draft) bool {
	if s.Params["action"] == "type" {
		return true
	}
	if s.Params["action"] != "press_key" || s.Params["modifiers"] != nil {
		return false
	}
	name, _ := s.Params["key"].(string)
	key, err := tools.ParseKey(name)
	return err == nil && slices.Contains([]string{"Tab", "Left", "Right", "Up", "Down", "Home", "End", "Page_Up", "Page_Down", "BackSpace", "Delete"}, key.Keysym)
}
