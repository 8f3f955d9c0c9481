//go:build linux

package linux

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

var errNoInput = errors.New("this desktop was opened without pointer and keyboard")

// noInput refuses to move or press anything.
type noInput struct{}

func (noInput) PointerAt(context.Context) (desktop.Point, error) {
	return desktop.Point{}, errNoInput
}
func (noInput) Move(context.Context, desktop.Point) error            { return errNoInput }
func (noInput) Click(context.Context, desktop.Button, int) error     { return errNoInput }
func (noInput) ButtonDown(context.Context, desktop.Button) error     { return errNoInput }
func (noInput) ButtonUp(context.Context, desktop.Button) error       { return errNoInput }
func (noInput) Scroll(context.Context, desktop.Direction, int) error { return errNoInput }
func (noInput) Type(context.Context, string) error                   { return errNoInput }
func (noInput) Chord(context.Context, string, ...string) error       { return errNoInput }
func (noInput) Hold(context.Context, string, time.Duration) error    { return errNoInput }
func (noInput) Drag(context.Context, desktop.Point, desktop.Point, time.Duration) error {
	return errNoInput
}
