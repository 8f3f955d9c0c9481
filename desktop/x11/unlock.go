package x11

import (
	"context"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// Unlock unlocks Caps Lock and all other modifiers; restore locks them again.
// What is latched for the next key, as sticky keys do, is dropped.
func (k *Keymap) Unlock(ctx context.Context) (restore func(context.Context) error, err error) {
	was, err := xconn.Do(ctx, k.d.conn, "asking for the keyboard's state", func() (lockState, error) {
		return k.xkb.state(k.d.conn.X)
	})
	if err != nil {
		return nil, err
	}
	if was.locked == 0 && was.latched == 0 {
		return func(context.Context) error { return nil }, nil
	}
	lock := func(ctx context.Context, locked byte) error {
		_, err := xconn.Do(ctx, k.d.conn, "unlocking the keyboard", func() (struct{}, error) {
			return struct{}{}, k.xkb.lock(k.d.conn.X, was.locked, locked)
		})
		return err
	}
	if err := lock(ctx, 0); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return lock(ctx, was.locked) }, nil
}
