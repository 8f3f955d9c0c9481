//go:build linux

package linux

import (
	"context"
	"errors"

	"github.com/opendesk/opendesk/desktop"
)

// ReadClipboard implements desktop.Clipboard.
func (d *Desktop) ReadClipboard(ctx context.Context) (string, error) {
	text, err := d.x.ReadClipboard(ctx)
	var silent *desktop.ClipboardOwnerError
	if !errors.As(err, &silent) {
		return text, err
	}
	named := *silent
	if pid, err := d.x.ClipboardOwner(ctx); err == nil && pid != 0 {
		named.Owner, _ = d.programs.names(pid)
	}
	return "", &named
}

// WriteClipboard implements desktop.Clipboard.
func (d *Desktop) WriteClipboard(ctx context.Context, text string) error {
	if d.options.KeepClipboard != nil {
		return d.options.KeepClipboard(ctx, text)
	}
	return d.x.WriteClipboard(ctx, text)
}
