package runner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
)

// effects has, for each parameter of each action, params with it and what the
// desktop was asked for because of it.
var effects = map[string]struct{ params, log string }{
	"app open name":               {`"name":"Numbers"`, "open Numbers"},
	"app close name":              {`"name":"Editor"`, "close Editor"},
	"app focus name":              {`"name":"Editor"`, "focus app Editor"},
	"clipboard write text":        {`"text":"é"`, `write clipboard "é"`},
	"keyboard type text":          {`"text":"é"`, `type "é"`},
	"keyboard press key":          {`"key":"page_up"`, "chord Page_Up"},
	"keyboard hotkey keys":        {`"keys":["ctrl","shift","s"]`, "chord Control_L+Shift_L+s"},
	"keyboard hold key":           {`"key":"down","hold_duration":0.01`, "hold Down 10 ms"},
	"keyboard hold hold_duration": {`"key":"down","hold_duration":0.02`, "hold Down 20 ms"},
	"ui click window_index":       {`"window_index":2`, "raise 'Second'"},
	"ui click_menu window_index":  {`"menu":"File","menu_item":"Quit","window_index":2`, "raise 'Second'"},
	"ui click_menu menu":          {`"menu":"File","menu_item":"Quit"`, "press menu item 'Quit'"},
	"ui click_menu menu_item":     {`"menu":"File","menu_item":"Export > PDF"`, "press menu item 'PDF'"},
	"ui click_menu path":          {`"path":["File","Export","PDF"]`, "press menu item 'PDF'"},
	"ui type text":                {`"text":"€"`, `type "€"`},
	"ui type window_index":        {`"text":"€","window_index":2`, "raise 'Second'"},
	"ui press_key key":            {`"key":"tab"`, "chord Tab"},
	"ui press_key modifiers":      {`"key":"tab","modifiers":["shift"]`, "chord Shift_L+Tab"},
	"ui press_key window_index":   {`"key":"tab","window_index":2`, "raise 'Second'"},
	"ui get_value window_index":   {`"window_index":2`, "raise 'Second'"},
	"ui get_tree window_index":    {`"window_index":2`, "raise 'Second'"},
	"mouse drag end_x":            {`"x":1,"y":2,"end_x":30,"end_y":4,"duration":0`, "drag (1,2) to (30,4) in 0 ms"},
	"mouse drag end_y":            {`"x":1,"y":2,"end_x":3,"end_y":40,"duration":0`, "drag (1,2) to (3,40) in 0 ms"},
	"mouse drag duration":         {`"x":1,"y":2,"end_x":3,"end_y":4,"duration":0.01`, "drag (1,2) to (3,4) in 10 ms"},
	"mouse drag x":                {`"x":10,"y":2,"end_x":3,"end_y":4,"duration":0`, "drag (10,2) to (3,4) in 0 ms"},
	"mouse drag y":                {`"x":1,"y":20,"end_x":3,"end_y":4,"duration":0`, "drag (1,20) to (3,4) in 0 ms"},
	"mouse drag image_width":      {`"x":1,"y":2,"end_x":3,"end_y":4,"duration":0,"image_width":640`, "drag (2,2) to (6,4) in 0 ms"},
	"mouse drag image_height":     {`"x":1,"y":2,"end_x":3,"end_y":4,"duration":0,"image_height":400`, "drag (1,4) to (3,8) in 0 ms"},
	"mouse scroll direction":      {`"x":1,"y":2,"direction":"left"`, "scroll left 3 at (1,2)"},
	"mouse scroll amount":         {`"x":1,"y":2,"amount":-5`, "scroll down 5 at (1,2)"},
}

// place are the parameters that all other mouse actions share.
var place = map[string]struct{ params, log string }{
	"x":            {`"x":100,"y":2`, "move to (100,2)"},
	"y":            {`"x":1,"y":200`, "move to (1,200)"},
	"image_width":  {`"x":100,"y":200,"image_width":640`, "move to (200,200)"},
	"image_height": {`"x":100,"y":200,"image_height":400`, "move to (100,400)"},
}

