// Package desktop is the port to a computer: what a runner may ask of a
// display, and the types and typed errors of the answers. It imports nothing
// else of opendesk but internal/fold; the packages below it implement it.
package desktop

import (
	"context"
	"image"
	"time"
)

// Desktop is one display with its applications. It is owned by one goroutine:
// its methods are not safe for concurrent use, except Changes and Probe.
type Desktop interface {
	Trees
	Windows
	Pointer
	Keyboard
	Clipboard
	Apps
	Screen
	Prober
	// Changes returns a channel that gets a value (capacity 1, never closed
	// while the desktop is open) whenever AT-SPI or X reported that something
	// changed. It is a hint to look again at once, never an answer.
	Changes() <-chan struct{}
	// Close gives everything back. The desktop's applications go on.
	Close() error
}

// Need says which costly properties of elements a caller wants filled.
// Role, Name, States, App, PID, Children and Ref are always there.
type Need uint8

// What can be asked for beyond what every snapshot has.
const (
	NeedIdentifier  Need = 1 << iota // Identifier
	NeedBounds                       // Bounds (screen coordinates) and BoundsKnown
	NeedActions                      // Actions
	NeedText                         // Text and Value
	NeedDescription                  // Description
)

// Trees reads and acts on accessibility trees.
type Trees interface {
	// Snapshot reads the trees of the applications that app names (by any of
	// their names, see AppInfo), or of all applications where app is "".
	// It reads fresh: no answer is older than the call. One silent
	// application costs only its own trees, which Snapshot.Faults names.
	// No application of that name is no error: Snapshot.Apps is then empty.
	Snapshot(ctx context.Context, app string, need Need) (*Snapshot, error)
	// Fill completes the elements, in bulk, with what need names. An element
	// that has gone is marked (Gone) and is no error.
	Fill(ctx context.Context, elements []*Element, need Need) error
	// Act performs the element's native action of that sort, picked by name,
	// never by index. *NoActionError where the element has none,
	// *UnansweredError where the application did not answer in time (a modal
	// dialog may be up: the caller's postcondition decides).
	Act(ctx context.Context, e *Element, action ActionKind) error
	// SetFocus gives the element the keyboard focus.
	SetFocus(ctx context.Context, e *Element) error
	// FocusedElement is the element that has the keyboard focus, filled with
	// need; nil where none says so.
	FocusedElement(ctx context.Context, need Need) (*Element, error)
	// HasFocusedElement reports whether FocusedElement would give one. It costs
	// far less.
	HasFocusedElement(ctx context.Context) (bool, error)
	// ScrollTo brings the element into view where the toolkit can;
	// *NoActionError where it cannot.
	ScrollTo(ctx context.Context, e *Element) error
	// HitTest is what a pointer at the point would hit in the element's
	// window: an element of the same tree, the innermost that is known. nil
	// where the toolkit does not say, or cannot be trusted.
	HitTest(ctx context.Context, e *Element, at Point) (*Element, error)
}

// ActionKind is a sort of native action, independent of the toolkit's name
// for it.
type ActionKind string

// The sorts of native actions.
const (
	Press    ActionKind = "press"     // click, press, activate, toggle, jump, …
	ShowMenu ActionKind = "show_menu" // ShowMenu, popup, …
	Expand   ActionKind = "expand"    // expand or contract, …
)

// Snapshot is what was read of some applications' trees at one moment.
type Snapshot struct {
	// Apps are the applications found, in registry order. Several
	// application objects of one app are several entries.
	Apps []*AppTree
	// Faults are applications that could not be read in whole, with the
	// typed reason (*HungError, *GoneError, *NoTreeError, …).
	Faults []AppFault
	// TakenIn is how long reading took.
	TakenIn time.Duration
}

// AppTree is one application object with its tree.
type AppTree struct {
	Info AppInfo
	// Root is the application object itself; its children are its windows.
	Root *Element
}

// AppFault is an application that could not be read.
type AppFault struct {
	Info AppInfo
	Err  error
}

// AppInfo is an application's identity. One app has several names; a program
// may use any of them (see Matches).
type AppInfo struct {
	// Name is the name in the accessibility tree, or "".
	Name string `json:"name,omitempty"`
	// Class and Instance are the two halves of WM_CLASS, or "".
	Class    string `json:"class,omitempty"`
	Instance string `json:"instance,omitempty"`
	// Process is the name of the executable; the kernel cuts it to 15
	// characters, and it stays cut where nothing tells the whole of it.
	Process string `json:"process,omitempty"`
	// OpenedAs is the name by which this Desktop opened it, or "".
	OpenedAs string `json:"opened_as,omitempty"`
	// DesktopID and DesktopName are the id (without .desktop) and the Name of
	// the .desktop file it belongs to, or "".
	DesktopID   string `json:"desktop_id,omitempty"`
	DesktopName string `json:"desktop_name,omitempty"`
	PID         int    `json:"pid,omitempty"`
	// Toolkit is what its accessibility tree is made by, "" where that is not
	// known or is none of those that need to be told apart.
	Toolkit Toolkit `json:"toolkit,omitempty"`
}

