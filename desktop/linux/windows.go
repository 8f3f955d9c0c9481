//go:build linux

package linux

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
)

// Windows implements desktop.Windows.
func (d *Desktop) Windows(ctx context.Context) ([]desktop.Window, error) {
	s, err := d.lookAtWindows(ctx)
	if err != nil {
		return nil, err
	}
	windows := make([]desktop.Window, 0, len(s.windows))
	for _, w := range s.windows {
		if !w.Minimised {
			windows = append(windows, w.port())
		}
	}
	return windows, nil
}

// FocusedWindow implements desktop.Windows.
func (d *Desktop) FocusedWindow(ctx context.Context) (*desktop.Window, error) {
	s, err := d.lookAtWindows(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range s.windows {
		if w.Focused {
			port := w.port()
			return &port, nil
		}
	}
	return nil, nil
}

// Raise implements desktop.Windows.
func (d *Desktop) Raise(ctx context.Context, w desktop.Window) error {
	return d.x.Raise(ctx, w.ID)
}
