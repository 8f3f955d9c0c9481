package fake

import (
	"slices"

	"github.com/opendesk/opendesk/desktop"
)

// App is an application of the fake desktop.
type App struct {
	Info    desktop.AppInfo
	Windows []*Window
	// NoTree applications have windows and publish no tree, as xterm does.
	NoTree bool
	// Hung applications do not answer: their trees are faults, and native
	// actions on what was read of them before are not answered.
	Hung bool
}

// Window is one window of an application.
type Window struct {
	Title  string
	Bounds desktop.Rect
	// Role is the top-level element's; "" is frame.
	Role string
	// Nodes are what the window holds.
	Nodes []*Node
	// Modal marks the top-level element as modal.
	Modal bool

	id  uint32
	app *App
}

// Node is one element of a tree. Tests keep the pointer and change the node
// later, inside On, After or Change.
type Node struct {
	Role string
	// RawRole is the toolkit's role, Role where it is "".
	RawRole     string
	Name        string
	Value       string
	Text        string
	Description string
	Identifier  string
	// States is added to Showing, Visible, Enabled and Sensitive; Without is
	// then taken away.
	States, Without desktop.States
	// Bounds are in screen pixels; an empty rectangle is an unknown place.
	Bounds desktop.Rect
	// NoRoom is told with the bounds.
	NoRoom bool
	// Actions are the native actions, by the toolkit's names ("click").
	Actions   []string
	Truncated bool
	Children  []*Node
	// OnPress runs when the node is pressed by native action or by a left
	// click that hits it; OnMenu when its menu is asked for by native action
	// or a right click; OnExpand when it is expanded.
	OnPress, OnMenu, OnExpand func()
	// Unanswered native actions are done and then give *UnansweredError.
	Unanswered bool
}

// Add puts a running application on the desktop. Its first window comes to
// the front and has the focus.
func (d *Desktop) Add(app *App) *App {
	d.nextID++
	if app.Info.PID == 0 {
		app.Info.PID = int(d.nextID) + 1000
	}
	d.apps = append(d.apps, app)
	d.adopt()
	if len(app.Windows) > 0 {
		d.focus = app.Windows[0]
	}
	return app
}

// Remove takes a running application away, as when it ends by itself; how it
// ended ("exit status 1") is what AppState says then.
func (d *Desktop) Remove(app *App, how string) {
	d.apps = slices.DeleteFunc(d.apps, func(a *App) bool { return a == app })
	d.exited[app.Info.Display()] = how
	if d.focus != nil && d.focus.app == app {
		d.focus = nil
	}
}

// Install makes an application that OpenApp can start. It is put on the
// desktop as it is then.
func (d *Desktop) Install(app *App) *App {
	d.installed = append(d.installed, app)
	return app
}

// Focus brings a window to the front and gives it the input focus; nil takes
// the focus from all.
func (d *Desktop) Focus(w *Window) {
	d.adopt()
	d.focus = w
}

// FocusNode gives a node the keyboard focus; nil takes it from all.
func (d *Desktop) FocusNode(n *Node) { d.focused = n }

// adopt gives windows that a test has added their ids and their application.
func (d *Desktop) adopt() {
	for _, a := range d.apps {
		for _, w := range a.Windows {
			w.app = a
			if w.id == 0 {
				d.nextID++
				w.id = d.nextID
			}
		}
	}
}

// stack lists the windows, the focused one first, then the newest.
func (d *Desktop) stack() []*Window {
	d.adopt()
	var out []*Window
	for _, a := range slices.Backward(d.apps) {
		out = append(out, a.Windows...)
	}
	if i := slices.Index(out, d.focus); i > 0 {
		out = slices.Insert(slices.Delete(out, i, i+1), 0, d.focus)
	}
	return out
}

func (d *Desktop) find(name string) *App {
	for _, a := range d.apps {
		if a.Info.Matches(name) {
			return a
		}
	}
	return nil
}
