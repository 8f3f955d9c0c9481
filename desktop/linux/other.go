//go:build !linux

package linux

import (
	"context"
	"errors"
	"runtime"

	"github.com/opendesk/opendesk/desktop"
)

// Desktop is a Desktop on one X display; there are none on this system.
type Desktop struct{ desktop.Desktop }

// Open says that this build cannot drive a display.
func Open(context.Context, Options) (*Desktop, error) {
	return nil, &desktop.EnvironmentError{
		Part: desktop.PartDisplay,
		Err:  errors.New("programs run on Linux only; this build is for " + runtime.GOOS),
	}
}

// Probe says of every part that this system has none.
func Probe(context.Context, Options) desktop.Health {
	var health desktop.Health
	for _, part := range desktop.Parts {
		health = append(health, desktop.Probe{Part: part, Detail: "not on " + runtime.GOOS})
	}
	return health
}
