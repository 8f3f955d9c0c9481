package x11

import (
	"context"
	"strings"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// Xwayland tells whether the server is one that shows its windows in a Wayland
// session: pointer, keys, pictures and windows of that are out of its reach.
func (d *Display) Xwayland(ctx context.Context) (bool, error) {
	return xconn.Do(ctx, d.conn, "asking what X server it is", func() (bool, error) {
		const name = "XWAYLAND"
		extension, err := xproto.QueryExtension(d.conn.X, uint16(len(name)), name).Reply()
		if err != nil {
			return false, err
		}
		if extension.Present {
			return true, nil
		}
		outputs, err := d.outputs()
		return isXwayland(outputs), err
	})
}

// isXwayland tells it by the names of the outputs: servers from before 2023
// have no extension of that name.
func isXwayland(outputs []string) bool {
	for _, name := range outputs {
		if strings.HasPrefix(name, "XWAYLAND") {
			return true
		}
	}
	return false
}

// outputs are the names of the screen's outputs, none where the server cannot
// tell.
func (d *Display) outputs() (names []string, err error) {
	if randr.Init(d.conn.X) != nil {
		return nil, nil
	}
	if _, err := randr.QueryVersion(d.conn.X, 1, 3).Reply(); err != nil {
		return nil, nil //nolint:nilerr // a server without it is none of those
	}
	screen, err := randr.GetScreenResourcesCurrent(d.conn.X, d.conn.Root).Reply()
	if err != nil {
		return nil, nil //nolint:nilerr // as above
	}
	for _, id := range screen.Outputs {
		output, err := randr.GetOutputInfo(d.conn.X, id, screen.ConfigTimestamp).Reply()
		if err != nil {
			return names, err
		}
		names = append(names, string(output.Name))
	}
	return names, nil
}
