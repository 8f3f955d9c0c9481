package step

import (
	"context"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/runner/wait"
)

// popups are the menus and the like that are on the screen as windows of their
// own, by id.
func (env *Env) popups(ctx context.Context) (map[uint32]bool, error) {
	windows, err := env.Desktop.Windows(ctx)
	if err != nil {
		return nil, err
	}
	popups := map[uint32]bool{}
	for _, w := range windows {
		if w.Override && !w.Tooltip {
			popups[w.ID] = true
		}
	}
	return popups, nil
}

// popupTime is how long a menu may take to open or to close.
const popupTime = 500 * time.Millisecond

// opensPopup reports whether a click on the element opens a menu below it.
func opensPopup(e *desktop.Element) bool {
	if !isMenu(e) {
		return false
	}
	for _, child := range e.Children {
		if isMenu(child) {
			return true
		}
	}
	return false
}

// clickMenu clicks a menu with the pointer and waits until it is open: its
// items are not to be acted on while it opens.
func (env *Env) clickMenu(ctx context.Context, e *desktop.Element, at desktop.Point) error {
	before, err := env.popups(ctx)
	if err != nil {
		return err
	}
	if err := env.clickPoint(ctx, e, at, desktop.Left, 1); err != nil {
		return err
	}
	_, _, err = wait.Until(ctx, env.Desktop.Changes(), env.scaled(popupTime), func(ctx context.Context) (bool, error) {
		now, err := env.popups(ctx)
		for id := range now {
			if !before[id] {
				return true, err
			}
		}
		return false, err
	})
	return err
}
