package session

import (
	"fmt"
	"os"
	"time"
)

// Adoption says which display a session takes over instead of starting one:
// somebody's own. Its host starts no X server, bus or window manager, and at the
// end puts back what was changed.
type Adoption struct {
	// Display is the X display's name, SessionBus the address of its session bus.
	Display    string `json:"display"`
	SessionBus string `json:"session_bus"`
	// Environment is the user's, KEY=VALUE; Options.Environment comes on top.
	Environment []string `json:"environment"`
	// Lock stays open until everything is put back, nil for none.
	Lock *os.File `json:"-"`
}

// BusyError says who has a display already.
type BusyError struct {
	Display string
	// PID and Command are the holder's, Since is when it began; zero where that
	// cannot be told.
	PID     int
	Command string
	Since   time.Time
}

func (e *BusyError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("display %s is in use by another run", e.Display)
	}
	return fmt.Sprintf("display %s is in use by process %d (%s) since %s", e.Display, e.PID, e.Command,
		e.Since.Local().Format("15:04:05"))
}