// Element is one node of an accessibility tree.
type Element struct {
	// Role is the canonical role (see CanonicalRole), RawRole the toolkit's.
	Role    string
	RawRole string
	Name    string
	// Value and Text are filled by NeedText: the Value interface's current
	// value as text, and the Text interface's whole content (bounded to
	// MaxText bytes).
	Value       string
	Text        string
	Description string
	Identifier  string
	States      States
	// Bounds are in screen pixels. BoundsKnown is false where the toolkit
	// gives none or gives nonsense (hidden menu items, empty boxes).
	Bounds      Rect
	BoundsKnown bool
	// NoRoom is filled with Bounds: GTK 4, which says of everything in a window
	// that it is visible, gives this element no room there. It is on another
	// page or not revealed.
	NoRoom bool
	// Actions are the names of the native actions, in index order.
	Actions []string
	// Ref is the structural path below the application, the same from run to
	// run: frame[0]/panel[1]/push button[2], counting siblings of one raw role.
	Ref string
	// App is the application that the element belongs to.
	App *AppInfo
	// Window is the top-level element (frame, dialog, …) above it, itself for
	// a window, nil for the application object.
	Window   *Element
	Parent   *Element
	Children []*Element
	// Truncated says that the element claims more children than were read.
	Truncated bool
	// Gone says that the element disappeared while it was being filled.
	Gone bool
	// Handle belongs to the implementation.
	Handle any
}

// MaxText bounds Element.Text, in bytes.
const MaxText = 64 << 10

// Walk calls visit for e and everything below it, in document order, until
// visit returns false for a node (whose children are then left out).
func (e *Element) Walk(visit func(*Element) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, c := range e.Children {
		c.Walk(visit)
	}
}

// States is a set of element states.
type States uint32

// The states that matter to a runner.
const (
	Showing States = 1 << iota
	Visible
	Enabled
	Sensitive
	Focused
	Focusable
	Active
	Checked
	Selected
	Editable
	Expanded
	Expandable
	Modal
	Defunct
	Pressed
	HasPopup
	Password // a field whose text must not be shown
)

// Has reports whether all of want are in s.
func (s States) Has(want States) bool { return s&want == want }

// Point is a position in screen pixels.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Rect is a rectangle in screen pixels.
type Rect struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Empty reports whether the rectangle has no area.
func (r Rect) Empty() bool { return r.Width <= 0 || r.Height <= 0 }

// Centre is the rectangle's middle.
func (r Rect) Centre() Point { return Point{r.X + r.Width/2, r.Y + r.Height/2} }

// Contains reports whether p lies in r.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.Width && p.Y < r.Y+r.Height
}

// Image is the rectangle as the image package has it.
func (r Rect) Image() image.Rectangle {
	return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height)
}

// Window is one top-level window of the display.
type Window struct {
	// ID is the display's own id of the window.
	ID    uint32 `json:"id"`
	Title string `json:"title"`
	// App is the identity of the window's application.
	App AppInfo `json:"app"`
	// Bounds is the client area in screen pixels, without decorations.
	Bounds  Rect `json:"bounds"`
	Focused bool `json:"focused"`
	// Override windows (menus, tooltips) are not managed by a window manager.
	Override bool `json:"override,omitempty"`
	// Tooltip windows go away before they are in anybody's way.
	Tooltip bool `json:"tooltip,omitempty"`
}

// Windows lists and focuses windows.
type Windows interface {
	// Windows lists the visible top-level windows, front first.
	Windows(ctx context.Context) ([]Window, error)
	// FocusedWindow is the window with the input focus, nil for none.
	FocusedWindow(ctx context.Context) (*Window, error)
	// Raise brings the window to the front and gives it the focus.
	Raise(ctx context.Context, w Window) error
}

// Button is a pointer button.
type Button int

// The pointer buttons.
const (
	Left   Button = 1
	Middle Button = 2
	Right  Button = 3
)

// Direction is a scroll direction.
type Direction string

// The four ways to scroll.
const (
	Up          Direction = "up"
	Down        Direction = "down"
	ScrollLeft  Direction = "left"
	ScrollRight Direction = "right"
)

