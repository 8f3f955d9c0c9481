package x11

import (
	"context"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// Neutral brings in the first of the keyboard's layouts, which is the one that
// strokes are looked up in, and unlocks Caps Lock and all other modifiers
// where locks says so. restore puts it all back.
func (k *Keymap) Neutral(ctx context.Context, locks bool) (restore func(context.Context) error, err error) {
	was, err := k.state(ctx)
	if err != nil {
		return nil, err
	}
	var affected byte
	if locks {
		affected = was.locked
	}
	if affected == 0 && was.group == 0 && was.latched == 0 {
		return func(context.Context) error { return nil }, nil
	}
	if err := k.lock(ctx, affected, 0, 0); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return k.lock(ctx, affected, affected, was.lockedGroup) }, nil
}

func (k *Keymap) state(ctx context.Context) (lockState, error) {
	return xconn.Do(ctx, k.d.conn, "asking for the keyboard's state", func() (lockState, error) {
		return k.xkb.state(k.d.conn.X)
	})
}

func (k *Keymap) lock(ctx context.Context, affected, locked, group byte) error {
	_, err := xconn.Do(ctx, k.d.conn, "unlocking the keyboard", func() (struct{}, error) {
		return struct{}{}, k.xkb.lock(k.d.conn.X, affected, locked, group)
	})
	return err
}

// start prepares the keymap for use: XKB, and what a process that was killed
// has left lent.
func (k *Keymap) start(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.xkb == 0 {
		x, err := xconn.Do(ctx, k.d.conn, "setting up XKEYBOARD", func() (xkb, error) { return startXKB(k.d.conn.X) })
		if err != nil {
			return err
		}
		k.xkb = x
		if err := k.collect(ctx); err != nil {
			return err
		}
	}
	return k.refresh(ctx)
}
