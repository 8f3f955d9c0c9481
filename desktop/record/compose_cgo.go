//go:build linux && cgo

package record

/*
#cgo pkg-config: xkbcommon
#include <stdlib.h>
#include <xkbcommon/xkbcommon.h>
#include <xkbcommon/xkbcommon-compose.h>
*/
import "C"

import (
	"errors"
	"unsafe"
)

// composer makes characters of dead keys and of sequences that begin with the
// Compose key, as applications do: by the table of the locale. It belongs to
// one goroutine.
type composer struct {
	context *C.struct_xkb_context
	table   *C.struct_xkb_compose_table
	state   *C.struct_xkb_compose_state
}

// fallbackLocale has the table that toolkits bring along themselves.
const fallbackLocale = "en_US.UTF-8"

func openComposer(locale string) (*composer, error) {
	c := &composer{context: C.xkb_context_new(C.XKB_CONTEXT_NO_DEFAULT_INCLUDES | C.XKB_CONTEXT_NO_ENVIRONMENT_NAMES)}
	if c.context == nil {
		return nil, errors.New("libxkbcommon gives no context")
	}
	for _, name := range []string{locale, fallbackLocale} {
		text := C.CString(name)
		c.table = C.xkb_compose_table_new_from_locale(c.context, text, C.XKB_COMPOSE_COMPILE_NO_FLAGS)
		C.free(unsafe.Pointer(text))
		if c.table != nil {
			break
		}
	}
	if c.table != nil { // without one, dead keys make nothing here
		c.state = C.xkb_compose_state_new(c.table, C.XKB_COMPOSE_STATE_NO_FLAGS)
	}
	return c, nil
}

func (c *composer) close() {
	C.xkb_compose_state_unref(c.state)
	C.xkb_compose_table_unref(c.table)
	C.xkb_context_unref(c.context)
}

// feed takes the next keysym. swallowed says that the key makes nothing by
// itself; text is what it completes.
func (c *composer) feed(sym uint32) (text string, swallowed bool) {
	if c.state == nil {
		return "", false
	}
	C.xkb_compose_state_feed(c.state, C.xkb_keysym_t(sym))
	switch C.xkb_compose_state_get_status(c.state) {
	case C.XKB_COMPOSE_COMPOSING:
		return "", true
	case C.XKB_COMPOSE_CANCELLED:
		c.reset()
		return "", true
	case C.XKB_COMPOSE_COMPOSED:
		var buffer [64]C.char
		n := C.xkb_compose_state_get_utf8(c.state, &buffer[0], C.size_t(len(buffer)))
		c.reset()
		return C.GoStringN(&buffer[0], min(n, C.int(len(buffer)-1))), true
	}
	return "", false
}

// reset forgets what has been begun.
func (c *composer) reset() {
	if c.state != nil {
		C.xkb_compose_state_reset(c.state)
	}
}

// textOf is the characters of a keysym, control characters among them.
func textOf(sym uint32) string {
	var buffer [8]C.char
	n := C.xkb_keysym_to_utf8(C.xkb_keysym_t(sym), &buffer[0], C.size_t(len(buffer)))
	if n <= 1 {
		return ""
	}
	return C.GoStringN(&buffer[0], n-1)
}

// nameOf is the name of a keysym.
func nameOf(sym uint32) string {
	var buffer [64]C.char
	n := C.xkb_keysym_get_name(C.xkb_keysym_t(sym), &buffer[0], C.size_t(len(buffer)))
	if n <= 0 || int(n) >= len(buffer) {
		return ""
	}
	return C.GoStringN(&buffer[0], n)
}
