package fake

import (
	"context"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// PointerAt implements desktop.Pointer.
func (d *Desktop) PointerAt(ctx context.Context) (p desktop.Point, err error) {
	err = d.call(ctx, "PointerAt", func() error { p = d.pointer; return nil })
	return p, err
}

// Move implements desktop.Pointer.
func (d *Desktop) Move(ctx context.Context, to desktop.Point) error {
	return d.call(ctx, "Move", func() error {
		if err := d.onScreen(to); err != nil {
			return err
		}
		d.pointer = to
		d.did("move to (%d,%d)", to.X, to.Y)
		return nil
	})
}

func (d *Desktop) onScreen(p desktop.Point) error {
	if !d.screen.Contains(p) {
		return &desktop.OffScreenError{Point: p, Screen: d.screen}
	}
	return nil
}

// Click implements desktop.Pointer: the window under the pointer comes to the
// front, and the deepest showing node there is pressed or shows its menu.
func (d *Desktop) Click(ctx context.Context, b desktop.Button, count int) error {
	return d.call(ctx, "Click", func() error {
		d.did("click %s %d at (%d,%d)", buttonNames[b], count, d.pointer.X, d.pointer.Y)
		w, n := d.hit(d.pointer)
		if w == nil {
			return nil
		}
		d.focus = w
		if n == nil || !d.states(n).Has(desktop.Enabled) {
			return nil
		}
		if d.states(n).Has(desktop.Focusable) {
			d.focused = n
		}
		switch b {
		case desktop.Left:
			for range count {
				run(n.OnPress)
			}
		case desktop.Right:
			run(n.OnMenu)
		}
		return nil
	})
}

var buttonNames = map[desktop.Button]string{desktop.Left: "left", desktop.Middle: "middle", desktop.Right: "right"}

// hit is the front window at the point and the deepest node of it there.
func (d *Desktop) hit(p desktop.Point) (*Window, *Node) {
	for _, w := range d.stack() {
		if w.Bounds.Contains(p) {
			return w, d.deepest(w.Nodes, p)
		}
	}
	return nil, nil
}

func (d *Desktop) deepest(nodes []*Node, p desktop.Point) *Node {
	var found *Node
	for _, n := range nodes {
		if !d.states(n).Has(desktop.Showing) {
			continue
		}
		if below := d.deepest(n.Children, p); below != nil {
			found = below
		} else if n.Bounds.Contains(p) {
			found = n
		}
	}
	return found
}

// ButtonDown implements desktop.Pointer.
func (d *Desktop) ButtonDown(ctx context.Context, b desktop.Button) error {
	return d.call(ctx, "ButtonDown", func() error { d.did("button down %s", buttonNames[b]); return nil })
}

// ButtonUp implements desktop.Pointer.
func (d *Desktop) ButtonUp(ctx context.Context, b desktop.Button) error {
	return d.call(ctx, "ButtonUp", func() error { d.did("button up %s", buttonNames[b]); return nil })
}

// Scroll implements desktop.Pointer.
func (d *Desktop) Scroll(ctx context.Context, dir desktop.Direction, clicks int) error {
	return d.call(ctx, "Scroll", func() error {
		d.did("scroll %s %d at (%d,%d)", dir, clicks, d.pointer.X, d.pointer.Y)
		return nil
	})
}

// Drag implements desktop.Pointer. It takes no time.
func (d *Desktop) Drag(ctx context.Context, from, to desktop.Point, duration time.Duration) error {
	return d.call(ctx, "Drag", func() error {
		for _, p := range []desktop.Point{from, to} {
			if err := d.onScreen(p); err != nil {
				return err
			}
		}
		d.pointer = to
		d.did("drag (%d,%d) to (%d,%d) in %d ms", from.X, from.Y, to.X, to.Y, duration.Milliseconds())
		return nil
	})
}

// Type implements desktop.Keyboard. An editable node with the focus gets the
// text at the end of its Text.
func (d *Desktop) Type(ctx context.Context, text string) error {
	return d.call(ctx, "Type", func() error {
		d.did("type %q", text)
		if d.focused != nil && d.states(d.focused).Has(desktop.Editable) {
			d.focused.Text += text
		}
		return nil
	})
}

// Chord implements desktop.Keyboard.
func (d *Desktop) Chord(ctx context.Context, key string, modifiers ...string) error {
	return d.call(ctx, "Chord", func() error {
		d.did("chord %s", strings.Join(append(modifiers[:len(modifiers):len(modifiers)], key), "+"))
		return nil
	})
}

// Hold implements desktop.Keyboard. It takes no time.
func (d *Desktop) Hold(ctx context.Context, key string, t time.Duration) error {
	return d.call(ctx, "Hold", func() error { d.did("hold %s %d ms", key, t.Milliseconds()); return nil })
}

// ReadClipboard implements desktop.Clipboard.
func (d *Desktop) ReadClipboard(ctx context.Context) (text string, err error) {
	err = d.call(ctx, "ReadClipboard", func() error { text = d.ClipboardText; return nil })
	return text, err
}

// WriteClipboard implements desktop.Clipboard.
func (d *Desktop) WriteClipboard(ctx context.Context, text string) error {
	return d.call(ctx, "WriteClipboard", func() error {
		d.ClipboardText = text
		d.did("write clipboard %q", text)
		return nil
	})
}
