// Package trajectory is the format of recordings: what somebody did at a
// desktop, event by event, with the element that each one was done to. It is
// what `<name>.trajectory.json` holds; there are no screenshots in it.
//
// The fields down to the accessibility context are those of the Python
// opendesk; the others are left out where they say nothing.
package trajectory

// Recording is one task as somebody did it.
type Recording struct {
	TaskName string `json:"task_name"`
	// StartedAt and StoppedAt are Unix seconds. StoppedAt is 0 where the
	// recording was not stopped but broke off.
	StartedAt float64 `json:"started_at"`
	StoppedAt float64 `json:"stopped_at,omitempty"`
	// Start is what was in front as the recording began, nil where nobody looked.
	Start *Scene `json:"start,omitempty"`
	// Events are in the order in which they began.
	Events []Event `json:"events"`
	// Notes are for people: what the recorder has to say of the whole of it.
	Notes []string `json:"notes,omitempty"`
}

// Action is what was done.
type Action string

// The actions. The Python opendesk has the first five.
const (
	Click       Action = "click"
	RightClick  Action = "right_click"
	Scroll      Action = "scroll"
	Type        Action = "type"
	Key         Action = "key"
	DoubleClick Action = "double_click"
	TripleClick Action = "triple_click"
	MiddleClick Action = "middle_click"
	Drag        Action = "drag"
)

// Event is one thing that was done: a click, a text that was typed without a
// pause, a key.
type Event struct {
	// Timestamp is when it began, in Unix seconds; EndedAt is when its last key
	// or button was released, 0 where that is not known.
	Timestamp float64 `json:"timestamp"`
	EndedAt   float64 `json:"ended_at,omitempty"`
	Action    Action  `json:"action_type"`
	// X and Y are the pointer's place in pixels of the screen, nil for keys. A
	// drag ends at EndX and EndY.
	X    *int `json:"x,omitempty"`
	Y    *int `json:"y,omitempty"`
	EndX *int `json:"end_x,omitempty"`
	EndY *int `json:"end_y,omitempty"`
	// Button is left, right or middle.
	Button string `json:"button,omitempty"`
	// Text is what was typed, as the application got it. Where Password is set
	// it is nothing but a reference such as ${env:SIGN_IN_PASSWORD}.
	Text     string `json:"text,omitempty"`
	Password bool   `json:"password,omitempty"`
	// Key is a key, after its modifiers in alphabetical order: alt+ctrl+t.
	Key string `json:"key,omitempty"`
	// Modifiers are those that were down during a click, a scroll or a drag, in
	// alphabetical order.
	Modifiers []string `json:"modifiers,omitempty"`
	// ScrollDX and ScrollDY are clicks of the wheel: to the right, and up, where
	// they are positive.
	ScrollDX int `json:"scroll_dx,omitempty"`
	ScrollDY int `json:"scroll_dy,omitempty"`
	// Context is the element that it was done to: the one under the pointer, or
	// the one with the keyboard focus. nil where nothing said.
	Context *Context `json:"accessibility_context,omitempty"`
	// Late says that the context was looked up after the action had begun: it
	// may be what the action led to.
	Late bool `json:"late,omitempty"`
	// Before is what was in front as it was done, After what was seen to have
	// changed until the next event began; nil where nobody looked.
	Before *Scene  `json:"before,omitempty"`
	After  *Change `json:"after,omitempty"`
}

// Context is the identity of an element. Empty fields are not known.
type Context struct {
	// App is the application, by a name that programs can open it with; Window
	// is the title of the element's window.
	App    string `json:"app,omitempty"`
	Window string `json:"window,omitempty"`
	// Role is the toolkit's own name of the role.
	Role       string `json:"role,omitempty"`
	Title      string `json:"title,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	// Value is the element's text, or else its value, cut to a few hundred
	// characters; never that of a password field.
	Value string `json:"value,omitempty"`
	// Ref is the structural path below the application.
	Ref string `json:"ref,omitempty"`
	// MenuPath is the titles from the menu bar to this item, for items of a menu
	// that hangs on a menu bar.
	MenuPath []string `json:"menu_path,omitempty"`
	// Bounds are the element's place on the screen, in pixels.
	Bounds *Bounds `json:"bounds,omitempty"`
}

// Bounds is a rectangle in pixels of the screen.
type Bounds struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Scene is what is in front at a moment: the application with the focus and the
// title of its focused window.
type Scene struct {
	App    string `json:"app,omitempty"`
	Window string `json:"window,omitempty"`
}

// Who may have started an application.
const (
	// StartedByApp: the application that the event was done to.
	StartedByApp = "app"
	// StartedByCommand: a command of opendesk, and not the event.
	StartedByCommand = "command"
)

// Change is what was seen to have changed after an event and before the next
// one, or before the recording ended. What is as it was is left out.
type Change struct {
	// Front is what is in front now, nil where that is what it was.
	Front *Scene `json:"front,omitempty"`
	// FrontAfter is how long after the event's end that was first seen, in
	// seconds.
	FrontAfter float64 `json:"front_after,omitempty"`
	// Started says who started the application that is in front now, where it was
	// not there before: StartedByApp, StartedByCommand, or "" where that is not
	// known.
	Started string `json:"started,omitempty"`
	// Windows are windows and dialogs that appeared, in front or not.
	Windows []Context `json:"windows,omitempty"`
	// Value is the value that the event's element has now, nil where it has the
	// same or where nobody looked.
	Value *string `json:"value,omitempty"`
	// Appeared are elements of the focused application that show a text now which
	// was no part of any text that the application showed before the event, in
	// the order of its tree. Only what was seen while things were quiet is in it.
	Appeared []Context `json:"appeared,omitempty"`
}

// Place is the event's place on the screen, ok where it has one.
func (e Event) Place() (x, y int, ok bool) {
	if e.X == nil || e.Y == nil {
		return 0, 0, false
	}
	return *e.X, *e.Y, true
}

// End is where a drag ends, ok where that is known.
func (e Event) End() (x, y int, ok bool) {
	if e.EndX == nil || e.EndY == nil {
		return 0, 0, false
	}
	return *e.EndX, *e.EndY, true
}

// Contains reports whether the point lies in the rectangle.
func (b Bounds) Contains(x, y int) bool {
	return x >= b.X && y >= b.Y && x < b.X+b.Width && y < b.Y+b.Height
}
