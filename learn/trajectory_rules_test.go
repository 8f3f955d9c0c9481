package learn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/trajectory"
)

func TestNewPart(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"Report.numbers", "Export", "Export"},
		{"Untitled 1 - Mousepad", "*Untitled 1 - Mousepad", "*Untitled 1"},
		{"Save As", "*Untitled 1 - Mousepad", "Untitled 1"},
		{"*Untitled 1 - Mousepad", "notes.txt - Mousepad", "notes.txt"},
		{"Untitled 1 - Mousepad", "/home/ada/notes.txt - Mousepad", "notes.txt"},
		{"Untitled 1 - Mousepad", "/tmp/tmpab12xy/notes.txt - Mousepad", "notes.txt"},
		{"Inbox — Mail", "Inbox — Mail — 14:03", ""},
		{"Mail", "Mail - 3 minutes ago - Sent", "Sent"},
		{"Print", "Printing 45% - job", "job"},
		{"Save", "SAVE", ""},
		{"Save As", "Save", ""},
		{"x", "2026-11-30", ""},
		{"x", "0f3b9a77c1d2", ""},
		{"x", "deadbeef", "deadbeef"}, // a word may well look like that
		{"x", " — ", ""},
		{"x", "", ""},
	} {
		if got := newPart(c.after, []string{c.before}); got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.after, c.before, got, c.want)
		}
	}
}

// recorded makes a recording of words: click:B on a button, type:TEXT, key:KEY,
// each with its time in seconds behind "@", and its window behind "#".
func recorded(t *testing.T, words string) *trajectory.Recording {
	t.Helper()
	r := &trajectory.Recording{StartedAt: 100}
	for _, word := range strings.Fields(words) {
		word, window, _ := strings.Cut(word, "#")
		word, at, _ := strings.Cut(word, "@")
		kind, what, _ := strings.Cut(word, ":")
		e := trajectory.Event{Timestamp: 100, Action: trajectory.Action(kind), Context: &trajectory.Context{App: "A", Window: window}}
		var seconds float64
		if _, err := fmt.Sscan(at, &seconds); err == nil {
			e.Timestamp += seconds
		}
		switch e.Action {
		case trajectory.Type:
			e.Text = what
		case trajectory.Key:
			e.Key = what
		default:
			e.Context.Role, e.Context.Title = "button", what
		}
		r.Events = append(r.Events, e)
	}
	return r
}

// brief is the steps as words: what is done, wait_ms behind "+", and the
// postcondition's value behind "=".
func brief(steps []draft) string {
	var out []string
	for _, s := range steps {
		word := fmt.Sprint(s.Params["action"])
		for _, name := range []string{"name", "text", "modifiers", "key", "menu_item"} {
			if v, ok := s.Params[name]; ok {
				word += ":" + fmt.Sprint(v)
			}
		}
		if s.Target != nil && s.Target.Title != "" {
			word += ":" + s.Target.Title
		}
		if s.WaitMS > 0 {
			word += fmt.Sprintf("+%d", s.WaitMS)
		}
		if s.Postcondition != nil && s.Tool != "app" {
			word += fmt.Sprint("=", s.Postcondition["value"])
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

func TestRetrace(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"click:B@1", "open:A click:B"},
		// A pause is kept only in front of what acts on whatever is there.
		{"click:B@1 click:C@9", "open:A click:B click:C"},
		{"click:B@1 type:x@1.22", "open:A click:B+250 type:x"},
		{"click:B@1 type:x@9", "open:A click:B+500 type:x"},
		{"key:ctrl+f@1 type:x@1.1", "open:A press_key:[ctrl]:f+100 type:x"},
		{"key:tab@1 type:x@9", "open:A press_key:tab type:x"},
		{"click:B@1#Main type:x@9#Find", "open:A click:B=Find type:x"},
		{"click:B@5 type:x@3", "open:A click:B type:x"}, // clocks can go back
		// What is one text is one step.
		{"key:shift+h type:ello key:space type:you", "open:A type:Hello you"},
		{"key:space click:B", "open:A press_key:space click:B"},
		{"key:shift+tab key:shift+!", "open:A press_key:[shift]:tab type:!"},
		{"type:a click:B type:b", "open:A type:a click:B type:b"},
		// Commands to the recorder.
		{"click:B type:/learn key:return", "open:A click:B"},
		{"click:B type:/Learn", "open:A click:B"},
		{"type:learn key:return", "open:A type:learn press_key:return"},
		{"key:ctrl++ key:++ key:+", "open:A press_key:[ctrl]:+ press_key:+ press_key:+"},
	} {
		steps, _ := retraceSteps(recorded(t, c.words))
		if got := brief(steps); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.words, got, c.want)
		}
	}
}

