//go:build linux && cgo

package record

import (
	"context"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// keyboard says what keys mean. It belongs to one goroutine.
type keyboard struct {
	conn     *xconn.Conn
	changed  atomic.Bool // the layout is another one
	meanings *x11.Meanings
	composer *composer
}

func openKeyboard(ctx context.Context, display, locale string) (*keyboard, error) {
	k := &keyboard{}
	conn, err := xconn.Dial(ctx, display, func(_ *xconn.Conn, event xgb.Event) {
		if _, is := event.(xproto.MappingNotifyEvent); is {
			k.changed.Store(true)
		}
	})
	if err != nil {
		return nil, err
	}
	k.conn = conn
	if k.meanings, err = x11.ReadMeanings(ctx, conn); err != nil {
		conn.Close()
		return nil, err
	}
	if k.composer, err = openComposer(locale); err != nil {
		conn.Close()
		return nil, err
	}
	return k, nil
}

func (k *keyboard) close() {
	k.composer.close()
	k.conn.Close()
}

// The keysyms that matter by their numbers.
const (
	symTab         = 0xff09
	symLeftTab     = 0xfe20
	symFirstGroup  = 0xfe01 // ISO_Lock, ISO_Level3_Shift, …
	symLastGroup   = 0xfe13
	symFirstShift  = 0xffe1 // Shift_L, …, Hyper_R
	symLastShift   = 0xffee
	symModeSwitch  = 0xff7e
	symNumLock     = 0xff7f
	symMulti       = 0xff20
	symPointerLow  = 0xfee0 // Pointer_Left, …
	symPointerHigh = 0xfef9
)

// isModifier reports whether the key only changes what others mean.
func isModifier(sym uint32) bool {
	return sym >= symFirstShift && sym <= symLastShift || sym >= symFirstGroup && sym <= symLastGroup ||
		sym == symModeSwitch || sym == symNumLock || sym >= symPointerLow && sym <= symPointerHigh
}

// stroke says what a key that went down means. The layout is read again where
// the server has said that it changed.
func (k *keyboard) stroke(ctx context.Context, in Input) Stroke {
	if err := k.conn.Sync(ctx); err == nil && k.changed.Swap(false) {
		if m, err := x11.ReadMeanings(ctx, k.conn); err == nil {
			k.meanings = m
		}
	}
	keysym, capitals := k.meanings.Keysym(in.Code, in.State)
	sym := uint32(keysym)
	if sym == 0 || isModifier(sym) {
		return Stroke{}
	}
	held := modifiersOf(in.State)
	if in.State&(controlMask|altMask|superMask) != 0 {
		k.composer.reset()
		return Stroke{Key: keyName(uint32(k.meanings.Bare(in.Code, in.State))), Modifiers: held}
	}
	if text, swallowed := k.composer.feed(sym); swallowed {
		return Stroke{Text: text}
	}
	if sym == symLeftTab {
		sym = symTab
	}
	text := textOf(sym)
	if capitals {
		text = strings.ToUpper(text)
	}
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return Stroke{Key: keyName(sym), Modifiers: held}
	}
	return Stroke{Text: text}
}

// keyName is a character, or the name of a key that makes none.
func keyName(sym uint32) string {
	text := textOf(sym)
	if text == "" || text == " " || strings.ContainsFunc(text, unicode.IsControl) || sym >= 0xff00 && sym < 0x10000 {
		return programKey(nameOf(sym))
	}
	return text
}
