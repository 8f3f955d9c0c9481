//go:build linux && cgo

package input

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-vgo/robotgo"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// burst is how many characters are typed before the server is waited for.
const burst = 64

// key is one key to press: by robotgo's name where it has one for sure, by
// keycode otherwise.
type key struct {
	code  byte
	robot string
}

// Type types the text exactly, whatever the layout. Caps Lock is off
// meanwhile. Line feeds are Return, tabs Tab; an error, before anything is
// typed, where the text has other control characters.
func (in *Input) Type(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	strokes, more, err := in.keys.Strokes(ctx, text)
	if err != nil {
		return err
	}
	unlock, err := in.capsOff(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for {
		if err := in.strike(ctx, strokes); err != nil {
			return err
		}
		if text = text[more:]; text == "" {
			return nil
		}
		if strokes, more, err = in.keys.Strokes(ctx, text); err != nil {
			return err
		}
		if len(strokes) == 0 {
			return fmt.Errorf("no key can be lent to %q", []rune(text)[0])
		}
	}
}

// strike makes the strokes, holding modifiers over all neighbours that need
// them, and returns when the server has them all.
func (in *Input) strike(ctx context.Context, strokes []Stroke) (err error) {
	var held []byte
	defer func() {
		for _, m := range held {
			in.fake(m, false)
		}
		ctx, cancel := cleanUp(ctx)
		defer cancel()
		if sync := in.conn.Sync(ctx); err == nil {
			err = sync
		}
	}()
	for i, s := range strokes {
		if i%burst == burst-1 {
			if err := in.conn.Sync(ctx); err != nil {
				return err
			}
		}
		held = slices.DeleteFunc(held, func(m byte) bool {
			if slices.Contains(s.Modifiers, m) {
				return false
			}
			in.fake(m, false)
			return true
		})
		for _, m := range s.Modifiers {
			if !slices.Contains(held, m) {
				in.fake(m, true)
				held = append(held, m)
			}
		}
		in.fake(s.Code, true)
		in.fake(s.Code, false)
	}
	return ctx.Err()
}

// capsOff switches Caps Lock off where it is on; the function switches it on
// again.
func (in *Input) capsOff(ctx context.Context) (restore func(), err error) {
	state, err := xconn.Do(ctx, in.conn, "asking for the modifiers", func() (*xproto.QueryPointerReply, error) {
		return xproto.QueryPointer(in.conn.X, in.conn.Root).Reply()
	})
	if err != nil {
		return nil, err
	}
	if state.Mask&xproto.ModMaskLock == 0 {
		return func() {}, nil
	}
	caps, ok, err := in.keys.Key(ctx, "Caps_Lock")
	if err != nil || !ok {
		return func() {}, err
	}
	tap := func() {
		in.fake(caps.Code, true)
		in.fake(caps.Code, false)
	}
	tap()
	return tap, nil
}

// Chord presses the modifiers, then the key, and releases all of them, also
// where ctx ends. A capital letter with modifiers means the letter's key.
func (in *Input) Chord(ctx context.Context, name string, modifiers ...string) error {
	return in.press(ctx, chordKey(name, modifiers), modifiers, 0)
}

// Hold keeps a key down for the given time, or until ctx ends.
func (in *Input) Hold(ctx context.Context, name string, d time.Duration) error {
	return in.press(ctx, name, nil, d)
}

func (in *Input) press(ctx context.Context, name string, modifiers []string, d time.Duration) (err error) {
	keys, err := in.find(ctx, name, modifiers)
	if err != nil {
		return err
	}
	var down []key
	defer func() {
		ctx, cancel := cleanUp(ctx)
		defer cancel()
		for _, k := range slices.Backward(down) {
			if up := in.toggle(ctx, k, false); err == nil {
				err = up
			}
		}
	}()
	for _, k := range keys {
		down = append(down, k)
		if err := in.toggle(ctx, k, true); err != nil {
			return err
		}
	}
	if d > 0 {
		return pause(ctx, d)
	}
	return nil
}

// find gives the keys of a chord in the order in which they go down.
// *desktop.UnknownKeyError names all that are not known.
func (in *Input) find(ctx context.Context, name string, modifiers []string) ([]key, error) {
	var keys []key
	var unknown []string
	add := func(k key) {
		if !slices.ContainsFunc(keys, func(o key) bool { return o.code == k.code }) {
			keys = append(keys, k)
		}
	}
	for _, n := range append(slices.Clone(modifiers), name) {
		sym := keysymName(n)
		stroke, ok, err := in.keys.Key(ctx, sym)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			unknown = append(unknown, n)
			continue
		}
		for _, m := range stroke.Modifiers {
			add(key{code: m})
		}
		add(key{code: stroke.Code, robot: robotOf[sym]})
	}
	if len(unknown) > 0 {
		return nil, &desktop.UnknownKeyError{Keys: unknown}
	}
	return keys, nil
}

// toggle presses or releases the key and returns when the server has it.
func (in *Input) toggle(ctx context.Context, k key, down bool) error {
	if k.robot == "" {
		in.fake(k.code, down)
		return in.conn.Sync(ctx)
	}
	direction := "up"
	if down {
		direction = "down"
	}
	var pressed error
	if err := in.do(ctx, func() { pressed = robotgo.KeyToggle(k.robot, direction) }); err != nil {
		return err
	}
	return pressed
}
