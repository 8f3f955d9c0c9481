package x11

import (
	"context"
	"errors"
	"slices"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// DisplayState is what of somebody's own display is put back after a run.
type DisplayState struct {
	// Windows are the top-level windows, front first, then the minimised ones.
	Windows []WindowState `json:"windows"`
	// Focused is the window that has the focus, 0 for none.
	Focused uint32        `json:"focused"`
	Pointer desktop.Point `json:"pointer"`
	// Workspace is the number of the current workspace, -1 where there are none.
	Workspace int      `json:"workspace"`
	Keys      KeyState `json:"keys"`
	// Selections are the clipboard and what is selected, by the selection's name.
	Selections map[string]Selection `json:"selections"`
}

// WindowState is one window of a DisplayState.
type WindowState struct {
	ID        uint32       `json:"id"`
	Bounds    desktop.Rect `json:"bounds"`
	Minimised bool         `json:"minimised"`
	// States are those of windowStates that the window manager says it is in.
	States []string `json:"states,omitempty"`
}

// windowStates are the states that change a window's place.
var windowStates = []string{"_NET_WM_STATE_FULLSCREEN", "_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ"}

// stateAtoms are what is needed beyond atomNames.
var stateAtoms = append([]string{"_NET_MOVERESIZE_WINDOW", "WM_CHANGE_STATE", "_NET_CURRENT_DESKTOP"}, windowStates...)

// selections are those that are put back.
var selections = []string{"CLIPBOARD", "PRIMARY"}

// Remember is the display's state. It changes nothing.
func (d *Display) Remember(ctx context.Context) (*DisplayState, error) {
	if err := d.conn.Intern(ctx, stateAtoms...); err != nil {
		return nil, err
	}
	s, err := d.remember(ctx)
	if err != nil {
		return nil, err
	}
	clip, err := d.clip(ctx)
	if err != nil {
		return nil, err
	}
	s.Selections = map[string]Selection{}
	for _, name := range selections {
		if s.Selections[name], err = clip.remember(ctx, name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// remember is the state without the selections.
func (d *Display) remember(ctx context.Context) (*DisplayState, error) {
	windows, err := d.AllWindows(ctx)
	if err != nil {
		return nil, err
	}
	s := &DisplayState{Workspace: -1}
	for _, w := range windows {
		if !closable(w) {
			continue
		}
		if w.Focused {
			s.Focused = w.ID
		}
		state := WindowState{ID: w.ID, Bounds: w.Bounds, Minimised: w.Minimised}
		if w.Minimised {
			state.Bounds = desktop.Rect{} // wherever the window manager keeps it
		}
		s.Windows = append(s.Windows, state)
	}
	// Those on the screen first: it is their order that is seen.
	slices.SortStableFunc(s.Windows, func(a, b WindowState) int {
		switch {
		case a.Minimised == b.Minimised:
			return 0
		case b.Minimised:
			return -1
		}
		return 1
	})
	_, err = xconn.Do(ctx, d.conn, "looking at the display", func() (struct{}, error) {
		for i := range s.Windows {
			s.Windows[i].States = d.states(s.Windows[i].ID)
		}
		if workspace := cardinals(d.property(d.conn.Root, "_NET_CURRENT_DESKTOP").Reply()); len(workspace) > 0 {
			s.Workspace = int(workspace[0])
		}
		pointer, err := xproto.QueryPointer(d.conn.X, d.conn.Root).Reply()
		if err != nil {
			return struct{}{}, err
		}
		s.Pointer = desktop.Point{X: int(pointer.RootX), Y: int(pointer.RootY)}
		k, err := startXKB(d.conn.X)
		if err == nil {
			s.Keys, err = d.keyState(k)
		}
		return struct{}{}, err
	})
	return s, err
}

// closable are the windows that count: no menus, and no parts of the desktop.
func closable(w Window) bool {
	switch w.Type {
	case "desktop", "dock", "notification", "tooltip", "dnd":
		return false
	}
	return !w.Override
}

// states are those of windowStates that the window is in.
func (d *Display) states(id uint32) (in []string) {
	have := cardinals(d.property(xproto.Window(id), "_NET_WM_STATE").Reply())
	for _, name := range windowStates {
		for _, atom := range have {
			if xproto.Atom(atom) == d.conn.Known(name) {
				in = append(in, name)
			}
		}
	}
	return in
}

// PutBack makes the display as it was: windows that are new are asked to close,
// the others get their place, order and focus back, the pointer, the keyboard
// and the selections what they were. The error says what could not be put back.
// hold is nil, or serves selections whose owners have lost them until somebody
// copies something else.
func (d *Display) PutBack(ctx context.Context, was *DisplayState) (hold func(context.Context), err error) {
	if err := d.conn.Intern(ctx, stateAtoms...); err != nil {
		return nil, err
	}
	errs := []error{
		d.closeNew(ctx, was),
		d.putBackKeys(ctx, was.Keys),
		d.putBackWindows(ctx, was),
	}
	clip, err := d.clip(ctx)
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	held := false
	for name, s := range was.Selections {
		kept, err := clip.putBack(ctx, name, s)
		held = held || kept
		errs = append(errs, err)
	}
	if held {
		hold = func(ctx context.Context) {
			d.conn.Close() // there is nothing more to watch
			clip.hold(ctx)
		}
	}
	return hold, errors.Join(errs...)
}

// putBack makes the selection what it was; kept says that it is served here.
func (c *clipboard) putBack(ctx context.Context, name string, was Selection) (kept bool, err error) {
	owner, err := c.selectionOwner(ctx, name)
	switch {
	case err != nil, uint32(owner) == was.Owner:
		return false, err
	case len(was.Parts) > 0:
		return true, c.keep(ctx, name, was)
	}
	_, err = xconn.Do(ctx, c.conn, "clearing a selection", func() (struct{}, error) {
		atom, err := c.conn.Atom(name)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, xproto.SetSelectionOwnerChecked(c.conn.X, 0, atom, xproto.TimeCurrentTime).Check()
	})
	return false, err
}
