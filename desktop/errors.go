package desktop

import (
	"fmt"
	"strings"
	"time"
)

// EnvironmentError says that a part of the environment does not work: the
// run is broken, not the program.
type EnvironmentError struct {
	Part Part
	Err  error
}

func (e *EnvironmentError) Error() string { return fmt.Sprintf("%s: %v", e.Part, e.Err) }

// Unwrap gives the cause.
func (e *EnvironmentError) Unwrap() error { return e.Err }

// AppNotFoundError says that nothing of that name can be started.
type AppNotFoundError struct {
	Name string
	// Tried lists the places that were looked at.
	Tried []string
	// Near are names that look alike, best first.
	Near []string
}

func (e *AppNotFoundError) Error() string {
	s := fmt.Sprintf("app '%s' not found (looked in %s)", e.Name, strings.Join(e.Tried, ", "))
	if len(e.Near) > 0 {
		s += fmt.Sprintf("; did you mean '%s'?", e.Near[0])
	}
	return s
}

// ConfinedAppError says that an application comes with a sandbox of its own,
// which cannot be set up inside of ours.
type ConfinedAppError struct {
	Name string
	// System is "snap" or "flatpak".
	System string
	// Command is what it is started by.
	Command string
}

func (e *ConfinedAppError) Error() string {
	return fmt.Sprintf("app '%s' is a %s (%s), which cannot run inside of bwrap: "+
		"install the app as an ordinary package, or give another command for it under apps in eval.yaml", e.Name, e.System, e.Command)
}

// AppNotRunningError says that no running application has that name.
type AppNotRunningError struct{ Name string }

func (e *AppNotRunningError) Error() string { return fmt.Sprintf("app '%s' is not running", e.Name) }

// AppDiedError says that the application ended.
type AppDiedError struct {
	Name string
	// How is "exit status 1" or "signal: segmentation fault".
	How string
	// Facts are what is known of it, nil for nothing.
	Facts *AppFacts
}

func (e *AppDiedError) Error() string { return fmt.Sprintf("app '%s' ended (%s)", e.Name, e.How) }

// NoWindowError says that the application shows no window.
type NoWindowError struct {
	Name  string
	After time.Duration
	// Facts are what is known of its processes, nil for nothing.
	Facts *AppFacts
}

func (e *NoWindowError) Error() string {
	return fmt.Sprintf("app '%s' showed no window within %d ms", e.Name, e.After.Milliseconds())
}

// NoTreeError says that the application publishes no accessibility tree.
type NoTreeError struct{ Name string }

func (e *NoTreeError) Error() string {
	return fmt.Sprintf("app '%s' publishes no accessibility tree", e.Name)
}

// HungError says that the application did not answer in time.
type HungError struct {
	Name string
	// After is the time that it was given, 0 where its process is stopped, so
	// that it was not asked.
	After time.Duration
}

func (e *HungError) Error() string {
	if e.After == 0 {
		return fmt.Sprintf("app '%s' does not answer: its process is stopped", e.Name)
	}
	return fmt.Sprintf("app '%s' did not answer within %d ms", e.Name, e.After.Milliseconds())
}

// ClipboardOwnerError says that the application whose text is on the
// clipboard does not hand it over.
type ClipboardOwnerError struct {
	// Owner is its process's name, "" where that is not known.
	Owner string
	After time.Duration
}

func (e *ClipboardOwnerError) Error() string {
	owner := "the clipboard's owner"
	if e.Owner != "" {
		owner += fmt.Sprintf(" '%s'", e.Owner)
	}
	return fmt.Sprintf("%s did not answer within %d ms", owner, e.After.Milliseconds())
}

// GoneError says that the application or element went away during a call.
type GoneError struct{ What string }

func (e *GoneError) Error() string { return e.What + " has gone" }

// NoActionError says that the element has no native action of that sort.
type NoActionError struct {
	Action ActionKind
	Have   []string
}

func (e *NoActionError) Error() string {
	return fmt.Sprintf("no native action for %s (has: %s)", e.Action, strings.Join(e.Have, ", "))
}

// UnansweredError says that a native action was sent and not answered in
// time. It may be under way: a modal dialog answers only when it closes.
type UnansweredError struct{ After time.Duration }

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("the action was sent and not answered within %d ms", e.After.Milliseconds())
}

// UnknownKeyError says which key names are not known.
type UnknownKeyError struct{ Keys []string }

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("unknown key %s", strings.Join(e.Keys, ", "))
}

// RefusedError says that an action is not allowed here; nothing was done.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// OffScreenError says that a point lies outside the screen.
type OffScreenError struct {
	Point  Point
	Screen Rect
}

func (e *OffScreenError) Error() string {
	return fmt.Sprintf("(%d,%d) is outside the screen (%d×%d)", e.Point.X, e.Point.Y, e.Screen.Width, e.Screen.Height)
}
