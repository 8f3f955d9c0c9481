package tools

// maxMilliseconds and maxSeconds bound every time that a parameter may ask
// for: an hour.
const (
	maxMilliseconds = 3_600_000
	maxSeconds      = 3_600
)

// Why some of the parameters have no meaning in a run.
const (
	ignoredSettle   = "the run waits for what the action changes instead of a fixed time; use wait_ms for a pause"
	ignoredInterval = "keys are sent as fast as the application takes them"
	ignoredDuration = "the pointer goes to its place at once"
)

// table is sorted by tool; the actions stand in the order of the documents.
var table = []Tool{
	{
		Name: "app",
		Doc:  "Open, close, focus and list applications.",
		Actions: []Action{
			{Name: "open", Effect: Acts, Target: TargetNone, Params: []Param{appName},
				Doc:    "Open the application and wait until it has a window.",
				Script: Script{Edges: "One that runs already is left as it is, and is no error.", Example: `app_open("Numbers")`}},
			{Name: "close", Effect: Acts, Target: TargetNone, Params: []Param{appName},
				Doc:    "Close the application's windows.",
				Script: Script{Edges: "One that asks back, such as for changes to be saved, is ended.", Example: `app_close("Numbers")`}},
			{Name: "focus", Effect: Acts, Target: TargetNone, Params: []Param{appName},
				Doc:    "Bring the application's window to the front; on a virtual display an application that is not running is opened.",
				Script: Script{Example: `app_focus("Numbers")`}},
			{Name: "list", Effect: Reads, Target: TargetNone,
				Doc:    "List the running applications; does nothing in a run.",
				Script: Script{Doc: "List the running applications.", Returns: "the names, sorted; an empty list where none runs", Type: "list", Example: `app_list()  # ["Mousepad", "Numbers"]`}},
		},
	},
	{
		Name: "clipboard",
		Doc:  "Read and write the clipboard.",
		Actions: []Action{
			{Name: "write", Effect: Acts, Target: TargetNone, Doc: "Put a text on the clipboard.",
				Script: Script{Example: `clipboard_write("Ada")`},
				Params: []Param{{Name: "text", Type: String, Required: true, Doc: "The text to put there."}}},
			{Name: "read", Effect: Reads, Target: TargetNone, Doc: "Read the clipboard; does nothing in a run.",
				Script: Script{Doc: "Read the clipboard.", Returns: `its text, "" where it holds none`, Type: "str", Example: "text = clipboard_read()"}},
		},
	},
	{
		Name: "keyboard",
		Doc:  "Type texts and press keys in whatever has the keyboard focus.",
		Actions: []Action{
			{Name: "type", Effect: Acts, Target: TargetNone, Doc: "Type a text.",
				Script: Script{Edges: "The keys go to what has the keyboard focus, or to the element that is named.", Example: `keyboard_type("Ada", app="Mousepad")`},
				Params: []Param{
					typedText,
					{Name: "interval", Type: Number, Default: 0.02, Minimum: bound(0), Maximum: bound(maxSeconds), Unit: "s",
						Ignored: ignoredInterval, Doc: "The pause between two keys."},
					settle(300),
				}},
			{Name: "press", Effect: Acts, Target: TargetNone, Doc: "Press and release one key.",
				Script: Script{Example: `keyboard_press("return")`},
				Params: []Param{key("The key to press."), settle(300)}},
			{Name: "hotkey", Effect: Acts, Target: TargetNone, Doc: "Press keys together.",
				Script: Script{Example: `keyboard_hotkey(["ctrl", "s"], app="Mousepad")`},
				Params: []Param{
					{Name: "keys", Type: StringList, Required: true, NonEmpty: true, Names: KeyNames,
						Doc: `The keys in the order in which they go down, modifiers first, such as ["ctrl", "s"].`},
					settle(300),
				}},
			{Name: "hold", Effect: Acts, Target: TargetNone, Doc: "Hold one key down for a while.",
				Script: Script{Example: `keyboard_hold("down", hold_duration=0.5)`},
				Params: []Param{
					key("The key to hold."),
					{Name: "hold_duration", Type: Number, Default: 1.0, Minimum: bound(0), Maximum: bound(maxSeconds), Unit: "s",
						Doc: "How long the key is down."},
					settle(300),
				}},
		},
	},
	{
		Name: "mouse",
		Doc:  "Move the pointer and press its buttons, at an element or at coordinates.",
		Actions: []Action{
			{Name: "move", Effect: Acts, Target: TargetWithoutPoint, Params: pointer(), Doc: "Move the pointer.",
				Script: Script{Example: "mouse_move(640, 400)"}},
			{Name: "click", Effect: Acts, Target: TargetOptional, Params: pointer(), Doc: "Click with the left button.",
				Script: Script{Example: `mouse_click(app="Numbers", role="button", title="PDF")`}},
			{Name: "double_click", Effect: Acts, Target: TargetOptional, Params: pointer(), Doc: "Click twice with the left button.",
				Script: Script{Example: `mouse_double_click(app="Numbers", title="report.csv")`}},
			{Name: "triple_click", Effect: Acts, Target: TargetOptional, Params: pointer(), Doc: "Click three times with the left button.",
				Script: Script{Example: "mouse_triple_click(640, 400)"}},
			{Name: "right_click", Effect: Acts, Target: TargetOptional, Params: pointer(), Doc: "Click with the right button.",
				Script: Script{Example: `mouse_right_click(app="Numbers", title="report.csv")`}},
			{Name: "middle_click", Effect: Acts, Target: TargetOptional, Params: pointer(), Doc: "Click with the middle button.",
				Script: Script{Example: "mouse_middle_click(640, 400)"}},
			{Name: "left_down", Effect: Acts, Target: TargetWithoutPoint, Params: pointer(), Doc: "Press the left button and keep it down.",
				Script: Script{Example: "mouse_left_down(640, 400)"}},
			{Name: "left_up", Effect: Acts, Target: TargetWithoutPoint, Params: pointer(), Doc: "Release the left button.",
				Script: Script{Example: "mouse_left_up(700, 400)"}},
			{Name: "scroll", Effect: Acts, Target: TargetWithoutPoint, Doc: "Turn the wheel.",
				Script: Script{Example: `mouse_scroll(640, 400, direction="down", amount=3)`},
				Params: pointer(
					Param{Name: "direction", Type: String, Enum: []string{"up", "down", "left", "right"},
						Doc: "Where to scroll; without it the sign of amount says it, up where it is positive."},
					Param{Name: "amount", Type: Integer, Default: 3, Minimum: bound(-1000), Maximum: bound(1000), Unit: "clicks",
						Doc: "How far to scroll."},
				)},
			{Name: "drag", Effect: Acts, Target: TargetWithoutPoint, Doc: "Press the left button at one place and release it at another.",
				Script: Script{Example: "mouse_drag(x=100, y=100, end_x=300, end_y=100)"},
				Params: drag()},
			{Name: "cursor_position", Effect: Reads, Target: TargetNone, Params: pointer(),
				Doc:    "Read where the pointer is; does nothing in a run.",
				Script: Script{Doc: "Read where the pointer is.", Returns: "x and y in screen pixels", Type: "list", Example: "x, y = mouse_cursor_position()"}},
		},
	},
	{
		Name:      "script",
		Doc:       "Run a Python program that is saved with the learned program, in a sandbox.",
		InProgram: true,
		Actions: []Action{
			{Name: "", Effect: Acts, Target: TargetNone, Params: script,
				Doc: "Run the program. It must end with exit code 0, or with the one that a postcondition exit_code names."},
		},
	},
	{
		Name: "ui",
		Doc:  "Act on elements of the user interface by identity.",
		Actions: []Action{
			{Name: "click", Effect: Acts, Target: TargetRequired, Params: element(),
				Doc:    "Click the target: by its native action where it has one, else by the pointer.",
				Script: Script{Edges: "That the click was done says nothing of what came of it: read something that must have changed.", Example: `ui_click(app="Numbers", role="button", title="PDF")`}},
			{Name: "click_menu", Effect: Acts, Target: TargetNone, Doc: "Choose an item of the target application's menu bar.",
				Script: Script{Example: `ui_click_menu(app="Numbers", menu="File", menu_item="Export To > PDF")`},
				OneOf:  [][]string{{"menu", "path"}, {"menu_item", "path"}},
				Params: element(
					Param{Name: "menu", Type: String, NonEmpty: true, ShadowedBy: "path", Doc: "The menu in the menu bar, such as File."},
					Param{Name: "menu_item", Type: String, NonEmpty: true, ShadowedBy: "path",
						Doc: `The item in it; " > " or " → " leads into nested menus, as in "Export To > PDF".`},
					Param{Name: "path", Type: StringList, NonEmpty: true,
						Doc: `The whole way from the menu bar, in place of menu and menu_item, such as ["File", "Export To", "PDF"].`},
				)},
			{Name: "type", Effect: Acts, Target: TargetNone, Doc: "Type a text into the target application.",
				Script: Script{Example: `ui_type("Ada", app="Mousepad")`},
				Params: element(typedText)},
			{Name: "press_key", Effect: Acts, Target: TargetNone, Doc: "Press one key, with modifiers, in the target application.",
				Script: Script{Example: `ui_press_key("s", modifiers=["ctrl"], app="Mousepad")`},
				Params: element(
					key("The key to press."),
					Param{Name: "modifiers", Type: StringList, Names: ModifierNames,
						Doc: "The modifiers that are down meanwhile; command and cmd mean ctrl."},
				)},
			{Name: "get_value", Effect: Reads, Target: TargetRequired, Params: element(),
				Doc:    "Read the target's value, else its text, else its name, and record it in the results.",
				Script: Script{Doc: "Read the target's value, else its text, else its name.", Returns: `it as a text; "" for a password field, whatever is in it`, Type: "str", Example: `total = ui_get_value(app="Numbers", role="label", identifier="total")`}},
			{Name: "get_tree", Effect: Reads, Target: TargetNone, Params: element(),
				Doc:    "Read the application's tree; does nothing in a run.",
				Script: Script{Doc: "Read the elements of an application, or of all.", Returns: "the elements in the order of the tree, each a dict with depth, role, name and, where there is something, value, text, identifier, states, ref and app", Type: "list", Edges: "At most 2,000 elements, and of each text the first 2,000 characters. An application that does not run gives an empty list.", Example: `names = [e["name"] for e in ui_get_tree(app="Numbers") if e["role"] == "push button"]`}},
		},
	},
	{
		Name: "wait",
		Doc:  "Wait for a time; without one only wait_ms and the postcondition count.",
		Actions: []Action{
			{Name: "", Effect: Acts, Target: TargetNone, Doc: "Wait.",
				Script: Script{Edges: "Calls that look for an element wait for it by themselves: waiting is hardly ever needed.", Example: "wait(seconds=0.5)"},
				Params: []Param{
					{Name: "ms", Type: Integer, Minimum: bound(0), Maximum: bound(maxMilliseconds), Unit: "ms", Doc: "How long to wait."},
					{Name: "seconds", Type: Number, Minimum: bound(0), Maximum: bound(maxSeconds), Unit: "s", ShadowedBy: "ms",
						Doc: "How long to wait, in seconds; ms wins over it."},
				}},
		},
	},
}
