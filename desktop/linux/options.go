package linux

import "context"

// Options says which display and buses to use and how applications are
// started.
type Options struct {
	// Display is the X display's name (":107"). It must be the DISPLAY of
	// this process too, unless NoInput is set.
	Display string
	// SessionBus and A11yBus are D-Bus addresses. A11yBus may be "": the
	// session bus is asked for it.
	SessionBus string
	A11yBus    string
	// SessionID is the id that the X server must bear, so that no input goes
	// to another one. It also marks the processes that may be ended. "" does
	// not check, and ends only what was opened here.
	SessionID string
	// Env is the environment of applications, KEY=VALUE.
	Env []string
	// LogDir is where the output of opened applications goes; "" for nowhere.
	LogDir string
	// Sandboxed says that applications run inside of bwrap, where those that
	// come with a sandbox of their own are refused.
	Sandboxed bool
	// KeepStatus leaves org.a11y.Status as it is: the desktop is somebody's own.
	KeepStatus bool
	// KeepClipboard has a text served by a process that outlives this one, and
	// returns once it can be pasted; nil serves what is copied until Close.
	KeepClipboard func(ctx context.Context, text string) error
	// NoInput leaves pointer and keyboard out: for those who only look.
	NoInput bool
}
