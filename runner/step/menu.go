package step

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/wait"
)

// uiClickMenu chooses an item of a menu. Where the toolkit publishes the items
// of closed menus (GTK 3), the item's own action is called and nothing opens;
// elsewhere the menus on the way are opened one by one, and closed again when
// the item is missing.
func uiClickMenu(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	path := s.MenuPath()
	timeout := env.scaled(s.ResolveTimeout)
	start := time.Now()
	m := &menuWalk{env: env, app: s.App(), path: path, shown: map[int]map[string]bool{}}
	var item *resolve.Found
	held, _, err := wait.Until(ctx, env.Desktop.Changes(), timeout, func(ctx context.Context) (bool, error) {
		var err error
		item, err = m.advance(ctx)
		return item != nil, err
	})
	out.Resolve += time.Since(start)
	if err != nil {
		return err
	}
	if !held {
		return errors.Join(m.missing(timeout), m.closeAll(ctx))
	}
	out.Found = item
	return env.press(ctx, item.Element, out)
}

// menuWalk is the way through nested menus.
type menuWalk struct {
	env  *Env
	app  string
	path []string
	// opened counts the menus of the path that were opened.
	opened int
	// shown is what was on the screen before a menu was opened, by the place
	// in the path of what is looked for in it.
	shown map[int]map[string]bool
	miss  *resolve.Miss
	// missingAt is the part of the path that was not found last.
	missingAt int
}

// advance looks for the item, and opens the next menu on the way where the
// item is not published yet. It gives the item once it is there.
func (m *menuWalk) advance(ctx context.Context) (*resolve.Found, error) {
	snap, err := m.env.Desktop.Snapshot(ctx, m.app, 0)
	if err != nil {
		return nil, err
	}
	finder := resolve.Finder{Desktop: m.env.Desktop}
	scope := snap
	var last *resolve.Found
	for i, title := range m.path {
		found, miss, err := finder.InMenu(ctx, scope, m.app, title, i == 0)
		if err != nil {
			return nil, err
		}
		if found == nil && i > 0 {
			// Popovers and menus of some toolkits are not below their button.
			elsewhere := resolve.Finder{Desktop: m.env.Desktop, Among: resolve.Detached(last.Element, m.shown[i])}
			if found, miss, err = elsewhere.InMenu(ctx, snap, m.app, title, false); err != nil {
				return nil, err
			}
		}
		if found == nil {
			m.miss, m.missingAt = miss, i
			if last == nil || m.opened >= i {
				return nil, nil
			}
			m.opened = i
			m.shown[i] = resolve.Shown(snap)
			return nil, m.open(ctx, last.Element)
		}
		last = found
		scope = resolve.Below(snap, last.Element)
	}
	return last, nil
}

// open opens a menu on the way by its own action, else by the pointer.
func (m *menuWalk) open(ctx context.Context, menu *desktop.Element) error {
	for _, kind := range []desktop.ActionKind{desktop.ShowMenu, desktop.Press} {
		err := m.env.Desktop.Act(ctx, menu, kind)
		var none *desktop.NoActionError
		var unanswered *desktop.UnansweredError
		if err == nil || errors.As(err, &unanswered) {
			return nil
		}
		if !errors.As(err, &none) && environmental(err) {
			return err
		}
	}
	return m.env.clickAt(ctx, menu, desktop.Left, 1)
}

// closeAll closes the menus that were opened, so that the next look at the
// screen shows the app and not a forgotten menu.
func (m *menuWalk) closeAll(ctx context.Context) error {
	for range m.opened {
		if err := m.env.Desktop.Chord(ctx, "escape"); err != nil {
			return err
		}
	}
	return nil
}

func (m *menuWalk) missing(timeout time.Duration) *Error {
	target := program.Target{App: m.app, Role: "menu item", Title: m.path[m.missingAt]}
	e := notFound(target, timeout, m.miss)
	e.Kind = results.MenuItemNotFound
	e.Reason = fmt.Sprintf("target not found after %d ms: no menu item matching '%s'", timeout.Milliseconds(), strings.Join(m.path, " > "))
	if m.app != "" {
		e.Reason += " in " + m.app
	}
	if m.missingAt > 0 {
		e.Details = append(e.Details, fmt.Sprintf("found '%s', and nothing called '%s' below it",
			strings.Join(m.path[:m.missingAt], " > "), m.path[m.missingAt]))
	}
	return e
}
