package program

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program/tools"
)

// String is the target in the format's words: [AXButton] 'PDF' in Numbers.
func (t Target) String() string {
	var parts []string
	if t.Role != "" {
		parts = append(parts, "["+t.Role+"]")
	}
	switch {
	case t.Title != "":
		parts = append(parts, "'"+t.Title+"'")
	case t.Identifier != "":
		parts = append(parts, "#"+t.Identifier)
	case t.Ref != "":
		parts = append(parts, "ref "+t.Ref)
	case t.Role == "":
		parts = append(parts, "a window")
	}
	if t.App != "" {
		parts = append(parts, "in "+t.App)
	}
	return strings.Join(parts, " ")
}

// Text is what the postcondition expects, as one line.
func (p Postcondition) Text() string {
	switch p.Kind {
	case ExitCode:
		return strconv.Itoa(p.Code)
	case FileContains:
		return p.File + ": " + p.Value
	}
	if p.Value == "" && p.Element != nil {
		return p.Element.String()
	}
	return p.Value
}

// String is the postcondition in the format's words:
// window_title_contains='Export'.
func (p Postcondition) String() string { return fmt.Sprintf("%s='%s'", p.Kind, p.Text()) }

// NamesElement reports whether the step's target names an element, not only
// an app.
func (s Step) NamesElement() bool {
	return s.Target != nil && (Target{App: s.Target.App}) != *s.Target
}

// App is the app that the step's target names, "" for none.
func (s Step) App() string {
	if s.Target == nil {
		return ""
	}
	return s.Target.App
}

// Brittle reports whether the step depends on screen coordinates.
func (s Step) Brittle() bool {
	return s.Tool == "mouse" && !s.NamesElement() && (s.Given("x") || s.Given("y") || s.Given("end_x"))
}

// Given reports whether the step itself gives the parameter.
func (s Step) Given(param string) bool {
	_, given := s.Params[param]
	return given
}

// Text is the parameter's text, the table's default where the step is
// silent.
func (s Step) Text(param string) string {
	v, _ := s.param(param).(string)
	return v
}

// Number is the parameter's number, the table's default where the step is
// silent, 0 where that has none.
func (s Step) Number(param string) float64 {
	switch v := s.param(param).(type) {
	case float64:
		return v
	case int:
		return float64(v)
	}
	return 0
}

// List is the parameter's list of strings.
func (s Step) List(param string) []string {
	raw, _ := s.param(param).([]any)
	texts := make([]string, 0, len(raw))
	for _, v := range raw {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (s Step) param(name string) any {
	if v, given := s.Params[name]; given {
		return v
	}
	tool, ok := tools.Lookup(s.Tool)
	if !ok {
		return nil
	}
	action, ok := tool.Action(s.Action)
	if !ok {
		return nil
	}
	if p, ok := action.Param(name); ok {
		return p.Default
	}
	return nil
}

// Pause is the time that a wait step asks for; ms wins over seconds.
func (s Step) Pause() time.Duration {
	if s.Given("ms") {
		return time.Duration(s.Number("ms") * float64(time.Millisecond))
	}
	return time.Duration(s.Number("seconds") * float64(time.Second))
}

// menuSeparator parts the levels of a menu_item: "Export To > PDF".
var menuSeparator = regexp.MustCompile(`\s+[>→]\s+`)

// MenuPath is the titles from the menu to the item of a click_menu step; path
// wins over menu and menu_item.
func (s Step) MenuPath() []string {
	path := s.List("path")
	if len(path) > 0 {
		return path
	}
	if menu := s.Text("menu"); menu != "" {
		path = append(path, menu)
	}
	if item := strings.TrimSpace(s.Text("menu_item")); item != "" {
		path = append(path, menuSeparator.Split(item, -1)...)
	}
	return path
}

// summaryText bounds the text of a step in its summary, in characters.
const summaryText = 40

// Summary is the step as one line for people: click [AXButton] 'PDF' in Numbers.
func (s Step) Summary() string {
	words := []string{strings.ReplaceAll(s.Action, "_", " ")}
	if s.Tool != "ui" {
		words = append([]string{s.Tool}, words...)
	}
	switch {
	case s.Action == "click_menu":
		words = append(words, fmt.Sprintf("'%s'", strings.Join(s.MenuPath(), " > ")))
	case s.Text("text") != "":
		words = append(words, fmt.Sprintf("'%s'", shorten(s.Text("text"))))
	case s.Text("key") != "":
		words = append(words, strings.Join(append(s.List("modifiers"), s.Text("key")), "+"))
	case len(s.List("keys")) > 0:
		words = append(words, strings.Join(s.List("keys"), "+"))
	case s.Text("name") != "":
		words = append(words, fmt.Sprintf("'%s'", s.Text("name")))
	case s.Tool == "script":
		words = append(words, shorten(strings.Join(append([]string{s.Text("file")}, s.List("args")...), " ")))
	case s.Tool == "wait" && s.Pause() > 0:
		words = append(words, s.Pause().String())
	case s.Brittle():
		words = append(words, fmt.Sprintf("at (%g,%g)", s.Number("x"), s.Number("y")))
	}
	switch {
	case s.NamesElement():
		words = append(words, s.Target.String())
	case s.App() != "" && s.Tool != "app":
		words = append(words, "in "+s.App())
	}
	return fold.Space(strings.Join(words, " "))
}

func shorten(text string) string {
	runes := []rune(fold.Space(text))
	if len(runes) <= summaryText {
		return string(runes)
	}
	return string(runes[:summaryText-1]) + "…"
}
