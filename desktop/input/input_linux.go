//go:build linux && cgo

package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-vgo/robotgo"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// Input is the pointer and keyboard of one display. Its methods are called by
// one goroutine at a time.
type Input struct {
	conn  *xconn.Conn
	robot *robot
	keys  Keys

	down      map[desktop.Button]bool
	lastClick click
}

// oneRobot guards robotgo's one connection.
var oneRobot sync.Mutex

// Open takes the pointer and keyboard of the display, which must be the one
// that DISPLAY names in this process's environment. Only one Input can be open
// in a process. *desktop.EnvironmentError where the server does not answer.
func Open(ctx context.Context, display string, keys Keys) (*Input, error) {
	if env := os.Getenv("DISPLAY"); env != display || display == "" {
		return nil, fmt.Errorf("input for display %q needs a process whose DISPLAY is that and not %q", display, env)
	}
	if !oneRobot.TryLock() {
		return nil, errors.New("this process has an input open already")
	}
	in := &Input{keys: keys, down: map[desktop.Button]bool{}}
	if err := in.connect(ctx, display); err != nil {
		oneRobot.Unlock()
		return nil, err
	}
	return in, nil
}

func (in *Input) connect(ctx context.Context, display string) error {
	conn, err := xconn.Dial(ctx, display, nil)
	if err != nil {
		return err
	}
	in.conn = conn
	_, err = xconn.Do(ctx, conn, "setting up XTEST", func() (struct{}, error) {
		return struct{}{}, xtest.Init(conn.X)
	})
	if err == nil {
		err = in.releaseAll(ctx)
	}
	if err == nil {
		robotgo.KeySleep, robotgo.MouseSleep, robotgo.Scale = 0, 0, false
		in.robot = startRobot()
		err = in.proveSameServer(ctx)
	}
	if err != nil {
		conn.Close()
		in.robot.stop()
	}
	return err
}

// releaseAll releases the keys and buttons that a process left down that was
// killed. A key that a user holds stays down: that is another keyboard's.
func (in *Input) releaseAll(ctx context.Context) error {
	_, err := xconn.Do(ctx, in.conn, "releasing keys", func() (struct{}, error) {
		keys := xproto.QueryKeymap(in.conn.X)
		pointer, err := xproto.QueryPointer(in.conn.X, in.conn.Root).Reply()
		if err != nil {
			return struct{}{}, err
		}
		down, err := keys.Reply()
		if err != nil {
			return struct{}{}, err
		}
		for code := range 256 {
			if down.Keys[code/8]&(1<<(code%8)) != 0 {
				in.fake(byte(code), false)
			}
		}
		for button := range 5 {
			if pointer.Mask&(xproto.ButtonMask1<<button) != 0 {
				xtest.FakeInput(in.conn.X, xproto.ButtonRelease, byte(button+1), 0, 0, 0, 0, 0)
			}
		}
		_, err = xproto.GetInputFocus(in.conn.X).Reply()
		return struct{}{}, err
	})
	return err
}

// proveSameServer moves robotgo's pointer by a pixel and looks for it on the
// display: robotgo takes another one without a word where it cannot connect.
func (in *Input) proveSameServer(ctx context.Context) error {
	for range 3 { // a user may move the pointer, too
		at, err := in.PointerAt(ctx)
		if err != nil {
			return err
		}
		to := beside(at)
		if err := in.do(ctx, func() { robotgo.Move(to.X, to.Y) }); err != nil {
			return err
		}
		now, err := in.PointerAt(ctx)
		if err != nil {
			return err
		}
		if err := in.do(ctx, func() { robotgo.Move(at.X, at.Y) }); err != nil {
			return err
		}
		if now == to {
			return nil
		}
	}
	return &desktop.EnvironmentError{Part: desktop.PartDisplay,
		Err: fmt.Errorf("robotgo does not move the pointer of %s", in.conn.Display())}
}

// Close releases what is down and gives the display up.
func (in *Input) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), xconn.AnswerTime)
	defer cancel()
	var err error
	for b := range in.down {
		err = errors.Join(err, in.ButtonUp(ctx, b))
	}
	if err == nil {
		err = in.do(ctx, robotgo.CloseMainDisplay)
	}
	in.robot.stop()
	in.conn.Close()
	oneRobot.Unlock()
	return err
}

// do lets robotgo do something, after the server has given a sign of life.
func (in *Input) do(ctx context.Context, act func()) error {
	if err := in.conn.Sync(ctx); err != nil {
		return err
	}
	return in.robot.do(act)
}

// cleanUp is a context for releasing what is down, which must happen although
// ctx may have ended.
func cleanUp(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), xconn.AnswerTime)
}

// pause waits, but no longer than ctx.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fake sends an XTEST key event without waiting.
func (in *Input) fake(code byte, down bool) {
	kind := byte(xproto.KeyRelease)
	if down {
		kind = xproto.KeyPress
	}
	xtest.FakeInput(in.conn.X, kind, code, 0, 0, 0, 0, 0)
}
