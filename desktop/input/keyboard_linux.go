//go:build linux && cgo

package input

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// burst is how many characters are typed before the server is waited for.
const burst = 64

// Type types the text exactly, whatever the layout, and returns when the
// focused application has taken it. Caps Lock and the like are off meanwhile. Line feeds are Return, tabs Tab; an error, before anything is
// typed, where the text has other control characters.
func (in *Input) Type(ctx context.Context, text string) (err error) {
	if text == "" {
		return nil
	}
	restore, err := in.keys.Unlock(ctx)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := cleanUp(ctx)
		defer cancel()
		if failed := restore(ctx); err == nil {
			err = failed
		}
	}()
	for text != "" {
		strokes, more, err := in.keys.Strokes(ctx, text)
		if err != nil {
			return err
		}
		if len(strokes) == 0 {
			return fmt.Errorf("no key can be lent to %q", []rune(text)[0])
		}
		if err := in.strike(ctx, strokes); err != nil {
			return err
		}
		text = text[more:]
	}
	return in.keys.Taken(ctx)
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

// Chord presses the modifiers, then the key, and releases all of them, also
// where ctx ends. A capital letter with modifiers means the letter's key.
func (in *Input) Chord(ctx context.Context, name string, modifiers ...string) error {
	return in.press(ctx, chordKey(name, modifiers), modifiers, 0)
}

// Hold keeps a key down for the given time, or until ctx ends.
func (in *Input) Hold(ctx context.Context, name string, d time.Duration) error {
	return in.press(ctx, name, nil, d)
}

// press presses the keys and releases them after d. Without d the release is
// sent at once: the server repeats a key that is down for long, and a process
// that must wait for its turn would release it too late.
func (in *Input) press(ctx context.Context, name string, modifiers []string, d time.Duration) (err error) {
	codes, err := in.find(ctx, name, modifiers)
	if err != nil {
		return err
	}
	defer func() {
		for _, code := range slices.Backward(codes) {
			in.fake(code, false)
		}
		ctx, cancel := cleanUp(ctx)
		defer cancel()
		if sync := in.conn.Sync(ctx); err == nil {
			err = sync
		}
	}()
	for _, code := range codes {
		in.fake(code, true)
	}
	if d <= 0 {
		return nil
	}
	if err := in.conn.Sync(ctx); err != nil {
		return err
	}
	return pause(ctx, d)
}

// find gives the keycodes of a chord in the order in which they go down.
// *desktop.UnknownKeyError names all that are not known.
func (in *Input) find(ctx context.Context, name string, modifiers []string) ([]byte, error) {
	var codes []byte
	var unknown []string
	for _, n := range append(slices.Clone(modifiers), name) {
		stroke, ok, err := in.keys.Key(ctx, n)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			unknown = append(unknown, n)
			continue
		}
		for _, code := range slices.Concat(stroke.Modifiers, []byte{stroke.Code}) {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	if len(unknown) > 0 {
		return nil, &desktop.UnknownKeyError{Keys: unknown}
	}
	return codes, nil
}