// TestRetraceApps: whether another application that comes to the front is the
// work of the event.
func TestRetraceApps(t *testing.T) {
	const caused, opened = "open:A click:B click:C", "open:A click:B open:X click:C"
	window := []trajectory.Context{{App: "X", Role: "frame", Title: "X"}}
	for name, c := range map[string]struct {
		action trajectory.Action
		after  trajectory.Change
		want   string
	}{
		"a click that opens it":          {trajectory.Click, trajectory.Change{FrontAfter: 1, Windows: window}, caused},
		"that is there":                  {trajectory.Click, trajectory.Change{FrontAfter: 1}, opened},
		"much later":                     {trajectory.Click, trajectory.Change{FrontAfter: 4, Windows: window}, opened},
		"much later, but its child":      {trajectory.Click, trajectory.Change{FrontAfter: 4, Windows: window, Started: trajectory.StartedByApp}, caused},
		"at once, but by a command":      {trajectory.Click, trajectory.Change{FrontAfter: 1, Windows: window, Started: trajectory.StartedByCommand}, opened},
		"after what starts nothing":      {trajectory.RightClick, trajectory.Change{FrontAfter: 1, Windows: window}, "open:A right_click:B open:X click:C"},
		"nobody saw it come":             {trajectory.Click, trajectory.Change{}, opened},
		"which nobody knows the name of": {trajectory.Click, trajectory.Change{FrontAfter: 1, Windows: []trajectory.Context{{Title: "X"}}}, opened},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, "click:B click:C")
			r.Events[0].Action = c.action
			if c.after.FrontAfter > 0 {
				c.after.Front = &trajectory.Scene{App: "X", Window: "X"}
			}
			r.Events[0].After = &c.after
			r.Events[1].Context.App = "X"
			steps, _ := retraceSteps(r)
			got := strings.ReplaceAll(brief(steps), "=X", "")
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if c.want == caused && steps[1].Postcondition["kind"] != "app_frontmost" {
				t.Errorf("nothing waits for it: %v", steps[1])
			}
		})
	}
}

// TestTypedProof: a text proves nothing where it may have stood before.
func TestTypedProof(t *testing.T) {
	value := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		earlier, before, text, after, appeared string
		want                                   bool
	}{
		"into an empty field":     {"", "", "bottles", "bottles", "", true},
		"too short to be told":    {"", "", "12", "12", "", false},
		"short, but seen":         {"", "", "12", "12", "12", true},
		"it stood there before":   {"", "ten bottles", "bottles", "ten bottlesbottles", "", false},
		"it stands elsewhere":     {"nineteen bottles", "", "bottles", "bottles", "", false},
		"it is not there":         {"", "", "bottles", "b", "", false},
		"whatever case and space": {"", "", "Two  Bottles", "two bottles", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, "click:B type:x")
			if c.earlier != "" {
				r.Events[0].After = &trajectory.Change{Value: value(c.earlier)}
			}
			e := &r.Events[1]
			e.Context.Value, e.Text = c.before, c.text
			e.After = &trajectory.Change{Value: value(c.after)}
			if c.appeared != "" {
				e.After.Appeared = []trajectory.Context{{Role: "text", Value: c.appeared}}
			}
			steps, _ := retraceSteps(r)
			if got := steps[len(steps)-1].Postcondition != nil; got != c.want {
				t.Errorf("postcondition: %v", steps[len(steps)-1].Postcondition)
			}
		})
	}
}

