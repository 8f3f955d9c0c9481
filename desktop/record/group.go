package record

import (
	"slices"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
)

// How inputs belong together. Times are the X server's.
const (
	// typingPause is what a text does not contain.
	typingPause = 550 * time.Millisecond
	// clickPause and clickReach bound the clicks of a double click, as GTK and
	// Qt have it.
	clickPause = 400 * time.Millisecond
	clickReach = 5
	// clickHold is how long a click is held back for a second one, which may
	// have been on its way for a while.
	clickHold = 600 * time.Millisecond
	// dragReach is how far the pointer moves with a button down for that to be
	// no click any more.
	dragReach = 8
	// scrollPause and scrollReach bound the turns of the wheel that are one.
	scrollPause = time.Second
	scrollReach = 10
)

// grouper makes actions of inputs. It has no clock: what it does depends on
// the inputs' own times, and on when expire is called.
type grouper struct {
	// see is called when an action begins, with its first input.
	see func(Input) *sighting

	// open is the action that a next input may still belong to, and last that
	// which did so last.
	open *action
	last Input
	// presses are the buttons that are down.
	presses map[byte]*press
}

// press is a button that went down.
type press struct {
	Input
	seen    *sighting
	dragged bool
}

func newGrouper(see func(Input) *sighting) *grouper {
	return &grouper{see: see, presses: map[byte]*press{}}
}

// take takes one input and gives the actions that are over by it.
func (g *grouper) take(in Input) []*action {
	switch in.Kind {
	case Motion:
		for _, p := range g.presses {
			p.dragged = p.dragged || apart(p.Point, in.Point, dragReach)
		}
	case ButtonDown:
		if in.Button >= wheelUp && in.Button <= wheelRight {
			return g.scroll(in)
		}
		return g.buttonDown(in)
	case ButtonUp:
		return g.buttonUp(in)
	case KeyDown:
		return g.key(in)
	case KeyUp:
	}
	return nil
}

// The buttons that are a wheel's.
const (
	wheelUp    = 4
	wheelDown  = 5
	wheelLeft  = 6
	wheelRight = 7
)

// since is the time between two inputs, which wraps around as the server's does.
func since(earlier, later Input) time.Duration {
	return time.Duration(int32(later.Time-earlier.Time)) * time.Millisecond
}

// apart reports whether two points are farther from each other than reach, in
// pixels of either direction.
func apart(a, b desktop.Point, reach int) bool {
	return max(a.X-b.X, b.X-a.X, a.Y-b.Y, b.Y-a.Y) > reach
}

// finish gives the open action as one that is over.
func (g *grouper) finish() []*action {
	if g.open == nil {
		return nil
	}
	done := g.open
	g.open = nil
	return []*action{done}
}

// begin opens an action with its first input.
func (g *grouper) begin(kind trajectory.Action, in Input, seen *sighting) *action {
	g.open = &action{kind: kind, began: in.At, ended: in.At, at: in.Point, seen: seen}
	g.last = in
	return g.open
}

// buttonDown remembers the press, and ends what is open unless it can be the
// second press of a double click.
func (g *grouper) buttonDown(in Input) []*action {
	p := &press{Input: in}
	g.presses[in.Button] = p
	if g.again(in) {
		p.seen = g.open.seen
		return nil
	}
	over := g.finish()
	p.seen = g.see(in)
	return over
}

// again reports whether a press is the next one of the open click.
func (g *grouper) again(in Input) bool {
	if g.open == nil || in.Button != left || g.open.kind != trajectory.Click && g.open.kind != trajectory.DoubleClick {
		return false
	}
	return g.last.Kind == ButtonDown && since(g.last, in) <= clickPause && !apart(g.last.Point, in.Point, clickReach) &&
		slices.Equal(g.open.modifiers, modifiersOf(in.State))
}

const (
	left   = 1
	middle = 2
	right  = 3
)

