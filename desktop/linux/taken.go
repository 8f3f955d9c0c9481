//go:build linux

package linux

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// inputTime is how long an application may take to take the pointer's and the
// keyboard's input before it is asked for something by other means. One that
// takes longer is asked all the same: whether it answers is found out then.
const inputTime = 5 * time.Second

// untaken says that input was made of which it is not known whether the
// application has taken it. Input comes to applications through the X server,
// what they are asked for over a bus: without waiting, that overtakes the input
// of an application that is busy.
type untaken struct{ atomic.Bool }

// taken waits until the focused application has taken all input so far.
func (d *Desktop) taken(ctx context.Context) error {
	if !d.untaken.Swap(false) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, inputTime)
	defer cancel()
	err := d.x.Taken(limited)
	if limited.Err() != nil {
		return ctx.Err()
	}
	return err
}

// notedPointer notes what it does.
type notedPointer struct {
	desktop.Pointer
	untaken *untaken
}

func (p notedPointer) Move(ctx context.Context, to desktop.Point) error {
	p.untaken.Store(true)
	return p.Pointer.Move(ctx, to)
}

func (p notedPointer) Click(ctx context.Context, b desktop.Button, count int) error {
	p.untaken.Store(true)
	return p.Pointer.Click(ctx, b, count)
}

func (p notedPointer) ButtonDown(ctx context.Context, b desktop.Button) error {
	p.untaken.Store(true)
	return p.Pointer.ButtonDown(ctx, b)
}

func (p notedPointer) ButtonUp(ctx context.Context, b desktop.Button) error {
	p.untaken.Store(true)
	return p.Pointer.ButtonUp(ctx, b)
}

func (p notedPointer) Scroll(ctx context.Context, direction desktop.Direction, clicks int) error {
	p.untaken.Store(true)
	return p.Pointer.Scroll(ctx, direction, clicks)
}

func (p notedPointer) Drag(ctx context.Context, from, to desktop.Point, duration time.Duration) error {
	p.untaken.Store(true)
	return p.Pointer.Drag(ctx, from, to, duration)
}

// notedKeyboard notes what it does.
type notedKeyboard struct {
	desktop.Keyboard
	untaken *untaken
}

func (k notedKeyboard) Type(ctx context.Context, text string) error {
	k.untaken.Store(true)
	return k.Keyboard.Type(ctx, text)
}

func (k notedKeyboard) Chord(ctx context.Context, key string, modifiers ...string) error {
	k.untaken.Store(true)
	return k.Keyboard.Chord(ctx, key, modifiers...)
}

func (k notedKeyboard) Hold(ctx context.Context, key string, d time.Duration) error {
	k.untaken.Store(true)
	return k.Keyboard.Hold(ctx, key, d)
}
