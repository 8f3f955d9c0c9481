//go:build linux && cgo

package input

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-vgo/robotgo"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// doubleClickTime and doubleClickDistance are what toolkits take for one
// double click: GTK and Qt have 400 ms, 5 pixels.
const (
	doubleClickTime     = 420 * time.Millisecond
	doubleClickDistance = 5
)

// click remembers the last click.
type click struct {
	at     desktop.Point
	button desktop.Button
	when   time.Time
}

// robotButtons are robotgo's names.
var robotButtons = map[desktop.Button]string{
	desktop.Left: "left", desktop.Middle: "center", desktop.Right: "right",
}

// PointerAt is where the pointer is.
func (in *Input) PointerAt(ctx context.Context) (desktop.Point, error) {
	return xconn.Do(ctx, in.conn, "asking for the pointer", func() (desktop.Point, error) {
		p, err := xproto.QueryPointer(in.conn.X, in.conn.Root).Reply()
		if err != nil {
			return desktop.Point{}, err
		}
		return desktop.Point{X: int(p.RootX), Y: int(p.RootY)}, nil
	})
}

// Move moves the pointer. Where it is there already it moves by a pixel and
// back: otherwise no application would hear of it.
func (in *Input) Move(ctx context.Context, to desktop.Point) error {
	if err := in.onScreen(ctx, to); err != nil {
		return err
	}
	at, err := in.PointerAt(ctx)
	if err != nil {
		return err
	}
	err = in.do(ctx, func() {
		if at == to {
			by := beside(to)
			robotgo.Move(by.X, by.Y)
		}
		robotgo.Move(to.X, to.Y)
	})
	if err != nil {
		return err
	}
	return in.arrived(ctx, to)
}

// beside is the point next to p, surely on the screen.
func beside(p desktop.Point) desktop.Point {
	if p.X > 0 {
		return desktop.Point{X: p.X - 1, Y: p.Y}
	}
	return desktop.Point{X: p.X + 1, Y: p.Y}
}

func (in *Input) onScreen(ctx context.Context, points ...desktop.Point) error {
	screen, err := xconn.Do(ctx, in.conn, "asking for the screen's size", func() (desktop.Rect, error) {
		g, err := xproto.GetGeometry(in.conn.X, xproto.Drawable(in.conn.Root)).Reply()
		if err != nil {
			return desktop.Rect{}, err
		}
		return desktop.Rect{Width: int(g.Width), Height: int(g.Height)}, nil
	})
	if err != nil {
		return err
	}
	for _, p := range points {
		if !screen.Contains(p) {
			return &desktop.OffScreenError{Point: p, Screen: screen}
		}
	}
	return nil
}

// Click presses and releases the button count times at the pointer. A click
// that toolkits would take for the second half of a double click waits until
// they do not.
func (in *Input) Click(ctx context.Context, b desktop.Button, count int) error {
	name, ok := robotButtons[b]
	if !ok || count < 1 {
		return fmt.Errorf("cannot click button %d %d times", b, count)
	}
	at, err := in.PointerAt(ctx)
	if err != nil {
		return err
	}
	if err := in.keepApart(ctx, at, b); err != nil {
		return err
	}
	defer func() { in.lastClick = click{at, b, time.Now()} }()
	for range count {
		err := in.do(ctx, func() {
			_ = robotgo.Toggle(name, "down") // never fails
			_ = robotgo.Toggle(name, "up")
		})
		if err != nil {
			return err
		}
		if err := in.released(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// keepApart waits until a click here and now is a click of its own.
func (in *Input) keepApart(ctx context.Context, at desktop.Point, b desktop.Button) error {
	last := in.lastClick
	near := math.Abs(float64(at.X-last.at.X)) <= doubleClickDistance && math.Abs(float64(at.Y-last.at.Y)) <= doubleClickDistance
	if !near || b != last.button {
		return nil
	}
	return pause(ctx, doubleClickTime-time.Since(last.when))
}

// ButtonDown presses the button.
func (in *Input) ButtonDown(ctx context.Context, b desktop.Button) error {
	name, ok := robotButtons[b]
	if !ok {
		return fmt.Errorf("no button %d", b)
	}
	at, err := in.PointerAt(ctx)
	if err != nil {
		return err
	}
	if err := in.keepApart(ctx, at, b); err != nil {
		return err
	}
	in.down[b] = true
	in.lastClick = click{at, b, time.Now()}
	return in.do(ctx, func() { _ = robotgo.Toggle(name, "down") })
}

// ButtonUp releases the button.
func (in *Input) ButtonUp(ctx context.Context, b desktop.Button) error {
	name, ok := robotButtons[b]
	if !ok {
		return fmt.Errorf("no button %d", b)
	}
	if err := in.do(ctx, func() { _ = robotgo.Toggle(name, "up") }); err != nil {
		return err
	}
	delete(in.down, b)
	return in.released(ctx, b)
}

// Scroll turns the wheel by so many clicks, at the pointer.
func (in *Input) Scroll(ctx context.Context, d desktop.Direction, clicks int) error {
	if clicks < 0 {
		return fmt.Errorf("cannot scroll %d clicks", clicks)
	}
	var x, y int
	switch d {
	case desktop.Up:
		y = clicks
	case desktop.Down:
		y = -clicks
	case desktop.ScrollLeft:
		x = clicks
	case desktop.ScrollRight:
		x = -clicks
	default:
		return fmt.Errorf("cannot scroll %q (up, down, left or right)", d)
	}
	const noDelay = 0
	return in.do(ctx, func() { robotgo.Scroll(x, y, noDelay) })
}

// Bounds of a drag's motion.
const (
	minDragSteps = 12
	maxDragSteps = 200
	dragStepTime = 10 * time.Millisecond
)

// Drag moves with the left button down. The button is released even where the
// drag cannot be finished.
func (in *Input) Drag(ctx context.Context, from, to desktop.Point, duration time.Duration) (err error) {
	if err := in.onScreen(ctx, from, to); err != nil {
		return err
	}
	if err := in.Move(ctx, from); err != nil {
		return err
	}
	if err := in.ButtonDown(ctx, desktop.Left); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := cleanUp(ctx)
		defer cancel()
		if up := in.ButtonUp(ctx, desktop.Left); err == nil {
			err = up
		}
	}()
	steps := min(max(int(duration/dragStepTime), minDragSteps), maxDragSteps)
	for i := 1; i <= steps; i++ {
		if err := pause(ctx, duration/time.Duration(steps)); err != nil {
			return err
		}
		x := from.X + (to.X-from.X)*i/steps
		y := from.Y + (to.Y-from.Y)*i/steps
		if err := in.do(ctx, func() { robotgo.Move(x, y) }); err != nil {
			return err
		}
	}
	return in.arrived(ctx, to)
}