func (g *grouper) buttonUp(in Input) []*action {
	p := g.presses[in.Button]
	if p == nil {
		return nil // a turn of the wheel, or pressed before the recording began
	}
	delete(g.presses, in.Button)
	if p.dragged && apart(p.Point, in.Point, dragReach) {
		over := g.finish() // the click that this was not the second of
		a := g.begin(trajectory.Drag, p.Input, p.seen)
		a.to, a.ended, a.button, a.modifiers = in.Point, in.At, in.Button, modifiersOf(p.State)
		return append(over, g.finish()...)
	}
	if g.again(p.Input) {
		g.open.kind = map[trajectory.Action]trajectory.Action{
			trajectory.Click: trajectory.DoubleClick, trajectory.DoubleClick: trajectory.TripleClick,
		}[g.open.kind]
		g.open.ended, g.last = in.At, p.Input
		if g.open.kind == trajectory.TripleClick {
			return g.finish()
		}
		return nil
	}
	over := g.finish()
	kind := trajectory.Click
	switch in.Button {
	case middle:
		kind = trajectory.MiddleClick
	case right:
		kind = trajectory.RightClick
	}
	a := g.begin(kind, p.Input, p.seen)
	a.ended, a.button, a.modifiers = in.At, in.Button, modifiersOf(p.State)
	if kind != trajectory.Click || in.Button != left {
		over = append(over, g.finish()...)
	}
	return over
}

// scroll counts turns of the wheel at one place in one direction together.
func (g *grouper) scroll(in Input) []*action {
	x, y := 0, 0
	switch in.Button {
	case wheelUp:
		y = 1
	case wheelDown:
		y = -1
	case wheelLeft:
		x = -1
	case wheelRight:
		x = 1
	}
	a := g.open
	same := a != nil && a.kind == trajectory.Scroll && since(g.last, in) <= scrollPause && !apart(a.at, in.Point, scrollReach) &&
		g.last.Button == in.Button && slices.Equal(a.modifiers, modifiersOf(in.State))
	var over []*action
	if !same {
		over = g.finish()
		a = g.begin(trajectory.Scroll, in, g.see(in))
		a.modifiers = modifiersOf(in.State)
	}
	a.scrollX += x
	a.scrollY += y
	a.ended, g.last = in.At, in
	return over
}

// key takes a key that went down. What it typed belongs to the open text; any
// other key is an action of its own.
func (g *grouper) key(in Input) []*action {
	s := in.Stroke
	switch {
	case s.Text != "":
		var over []*action
		if g.open == nil || g.open.kind != trajectory.Type || since(g.last, in) >= typingPause {
			over = g.finish()
			g.begin(trajectory.Type, in, g.see(in))
		}
		g.open.text += s.Text
		g.open.ended, g.last = in.At, in
		return over
	case s.Key != "":
		over := g.finish()
		a := g.begin(trajectory.Key, in, g.see(in))
		a.key, a.modifiers = s.Key, s.Modifiers
		return append(over, g.finish()...)
	}
	return nil
}

// due is when expire has something to do, zero for never.
func (g *grouper) due() time.Time {
	if g.open == nil {
		return time.Time{}
	}
	switch g.open.kind {
	case trajectory.Type:
		return g.last.At.Add(typingPause)
	case trajectory.Scroll:
		return g.last.At.Add(scrollPause)
	}
	return g.last.At.Add(clickHold)
}

// expire gives the open action if nothing has come to it for so long that
// nothing will.
func (g *grouper) expire(now time.Time) []*action {
	// A click whose button is down again may become a double click.
	if due := g.due(); due.IsZero() || now.Before(due) || g.open.kind != trajectory.Type && len(g.presses) > 0 {
		return nil
	}
	return g.finish()
}

// The modifiers that are the same everywhere; which of the others is Alt or
// Super depends on the keyboard.
const (
	shiftMask   = 1 << 0
	lockMask    = 1 << 1
	controlMask = 1 << 2
	altMask     = 1 << 3 // on every keyboard that has been seen
	superMask   = 1 << 6 // likewise
)

// modifiersOf are the names of the modifiers that are held.
func modifiersOf(state uint16) (names []string) {
	for _, m := range []struct {
		mask uint16
		name string
	}{{altMask, "alt"}, {controlMask, "ctrl"}, {shiftMask, "shift"}, {superMask, "super"}} {
		if state&m.mask != 0 {
			names = append(names, m.name)
		}
	}
	return names
}
