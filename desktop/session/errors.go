package session

import (
	"fmt"
	"time"
)

// The components that a StartError names.
const (
	PartXvfb          = "Xvfb"
	PartSessionBus    = "session bus"
	PartA11yBus       = "accessibility bus"
	PartRegistry      = "registry"
	PartWindowManager = "window manager"
	PartHost          = "host"
	PartIsolation     = "isolation"
	PartHome          = "private home"
)

// StartError says which part of a session did not start.
type StartError struct {
	// Part is one of the Part constants.
	Part string `json:"part"`
	// Reason is one line.
	Reason string `json:"reason"`
	// Hint says what to do about it, "" where there is nothing to say.
	Hint string `json:"hint,omitempty"`
	// Output is the end of what the part printed on stderr.
	Output string `json:"output,omitempty"`
	cause  error
	// waited is for how long the part was waited for in vain, 0 for a part
	// that failed.
	waited time.Duration
}

func (e *StartError) Error() string {
	s := fmt.Sprintf("%s: %s", e.Part, e.Reason)
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap gives the cause, such as context.Canceled, or nil.
func (e *StartError) Unwrap() error { return e.cause }

// installHints names the package of each part.
var installHints = map[string]string{
	PartXvfb:          "Debian/Ubuntu: apt-get install xvfb",
	PartSessionBus:    "Debian/Ubuntu: apt-get install dbus",
	PartA11yBus:       "Debian/Ubuntu: apt-get install at-spi2-core",
	PartRegistry:      "Debian/Ubuntu: apt-get install at-spi2-core",
	PartWindowManager: "Debian/Ubuntu: apt-get install openbox",
	PartIsolation:     "Debian/Ubuntu: apt-get install bubblewrap; or use isolation \"none\"",
}
