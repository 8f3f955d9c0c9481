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
	timeout := env.scaled(s.ResolveTimeout)
	start := time.Now()
	m := &menuWalk{env: env, app: s.App(), path: s.MenuPath(), shown: map[int]map[string]bool{}}
	var acted error
	held, _, err := wait.Until(ctx, env.Desktop.Changes(), timeout, func(ctx context.Context) (bool, error) {
		item, err := m.advance(ctx)
		if item == nil || err != nil {
			return false, err
		}
		out.Found, out.Resolve = item, time.Since(start)
		acted = m.choose(ctx, item.Element, out)
		return !errors.Is(acted, errUnreached), nil
	})
	if !held {
		out.Resolve = time.Since(start)
	}
	switch {
	case err != nil:
		return err
	case held:
		return acted
	case acted == nil:
		acted = m.missing(timeout)
	}
	if err := m.closeAll(ctx); err != nil {
		return errors.Join(acted, err)
	}
	return acted
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
	// popups are the popup windows that there were before any was opened.
	popups map[uint32]bool
	// when is when the last menu was opened.
	when time.Time
	miss *resolve.Miss
	// missingAt is the part of the path that was not found last.
	missingAt int
}

// choose presses the item, and closes what stays open of the menus that were
// opened for it.
func (m *menuWalk) choose(ctx context.Context, item *desktop.Element, out *Outcome) error {
	open, err := m.openPopups(ctx)
	if err != nil {
		return err
	}
	if err := m.env.press(ctx, item, out); err != nil || len(open) == 0 {
		return err
	}
	return m.closePopups(ctx, open)
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
	var way []*desktop.Element
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
			if last == nil {
				return nil, nil
			}
			if m.opened >= i {
				return nil, m.openAgain(ctx, snap, way[i-1])
			}
			// From the first on, also where the tree has the inner ones: in
			// GTK an inner menu that opens alone leaves a grab behind.
			menu := way[m.opened]
			m.opened++
			m.shown[m.opened] = resolve.Shown(snap)
			return nil, m.open(ctx, menu)
		}
		last = found
		way = append(way, found.Element)
		scope = resolve.Below(snap, last.Element)
	}
	return last, nil
}

// open opens a menu on the way by the action for that, else as it is pressed.
func (m *menuWalk) open(ctx context.Context, menu *desktop.Element) error {
	if m.popups == nil {
		popups, err := m.env.popups(ctx)
		if err != nil {
			return err
		}
		m.popups = popups
	}
	m.when = time.Now()
	err := m.env.Desktop.Act(ctx, menu, desktop.ShowMenu)
	var unanswered *desktop.UnansweredError
	switch {
	case err == nil || errors.As(err, &unanswered):
		return nil
	case environmental(err):
		return err
	}
	err = m.env.press(ctx, menu, &Outcome{})
	if errors.Is(err, errUnreached) {
		m.opened-- // it is tried again
		return nil
	}
	return err
}

// openTime is how long a menu may take to open before it is opened again.
const openTime = 1500 * time.Millisecond

// openAgain opens the last menu once more where nothing came of it: a click
// that comes while another popover goes away is lost with it.
func (m *menuWalk) openAgain(ctx context.Context, snap *desktop.Snapshot, menu *desktop.Element) error {
	if !surelyMenu(menu) || time.Since(m.when) < m.env.scaled(openTime) || m.more(snap, m.opened) {
		return nil
	}
	popups, err := m.openPopups(ctx)
	if err != nil || len(popups) >= m.opened {
		return err
	}
	return m.open(ctx, menu)
}

// surelyMenu reports whether a click on the element can do nothing but open a
// menu. GTK 4's menu buttons hold the button to press.
func surelyMenu(e *desktop.Element) bool {
	return isMenu(e) || e.States.Has(desktop.HasPopup) || e.Parent != nil && e.Role == "button" && e.Parent.Role == "button"
}

// openPopups are the popup windows that came with the menus that were opened.
func (m *menuWalk) openPopups(ctx context.Context) (map[uint32]bool, error) {
	if m.popups == nil {
		return nil, nil
	}
	popups, err := m.env.popups(ctx)
	for id := range m.popups {
		delete(popups, id)
	}
	return popups, err
}

// escapeKey closes a menu.
const escapeKey = "Escape"

// closePopups waits until the popup windows have gone, and sends Escape to
// those that stay.
func (m *menuWalk) closePopups(ctx context.Context, open map[uint32]bool) error {
	for range m.opened {
		gone, err := m.gone(ctx, open)
		if err != nil || gone {
			return err
		}
		if err := m.env.Desktop.Chord(ctx, escapeKey); err != nil {
			return err
		}
	}
	_, err := m.gone(ctx, open)
	return err
}

func (m *menuWalk) gone(ctx context.Context, open map[uint32]bool) (bool, error) {
	held, _, err := wait.Until(ctx, m.env.Desktop.Changes(), m.env.scaled(popupTime), func(ctx context.Context) (bool, error) {
		now, err := m.env.popups(ctx)
		for id := range open {
			if now[id] {
				return false, err
			}
		}
		return true, err
	})
	return held, err
}

// closeAll closes the menus that were opened and are open still, so that the
// next look at the screen shows the app and not a forgotten menu. Nothing else
// gets the key.
func (m *menuWalk) closeAll(ctx context.Context) error {
	windows := false // whether the menus are windows of their own
	for range m.opened {
		popups, err := m.openPopups(ctx)
		if err != nil {
			return err
		}
		windows = windows || len(popups) > 0
		if len(popups) == 0 {
			if windows {
				return nil
			}
			more, err := m.showsMore(ctx)
			if err != nil || !more {
				return err
			}
		}
		if err := m.env.Desktop.Chord(ctx, escapeKey); err != nil {
			return err
		}
		if err := wait.Change(ctx, m.env.Desktop.Changes(), wait.Floor); err != nil {
			return err
		}
	}
	return nil
}

// showsMore reports whether there is more on the screen than before the first
// menu was opened: popovers of some toolkits are no windows of their own.
func (m *menuWalk) showsMore(ctx context.Context) (bool, error) {
	snap, err := m.env.Desktop.Snapshot(ctx, m.app, 0)
	if err != nil {
		return false, err
	}
	return m.more(snap, 1), nil
}

// more reports whether the snapshot shows what was not on the screen before
// the nth menu was opened.
func (m *menuWalk) more(snap *desktop.Snapshot, nth int) bool {
	for ref := range resolve.Shown(snap) {
		if !m.shown[nth][ref] {
			return true
		}
	}
	return false
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
