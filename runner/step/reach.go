package step

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/wait"
)

// errUnreached says that the pointer cannot act on the element as things are,
// errCovered that something is in front of it. Nothing was done.
var (
	errUnreached = errors.New("out of the pointer's reach")
	errCovered   = fmt.Errorf("covered: %w", errUnreached)
)

func unreached(e *desktop.Element, format string, args ...any) error {
	err := refused("[%s] '%s' "+format, append([]any{e.RawRole, resolve.Title(e)}, args...)...)
	err.Err = errUnreached
	return err
}

func covered(e *desktop.Element, at desktop.Point, by string) error {
	err := refused("[%s] '%s' at (%d,%d) is covered by %s", e.RawRole, resolve.Title(e), at.X, at.Y, by)
	err.Err = errCovered
	return err
}

// clickAt clicks the middle of the element with the pointer, unless something
// else is there.
func (env *Env) clickAt(ctx context.Context, e *desktop.Element, b desktop.Button, count int) error {
	at, _, err := env.reach(ctx, e)
	if err != nil {
		return err
	}
	return env.clickPoint(ctx, e, at, b, count)
}

// clickPoint clicks the element at the point that reach gave.
func (env *Env) clickPoint(ctx context.Context, e *desktop.Element, at desktop.Point, b desktop.Button, count int) error {
	if err := env.pointTo(ctx, e, at); err != nil {
		return err
	}
	return env.Desktop.Click(ctx, b, count)
}

// pointTo moves the pointer to the point of the element, and makes sure that
// the element is still there once the application has noticed the pointer: of
// a window that has just come, an application may have told a place that the
// window manager or its own layout changed meanwhile.
func (env *Env) pointTo(ctx context.Context, e *desktop.Element, at desktop.Point) error {
	if err := env.Desktop.Move(ctx, at); err != nil || isMenu(e) {
		return err
	}
	seen, known, err := resolve.Finder{Desktop: env.Desktop}.Clip(ctx, e)
	switch {
	case err != nil:
		return err
	case e.Gone:
		return unreached(e, "went away")
	case known && !seen.Contains(at):
		return unreached(e, "is moving: it is not at (%d,%d) any more", at.X, at.Y)
	}
	c, err := env.coverAt(ctx, at, e)
	if err == nil && c.elsewhere {
		err = elsewhere(e, at)
	}
	return err
}

func elsewhere(e *desktop.Element, at desktop.Point) error {
	return unreached(e, "is told to be at (%d,%d), where its window is not", at.X, at.Y)
}

// reach gives the point at which a pointer acts on the element: the middle of
// what can be seen of it, scrolled into view where the toolkit can, with its
// window in front there. sure says that the toolkit itself has the element at
// that point. It is an error that names what covers it where it cannot be
// reached (errUnreached).
func (env *Env) reach(ctx context.Context, e *desktop.Element) (at desktop.Point, sure bool, err error) {
	seen, err := env.inView(ctx, e)
	if err != nil {
		return at, false, err
	}
	screen, err := env.Desktop.Size(ctx)
	if err != nil {
		return at, false, err
	}
	if seen = resolve.Overlap(seen, screen); seen.Empty() {
		return at, false, unreached(e, "is outside the screen (%d×%d)", screen.Width, screen.Height)
	}
	at = seen.Centre()
	c, err := env.coverAt(ctx, at, e)
	if err != nil {
		return at, false, err
	}
	if c.cover != nil && c.own != nil {
		if err := env.Desktop.Raise(ctx, *c.own); environmental(err) {
			return at, false, err
		}
		if c, err = env.coverAt(ctx, at, e); err != nil {
			return at, false, err
		}
	}
	if c.elsewhere {
		return at, false, elsewhere(e, at)
	}
	if c.cover != nil {
		return at, false, covered(e, at, fmt.Sprintf("window '%s' of %s", c.cover.Title, c.cover.App.Display()))
	}
	if isMenu(e) && !e.States.Has(desktop.Showing) && !c.popup {
		return at, false, unreached(e, "is in a menu that is closed") // its box is that of the last time
	}
	if !c.front {
		return at, false, nil
	}
	hit, err := env.Desktop.HitTest(ctx, e, at)
	switch {
	case err != nil && environmental(err):
		return at, false, err
	case err != nil || hit == nil:
		return at, false, nil
	case within(hit, e):
		return at, true, nil
	case within(e, hit):
		return at, false, nil // what holds the element reports itself
	}
	return at, false, covered(e, at, fmt.Sprintf("[%s] '%s'", hit.RawRole, resolve.Title(hit)))
}

