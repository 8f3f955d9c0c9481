//go:build !(linux && cgo)

package input

import (
	"context"
	"errors"

	"github.com/opendesk/opendesk/desktop"
)

// Input is not in this build.
type Input struct {
	desktop.Pointer
	desktop.Keyboard
}

// Open says that this build has no pointer and keyboard.
func Open(context.Context, string, Keys) (*Input, error) {
	return nil, errors.New("this build cannot move the pointer or press keys: it was made without cgo, which robotgo needs, " +
		"or not for Linux (build on Linux with CGO_ENABLED=1 and a C compiler; " +
		"Debian/Ubuntu: apt-get install gcc libx11-dev libxtst-dev libxinerama-dev libxkbcommon-dev libxkbcommon-x11-dev libx11-xcb-dev libpng-dev)")
}

// Close does nothing.
func (*Input) Close() error { return nil }
