//go:build linux && cgo

package input

import (
	"context"
	"fmt"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// A window manager that raises windows by a click holds the pointer after each
// press until it has made up its mind. The server keeps what comes meanwhile,
// but a second click that comes too early can get lost.

// holdTime is how long the pointer may be held.
const holdTime = 3 * time.Second

// lookAgain is how often the pointer is looked at meanwhile.
const lookAgain = time.Millisecond

// released waits until the server has let the release of the button through.
func (in *Input) released(ctx context.Context, b desktop.Button) error {
	bit := uint16(xproto.ButtonMask1) << (b - 1)
	return in.settled(ctx, func(p *xproto.QueryPointerReply) error {
		if p.Mask&bit == 0 {
			return nil
		}
		return fmt.Errorf("button %d is still down: the window manager or an application holds the pointer", b)
	})
}

// arrived waits until the pointer is there.
func (in *Input) arrived(ctx context.Context, to desktop.Point) error {
	return in.settled(ctx, func(p *xproto.QueryPointerReply) error {
		if int(p.RootX) == to.X && int(p.RootY) == to.Y {
			return nil
		}
		return fmt.Errorf("the pointer is at (%d,%d) and not at (%d,%d): the window manager or an application holds it",
			p.RootX, p.RootY, to.X, to.Y)
	})
}

// settled looks at the pointer until check finds no fault with it.
func (in *Input) settled(ctx context.Context, check func(*xproto.QueryPointerReply) error) error {
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	var fault error // what was wrong at the last look
	for {
		p, err := xconn.Do(ctx, in.conn, "asking for the pointer", func() (*xproto.QueryPointerReply, error) {
			return xproto.QueryPointer(in.conn.X, in.conn.Root).Reply()
		})
		if err != nil && fault != nil && ctx.Err() != nil {
			return fault
		}
		if err != nil {
			return err
		}
		fault = check(p)
		if fault == nil || pause(ctx, lookAgain) != nil {
			return fault
		}
	}
}