// within reports whether the element is the other or below it.
func within(e, other *desktop.Element) bool {
	for at := e; at != nil; at = at.Parent {
		if at == other {
			return true
		}
	}
	return false
}

// scrollTime is how long scrolling may take to be told.
const scrollTime = time.Second

// inView gives the part of the element's box that can be seen, after scrolling
// it into view where that is needed.
func (env *Env) inView(ctx context.Context, e *desktop.Element) (desktop.Rect, error) {
	finder := resolve.Finder{Desktop: env.Desktop}
	seen, known, err := finder.Clip(ctx, e)
	switch {
	case err != nil:
		return desktop.Rect{}, err
	case e.Gone:
		return desktop.Rect{}, unreached(e, "went away")
	case known && !seen.Empty():
		return seen, nil
	}
	scrolled := env.Desktop.ScrollTo(ctx, e)
	if environmental(scrolled) {
		return desktop.Rect{}, scrolled
	}
	if scrolled != nil && known {
		if scrolled, err = env.wheelTo(ctx, e); err != nil {
			return desktop.Rect{}, err
		}
	}
	if scrolled == nil {
		_, _, err = wait.Until(ctx, env.Desktop.Changes(), env.scaled(scrollTime), func(ctx context.Context) (bool, error) {
			var err error
			seen, known, err = finder.Clip(ctx, e)
			return known && !seen.Empty(), err
		})
		if err != nil {
			return desktop.Rect{}, err
		}
	}
	switch {
	case !known:
		return desktop.Rect{}, unreached(e, "has no place on the screen")
	case seen.Empty():
		return desktop.Rect{}, unreached(e, "is scrolled out of view")
	}
	return seen, nil
}

// maxTurns bounds how often the wheel is turned for one element.
const maxTurns = 100

var errNoWheel = errors.New("the wheel does not bring it into view")

// wheelTo turns the wheel over the list, tree or table that the element is an
// entry of, until the entry is in view. Elsewhere it does nothing: over a form
// the wheel would change values. scrolled is nil where it is in view.
func (env *Env) wheelTo(ctx context.Context, e *desktop.Element) (scrolled, err error) {
	view := e.Parent
	for view != nil && !hasRole("list", "tree", "table")(view) {
		view = view.Parent
	}
	if view == nil || inPopup(view) {
		return errNoWheel, nil
	}
	finder := resolve.Finder{Desktop: env.Desktop}
	over, _, err := env.reach(ctx, view)
	if errors.Is(err, errUnreached) {
		return errNoWheel, nil
	} else if err != nil {
		return nil, err
	}
	if err := env.Desktop.Move(ctx, over); err != nil {
		return nil, err
	}
	for range maxTurns {
		before := e.Bounds
		direction := desktop.Down
		if before.Centre().Y < over.Y {
			direction = desktop.Up
		}
		if err := env.Desktop.Scroll(ctx, direction, 1); err != nil {
			return nil, err
		}
		var seen desktop.Rect
		var known bool
		moved, _, err := wait.Until(ctx, env.Desktop.Changes(), env.scaled(scrollTime), func(ctx context.Context) (bool, error) {
			var err error
			seen, known, err = finder.Clip(ctx, e)
			return !known || e.Bounds != before, err
		})
		switch {
		case err != nil:
			return nil, err
		case !moved || !known:
			return errNoWheel, nil
		case !seen.Empty():
			return nil, nil
		}
	}
	return errNoWheel, nil
}
