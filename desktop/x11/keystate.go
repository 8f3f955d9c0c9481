package x11

import (
	"context"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// KeyState is which keys and buttons are down and what is locked.
type KeyState struct {
	// Keys has one bit a keycode, as the protocol has them.
	Keys []byte `json:"keys"`
	// Buttons has one bit a button, from the first on.
	Buttons byte `json:"buttons"`
	// Locked are modifiers, Group is the layout that is in effect, from 0.
	Locked byte `json:"locked"`
	Group  byte `json:"group"`
}

// keyState must be called inside xconn.Do.
func (d *Display) keyState(k xkb) (KeyState, error) {
	keys := xproto.QueryKeymap(d.conn.X)
	pointer := xproto.QueryPointer(d.conn.X, d.conn.Root)
	locks, err := k.state(d.conn.X)
	if err != nil {
		return KeyState{}, err
	}
	down, err := keys.Reply()
	if err != nil {
		return KeyState{}, err
	}
	at, err := pointer.Reply()
	if err != nil {
		return KeyState{}, err
	}
	return KeyState{Keys: down.Keys, Buttons: byte(at.Mask >> 8 & 0x1f), Locked: locks.locked, Group: locks.group}, nil
}

// putBackKeys releases what is down and was not, locks what was locked, and
// gives up the keys that a process that has gone had lent.
func (d *Display) putBackKeys(ctx context.Context, was KeyState) error {
	if _, err := d.Keymap(ctx); err != nil { // this collects
		return err
	}
	_, err := xconn.Do(ctx, d.conn, "putting the keyboard back", func() (struct{}, error) {
		k, err := startXKB(d.conn.X)
		if err != nil {
			return struct{}{}, err
		}
		now, err := d.keyState(k)
		if err != nil {
			return struct{}{}, err
		}
		if err := d.release(was, now); err != nil {
			return struct{}{}, err
		}
		if now.Locked == was.Locked && now.Group == was.Group {
			return struct{}{}, nil
		}
		const latchGroup, every = 1, 0xff
		return struct{}{}, k.tell(d.conn.X, xkbLatchLockState,
			coreKeyboard&0xff, coreKeyboard>>8, every, was.Locked,
			1, was.Group, every, 0,
			0, latchGroup, 0, 0)
	})
	return err
}

// release releases the keys and buttons that are down now and were not.
func (d *Display) release(was, now KeyState) error {
	tests := false
	up := func(kind, detail byte) error {
		if !tests {
			if err := xtest.Init(d.conn.X); err != nil {
				return err
			}
			tests = true
		}
		return xtest.FakeInputChecked(d.conn.X, kind, detail, 0, 0, 0, 0, 0).Check()
	}
	for i, b := range now.Keys {
		if i < len(was.Keys) {
			b &^= was.Keys[i]
		}
		for bit := range 8 {
			if b&(1<<bit) != 0 {
				if err := up(xproto.KeyRelease, byte(i*8+bit)); err != nil {
					return err
				}
			}
		}
	}
	for button := range byte(5) {
		if now.Buttons&^was.Buttons&(1<<button) != 0 {
			if err := up(xproto.ButtonRelease, button+1); err != nil {
				return err
			}
		}
	}
	return nil
}