// Pointer moves and presses the pointer. Positions are screen pixels;
// *OffScreenError for a point outside the screen.
type Pointer interface {
	PointerAt(ctx context.Context) (Point, error)
	Move(ctx context.Context, to Point) error
	// Click presses and releases the button count times at the pointer.
	Click(ctx context.Context, b Button, count int) error
	ButtonDown(ctx context.Context, b Button) error
	ButtonUp(ctx context.Context, b Button) error
	Scroll(ctx context.Context, d Direction, clicks int) error
	// Drag moves with the left button down, with motion in between, taking
	// about the given time.
	Drag(ctx context.Context, from, to Point, duration time.Duration) error
}

// Keyboard types. Keys are named by X keysym names (Return, Control_L, U20AC) or
// are single characters; *UnknownKeyError lists what was not understood.
type Keyboard interface {
	// Type types the text exactly, whatever the layout.
	Type(ctx context.Context, text string) error
	// Chord presses the modifiers, then the key, and releases all of them.
	Chord(ctx context.Context, key string, modifiers ...string) error
	// Hold keeps a key down for the given time.
	Hold(ctx context.Context, key string, d time.Duration) error
}

// Clipboard reads and writes the clipboard selection.
type Clipboard interface {
	// ReadClipboard is the clipboard's text, "" where it holds none.
	// *ClipboardOwnerError where its owner does not hand it over.
	ReadClipboard(ctx context.Context) (string, error)
	// WriteClipboard returns once the text can be pasted; it stays owned
	// while the desktop is open.
	WriteClipboard(ctx context.Context, text string) error
}

// Launch says how an application is to be found and started.
type Launch struct {
	// Name is what the program calls it.
	Name string
	// Command is the program and arguments from the project's app map, nil
	// where the map does not name it.
	Command []string
	// Dir is the working directory, "" for the session's home.
	Dir string
	// Env are additional KEY=VALUE pairs.
	Env []string
	// Timeout is how long it may take to show a window and publish a tree.
	Timeout time.Duration
}

// Opened tells what OpenApp did.
type Opened struct {
	App AppInfo
	// Command is what was started, nil where it was running already.
	Command []string
	// How says by what the name was found: "map", "path", "PATH", "desktop".
	How string
	// Window is the first window it showed.
	Window *Window
	// HasTree is false where it showed a window but published no tree (a
	// terminal such as xterm never does).
	HasTree bool
}

// Closed tells what CloseApp had to do.
type Closed struct {
	// Forced is by what the application had to be ended, in their order
	// (SIGTERM, SIGKILL); empty where it closed when it was asked to.
	Forced []string
	// Why says why it had to be: "it asked back: window 'Save Changes?'".
	Why string
}

// Apps opens, closes and focuses applications.
type Apps interface {
	// OpenApp starts the application, never through a shell, and returns once
	// it has a window and a published tree, or a window alone after its
	// grace. *AppNotFoundError, *AppDiedError, *NoWindowError.
	OpenApp(ctx context.Context, l Launch) (*Opened, error)
	// CloseApp asks the application's windows to close, then ends its
	// processes where they belong to this session: once it asks back ("Save
	// changes?") and waits for an answer, once it goes on without a window,
	// and at the timeout. *AppNotRunningError.
	CloseApp(ctx context.Context, name string, timeout time.Duration) (*Closed, error)
	// FocusApp raises the application's frontmost window and waits until it
	// has the focus. *AppNotRunningError, *NoWindowError.
	FocusApp(ctx context.Context, name string, timeout time.Duration) error
	// RunningApps lists the applications that have a window or a tree.
	RunningApps(ctx context.Context) ([]AppInfo, error)
	// AppState tells whether the named application runs, answers and has
	// windows: the facts that a failure's reason needs. "" names the
	// application that was opened last here and not closed since; the state
	// is zero where there is none.
	AppState(ctx context.Context, name string) (AppState, error)
}

// AppState is what can be said of one application.
type AppState struct {
	// Name is the name by which it was opened here, "" where it was not.
	Name    string `json:"name,omitempty"`
	Running bool   `json:"running"`
	// Windows is the number of its visible windows.
	Windows int `json:"windows"`
	// HasTree says that it publishes an accessibility tree with content.
	HasTree bool `json:"has_tree"`
	// Hung says that it did not answer in time.
	Hung bool `json:"hung,omitempty"`
	// Exited is set where the app was opened here and has ended: how. Closed
	// says that CloseApp has closed it.
	Exited string `json:"exited,omitempty"`
	Closed bool   `json:"closed,omitempty"`
	// Facts are what is known of its processes, nil where it runs, answers
	// and has a window.
	Facts *AppFacts `json:"facts,omitempty"`
}

// Screen takes pictures.
type Screen interface {
	// Size is the screen's size.
	Size(ctx context.Context) (Rect, error)
	// Capture takes a picture of the region, clipped to the screen, or of the
	// whole screen for an empty one. The image's bounds start at the region's
	// own corner, so that positions in it are screen positions.
	Capture(ctx context.Context, region Rect) (*image.RGBA, error)
}