// TestValueProof: what a key or a click has made of the element itself.
func TestValueProof(t *testing.T) {
	for name, c := range map[string]struct{ action, role, before, earlier, after, want string }{
		"a sum":               {"key:return", "text", "12+30", "", "42", "42"},
		"what was pasted":     {"key:ctrl+v", "text", "", "", "copied by hand", "copied by hand"},
		"a shorter text":      {"key:backspace", "text", "Hello", "", "Hell", ""},
		"it was seen before":  {"key:return", "text", "12+30", "is 42", "42", ""},
		"a digit, as any key": {"key:return", "text", "4+4", "", "8", ""},
		"the time":            {"click:B", "label", "14:02", "", "14:03", ""},
		"a slider":            {"key:right", "slider", "0.25", "", "0.35", ""},
		"nothing":             {"key:ctrl+a", "text", "x", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, "click:B "+c.action)
			r.Events[0].After = &trajectory.Change{Value: &c.earlier}
			e := &r.Events[1]
			e.Context.Role, e.Context.Value, e.After = c.role, c.before, &trajectory.Change{Value: &c.after}
			steps, _ := retraceSteps(r)
			got, _ := steps[len(steps)-1].Postcondition["value"].(string)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestAppearedProof: of what appeared, what will appear again is waited for.
func TestAppearedProof(t *testing.T) {
	for name, c := range map[string]struct {
		appeared []trajectory.Context
		want     string
	}{
		"a label":              {[]trajectory.Context{{Role: "label", Title: "Done"}}, "Done"},
		"the display":          {[]trajectory.Context{{Role: "text", Value: "5555"}}, "5555"},
		"the first that lasts": {[]trajectory.Context{{Role: "label", Title: "14:03"}, {Role: "label", Title: "x"}, {Role: "label", Title: "Saved"}}, "Saved"},
		"its own before":       {[]trajectory.Context{{Role: "label", Title: "Saved"}, {Role: "label", Title: "Undo", Ref: "frame[0]/button[0]"}}, "Undo"},
		"made of labels":       {[]trajectory.Context{{App: "A", Role: "list item", Title: "7×6 = 42"}}, "{ list item 7×6 = 42  }"},
		"one of the labels":    {[]trajectory.Context{{Role: "list item", Title: "7×6 = 42"}, {Role: "label", Title: "42"}}, "42"},
		"a tool tip":           {[]trajectory.Context{{Role: "tool tip", Title: "Multiplication", Ref: "tool tip[0]"}, {Role: "label", Title: "Adds", Ref: "tool tip[1]/label[0]"}}, ""},
		"a scroll bar":         {[]trajectory.Context{{Role: "scroll bar", Value: "455.75"}}, ""},
		"an essay":             {[]trajectory.Context{{Role: "label", Title: strings.Repeat("long ", 30)}}, ""},
		"only signs":           {[]trajectory.Context{{Role: "label", Title: "••••"}}, ""},
		"nothing":              {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, "click:B")
			r.Events[0].Context.Ref = "frame[0]/button[0]"
			r.Events[0].After = &trajectory.Change{Appeared: c.appeared}
			steps, _ := retraceSteps(r)
			got := ""
			if p := steps[1].Postcondition; p != nil {
				got = fmt.Sprint(p["value"])
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestPlaces: what of an element can be clicked again by its identity.
func TestPlaces(t *testing.T) {
	x, y := 5, 5
	changed := "2"
	for _, c := range []struct {
		at      trajectory.Context
		late    bool
		value   *string
		element bool
	}{
		{trajectory.Context{Role: "push button", Title: "OK"}, false, nil, true},
		{trajectory.Context{Role: "AXButton", Ref: "frame[0]/push button[1]"}, false, nil, true},
		{trajectory.Context{Role: "push button"}, false, nil, false},
		{trajectory.Context{Role: "frame", Title: "Main"}, false, nil, false},
		{trajectory.Context{Role: "panel", Ref: "frame[0]/panel[0]"}, false, nil, false},
		{trajectory.Context{Role: "panel", Title: "Card", Ref: "frame[0]/panel[0]"}, false, nil, true},
		{trajectory.Context{Role: "slider", Title: "Volume"}, false, nil, false},
		{trajectory.Context{Role: "canvas", Identifier: "plan"}, false, nil, false},
		{trajectory.Context{Role: "spin button", Title: "Quantity"}, false, nil, true},
		{trajectory.Context{Role: "spin button", Title: "Quantity"}, false, &changed, false}, // an arrow
		{trajectory.Context{Role: "text", Title: "as typed", Value: "As typed"}, false, nil, false},
		{trajectory.Context{Role: "push button", Title: "OK", Bounds: &trajectory.Bounds{X: 4, Y: 4, Width: 2, Height: 2}}, true, nil, true},
		{trajectory.Context{Role: "push button", Title: "OK", Bounds: &trajectory.Bounds{X: 6, Y: 6, Width: 2, Height: 2}}, true, nil, false},
	} {
		e := trajectory.Event{Action: trajectory.Click, X: &x, Y: &y, Context: &c.at, Late: c.late, After: &trajectory.Change{Value: c.value}}
		steps, _ := retraceSteps(&trajectory.Recording{Events: []trajectory.Event{e}})
		if got := steps[0].Tool == "ui"; len(steps) != 1 || got != c.element {
			t.Errorf("%+v: %+v", c.at, steps)
		}
		if !c.element && steps[0].Note == "" {
			t.Errorf("%+v: nothing says that the step is brittle", c.at)
		}
	}
}

// TestLate: what was looked up late may be what lay under a dialog.
func TestLate(t *testing.T) {
	x, y := 5, 5
	for _, c := range []struct {
		window  string
		late    bool
		element bool
	}{
		{"Save As", false, true},
		{"Save As", true, true},
		{"Main", false, true}, // it was looked up before
		{"Main", true, false},
		{"", true, true}, // a menu
	} {
		e := trajectory.Event{Action: trajectory.Click, X: &x, Y: &y, Late: c.late,
			Context: &trajectory.Context{App: "A", Window: c.window, Role: "button", Title: "Save"},
			Before:  &trajectory.Scene{App: "A", Window: "Save As"},
			After:   &trajectory.Change{Front: &trajectory.Scene{App: "A", Window: "Main"}}}
		steps, _ := retraceSteps(&trajectory.Recording{Events: []trajectory.Event{e}})
		if got := steps[len(steps)-1].Tool == "ui"; got != c.element {
			t.Errorf("%+v: %+v", c, steps)
		}
	}
}

// TestMenus: menus are chosen from where the way to the item is certain.
func TestMenus(t *testing.T) {
	const bar = "frame[0]/menu bar[0]/menu[0]"
	file := trajectory.Context{App: "A", Role: "menu", Title: "File", Ref: bar}
	sub := trajectory.Context{App: "A", Role: "menu", Title: "Export To", Ref: bar + "/menu[0]"}
	pdf := trajectory.Context{App: "A", Role: "menu item", Title: "PDF  Ctrl+P", Ref: bar + "/menu[0]/menu item[0]"}
	with := func(c trajectory.Context, path ...string) trajectory.Context {
		c.MenuPath = path
		return c
	}
	context := func(title string) trajectory.Context {
		return trajectory.Context{App: "A", Role: "menu item", Title: title, Ref: "window[0]/menu[0]/menu item[0]"}
	}
	for name, c := range map[string]struct {
		clicks []trajectory.Context
		want   string
	}{
		"by refs":              {[]trajectory.Context{file, sub, pdf}, `open:A click_menu[File Export To PDF]`},
		"by titles":            {[]trajectory.Context{with(file, "File"), with(pdf, "File", "Export To", "PDF  Ctrl+P")}, `open:A click_menu[File Export To PDF]`},
		"two levels":           {[]trajectory.Context{file, sub}, `open:A click_menu:Export To`},
		"an inner one by hand": {[]trajectory.Context{file, pdf}, `open:A click:File click:PDF Ctrl+P`}, // what is between has a title
		"another menu":         {[]trajectory.Context{{App: "A", Role: "menu", Title: "Edit", Ref: "frame[0]/menu bar[0]/menu[1]"}, pdf}, `open:A click:Edit click:PDF Ctrl+P`},
		"a context menu":       {[]trajectory.Context{context("Copy")}, `open:A click:Copy`},
		"opened and left":      {[]trajectory.Context{file, {App: "A", Role: "button", Title: "OK"}}, `open:A click:File click:OK`},
	} {
		t.Run(name, func(t *testing.T) {
			r := &trajectory.Recording{}
			for i := range c.clicks {
				r.Events = append(r.Events, trajectory.Event{Action: trajectory.Click, Context: &c.clicks[i], Before: &trajectory.Scene{App: "A"}})
			}
			steps, _ := retraceSteps(r)
			got := brief(steps)
			if path, ok := steps[len(steps)-1].Params["path"]; ok {
				got += fmt.Sprint(path)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
