package x11

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// Insets are distances from a window's four edges, in pixels.
type Insets struct{ Left, Right, Top, Bottom int }

// Window is a top-level window with what X alone knows of it.
type Window struct {
	desktop.Window
	// FrameExtents is the width of the shadow that the application draws
	// around its own frame, within Bounds (_GTK_FRAME_EXTENTS).
	FrameExtents Insets
	// Type is the window's type in lower case: normal, dialog, popup_menu,
	// tooltip, …; "" where it says none.
	Type string
	// Transient is the window that it belongs to, 0 for none.
	Transient uint32
	// Minimised windows are not on the screen.
	Minimised bool
}

// Windows lists the visible top-level windows, front first: those that the
// window manager manages, and menus and tooltips, which it does not. Without
// a window manager these are the root window's children.
func (d *Display) Windows(ctx context.Context) ([]Window, error) {
	all, err := d.AllWindows(ctx)
	return slices.DeleteFunc(all, func(w Window) bool { return w.Minimised }), err
}

// AllWindows lists the windows that Windows lists and the minimised ones.
func (d *Display) AllWindows(ctx context.Context) ([]Window, error) {
	return xconn.Do(ctx, d.conn, "listing windows", func() ([]Window, error) {
		tops, err := d.topLevels()
		if err != nil {
			return nil, err
		}
		active, err := d.active()
		if err != nil {
			return nil, err
		}
		return d.describe(tops, active)
	})
}

// FocusedWindow is the window that has the input focus, nil for none.
func (d *Display) FocusedWindow(ctx context.Context) (*Window, error) {
	return xconn.Do(ctx, d.conn, "asking for the focused window", func() (*Window, error) {
		active, err := d.active()
		if err != nil || active == 0 {
			return nil, err
		}
		found, err := d.describe([]xproto.Window{active}, active)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		return &found[0], nil
	})
}

// topLevels lists the top-level windows, front first.
func (d *Display) topLevels() ([]xproto.Window, error) {
	x := d.conn.X
	listing := d.property(d.conn.Root, "_NET_CLIENT_LIST_STACKING")
	listing2 := d.property(d.conn.Root, "_NET_CLIENT_LIST")
	tree, err := xproto.QueryTree(x, d.conn.Root).Reply()
	if err != nil {
		return nil, err
	}
	managed := cardinals(listing.Reply())
	for _, id := range cardinals(listing2.Reply()) {
		if !slices.Contains(managed, id) {
			managed = append(managed, id)
		}
	}
	hasManager := d.supporting() != 0
	if !hasManager {
		managed = nil // left behind by one that has gone
	}
	frames, err := d.frames(managed)
	if err != nil {
		return nil, err
	}
	attributes := make([]xproto.GetWindowAttributesCookie, len(tree.Children))
	for i, child := range tree.Children {
		attributes[i] = xproto.GetWindowAttributes(x, child)
	}
	var tops []xproto.Window
	for i := len(tree.Children) - 1; i >= 0; i-- { // the last child is in front
		child := tree.Children[i]
		a, err := attributes[i].Reply()
		if err != nil {
			if gone(err) {
				continue
			}
			return nil, err
		}
		if id, ok := frames[child]; ok {
			tops = append(tops, id)
			continue
		}
		visible := a.MapState == xproto.MapStateViewable && a.Class == xproto.WindowClassInputOutput
		if visible && (a.OverrideRedirect || !hasManager) {
			tops = append(tops, child)
		}
	}
	return tops, nil
}

// frames finds for each window the child of the root window that holds it,
// level by level, and returns child → window.
func (d *Display) frames(windows []uint32) (map[xproto.Window]xproto.Window, error) {
	type climb struct{ id, at xproto.Window }
	climbing := make([]climb, 0, len(windows))
	for _, w := range windows {
		climbing = append(climbing, climb{xproto.Window(w), xproto.Window(w)})
	}
	frames := map[xproto.Window]xproto.Window{}
	for len(climbing) > 0 {
		cookies := make([]xproto.QueryTreeCookie, len(climbing))
		for i, c := range climbing {
			cookies[i] = xproto.QueryTree(d.conn.X, c.at)
		}
		var next []climb
		for i, c := range climbing {
			reply, err := cookies[i].Reply()
			switch {
			case err != nil && gone(err):
			case err != nil:
				return nil, err
			case reply.Parent == d.conn.Root:
				frames[c.at] = c.id
			case reply.Parent != 0:
				next = append(next, climb{c.id, reply.Parent})
			}
		}
		climbing = next
	}
	return frames, nil
}

// active is the window that has the focus: as the window manager has it, and
// without one by the input focus. 0 for none.
func (d *Display) active() (xproto.Window, error) {
	if d.supporting() != 0 {
		reply, err := d.property(d.conn.Root, "_NET_ACTIVE_WINDOW").Reply()
		if err != nil {
			return 0, err
		}
		if ids := cardinals(reply, nil); len(ids) > 0 {
			return xproto.Window(ids[0]), nil
		}
	}
	focus, err := xproto.GetInputFocus(d.conn.X).Reply()
	if err != nil {
		return 0, err
	}
	at := focus.Focus
	for at > xproto.InputFocusPointerRoot { // neither None nor PointerRoot
		tree, err := xproto.QueryTree(d.conn.X, at).Reply()
		if err != nil {
			if gone(err) {
				return 0, nil
			}
			return 0, err
		}
		if tree.Parent == d.conn.Root {
			return at, nil
		}
		at = tree.Parent
	}
	return 0, nil
}

// supporting is the window manager's own window, 0 where there is none.
func (d *Display) supporting() xproto.Window {
	ids := cardinals(d.property(d.conn.Root, "_NET_SUPPORTING_WM_CHECK").Reply())
	if len(ids) == 0 {
		return 0
	}
	own := cardinals(d.property(xproto.Window(ids[0]), "_NET_SUPPORTING_WM_CHECK").Reply())
	if len(own) == 0 || own[0] != ids[0] {
		return 0
	}
	return xproto.Window(ids[0])
}

// gone reports whether the error says that a window does not exist any more.
func gone(err error) bool {
	var window xproto.WindowError
	var drawable xproto.DrawableError
	return errors.As(err, &window) || errors.As(err, &drawable)
}

// text is a property's text, in the encoding that its type says.
func (d *Display) text(reply *xproto.GetPropertyReply, err error) string {
	switch {
	case err != nil || reply == nil:
		return ""
	case reply.Type == xproto.AtomString:
		return latin1(reply.Value)
	case reply.Type == d.conn.Known("COMPOUND_TEXT"):
		return compoundText(reply.Value)
	}
	return strings.ToValidUTF8(string(reply.Value), "\ufffd")
}

func latin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
