package x11

import (
	"errors"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
)

// The few requests of the XKEYBOARD extension that are needed here; xgb has
// none of them. They must be made inside xconn.Do.

// xkb is the extension's major opcode.
type xkb byte

// Minor opcodes.
const (
	xkbUseExtension   = 0
	xkbGetState       = 4
	xkbLatchLockState = 5
)

// coreKeyboard names the keyboard that applications see.
const coreKeyboard = 0x100

func startXKB(x *xgb.Conn) (xkb, error) {
	const name = "XKEYBOARD"
	extension, err := xproto.QueryExtension(x, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	if !extension.Present {
		return 0, &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: errors.New("the X server has no " + name + " extension")}
	}
	k := xkb(extension.MajorOpcode)
	reply, err := k.ask(x, xkbUseExtension, 1, 0, 0, 0) // version 1.0
	if err == nil && (len(reply) < 2 || reply[1] == 0) {
		err = &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: errors.New("the X server does not speak version 1 of " + name)}
	}
	return k, err
}

// lockState is what is locked, as by Caps Lock, or latched, as by sticky keys.
type lockState struct {
	locked, latched byte // modifiers
	group           byte // the layout that is in effect, 0 for the first
}

func (k xkb) state(x *xgb.Conn) (lockState, error) {
	b, err := k.ask(x, xkbGetState, coreKeyboard&0xff, coreKeyboard>>8, 0, 0)
	if err != nil {
		return lockState{}, err
	}
	if len(b) < 13 {
		return lockState{}, errors.New("the X server's answer about the keyboard's state is too short")
	}
	return lockState{latched: b[10], locked: b[11], group: b[12]}, nil
}

// lock locks exactly those of the affected modifiers, and drops all latches.
func (k xkb) lock(x *xgb.Conn, affected, locked byte) error {
	const latchGroup, every = 1, 0xff
	return k.tell(x, xkbLatchLockState,
		coreKeyboard&0xff, coreKeyboard>>8, affected, locked,
		0, 0, every, 0,
		0, latchGroup, 0, 0)
}

// ask makes a request that has a reply. The data's length is a multiple of 4.
func (k xkb) ask(x *xgb.Conn, minor byte, data ...byte) ([]byte, error) {
	cookie := x.NewCookie(true, true)
	x.NewRequest(k.request(minor, data), cookie)
	return cookie.Reply()
}

// tell makes a request that has none and waits until it is done.
func (k xkb) tell(x *xgb.Conn, minor byte, data ...byte) error {
	cookie := x.NewCookie(true, false)
	x.NewRequest(k.request(minor, data), cookie)
	return cookie.Check()
}

func (k xkb) request(minor byte, data []byte) []byte {
	b := make([]byte, 4+len(data))
	b[0], b[1] = byte(k), minor
	xgb.Put16(b[2:], uint16(len(b)/4))
	copy(b[4:], data)
	return b
}