// Every parameter of the table either changes what the desktop is asked for,
// or is moved into the target, or is ignored with a note of the loader's.
func TestEveryParameterHasItsEffect(t *testing.T) {
	for _, tool := range tools.All() {
		if tool.Name == "wait" || tool.InProgram {
			continue // see TestWait, TestScriptLimits
		}
		for _, action := range tool.Actions {
			if tool.Name == "mouse" && action.Effect == tools.Reads {
				continue
			}
			for _, p := range action.Params {
				name := fmt.Sprintf("%s %s %s", tool.Name, action.Name, p.Name)
				row, ok := effects[name]
				if !ok && tool.Name == "mouse" {
					row, ok = place[p.Name]
				}
				switch {
				case p.Ignored != "" || p.TargetField != "":
				case !ok:
					t.Errorf("%s: nobody has tried what it does", name)
				default:
					t.Run(name, func(t *testing.T) { tryParameter(t, tool.Name, action.Name, row.params, row.log) })
				}
			}
		}
	}
}

func tryParameter(t *testing.T, tool, action, params, want string) {
	d := fake.New(1280, 800)
	d.Install(&fake.App{Info: desktop.AppInfo{Name: "Numbers"}, Windows: []*fake.Window{{Title: "n", Bounds: desktop.Rect{Width: 10, Height: 10}}}})
	button := func() *fake.Node {
		return &fake.Node{Role: "button", Name: "Save", Actions: []string{"click"}, Bounds: desktop.Rect{X: 10, Y: 100, Width: 50, Height: 20}}
	}
	menus := func() *fake.Node {
		item := func(name string, below ...*fake.Node) *fake.Node {
			role := "menu item"
			if len(below) > 0 {
				role = "menu"
			}
			return &fake.Node{Role: role, Name: name, Actions: []string{"click"}, Children: below}
		}
		return &fake.Node{Role: "menu bar", Children: []*fake.Node{item("File", item("Export", item("PDF")), item("Quit"))}}
	}
	editor := &fake.App{Info: desktop.AppInfo{Name: "Editor"}}
	for _, title := range []string{"First", "Second"} {
		editor.Windows = append(editor.Windows, &fake.Window{Title: title, Bounds: desktop.Rect{Width: 400, Height: 300},
			Nodes: []*fake.Node{menus(), button()}})
	}
	d.Add(editor)
	target := ""
	if tool == "ui" {
		target = `,"target":{"app":"Editor"}`
		if action == "click" || action == "get_value" {
			target = `,"target":{"app":"Editor","title":"Save"}`
		}
	}
	o := run(t, d, fmt.Sprintf(`{"name":"p","version":1,"steps":[{"id":"s1","tool":%q,"resolve_timeout_ms":500,
		"params":{"action":%q,%s}%s}]}`, tool, action, params, target))
	if o.Status != results.Passed || !slices.Contains(d.Log(), want) {
		t.Errorf("%s: %s; the desktop did %q, not %q", o.Status, o.Reason, d.Log(), want)
	}
}

// wait takes milliseconds or seconds; without either it takes no time.
func TestWait(t *testing.T) {
	for _, row := range []struct {
		params string
		atMost time.Duration
		waits  time.Duration
	}{
		{`{"ms":120}`, time.Second, 120 * time.Millisecond},
		{`{"seconds":0.12}`, time.Second, 120 * time.Millisecond},
		{`{"ms":120,"seconds":30}`, time.Second, 120 * time.Millisecond},
		{`{}`, 100 * time.Millisecond, 0},
	} {
		o := run(t, fake.New(10, 10), `{"name":"w","version":1,"steps":[{"id":"s1","tool":"wait","params":`+row.params+`}]}`)
		took := time.Duration(o.step("s1").Timing.TotalMS) * time.Millisecond
		if o.Status != results.Passed || took < row.waits || took > row.atMost {
			t.Errorf("%s: %s, took %v", strings.TrimSpace(row.params), o.Status, took)
		}
	}
}
