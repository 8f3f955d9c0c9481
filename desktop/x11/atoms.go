package x11

import "github.com/jezek/xgb/xproto"

// atomIdentity is the root property that says whose X server it is.
const atomIdentity = "_OPENDESK_SESSION"

// atomNudge is the type of the message that keeps the window manager awake.
const atomNudge = "_OPENDESK_NUDGE"

var atomNames = []string{
	atomIdentity, atomNudge, atomLedger, atomLender,
	"UTF8_STRING", "COMPOUND_TEXT", "WM_PROTOCOLS", "WM_DELETE_WINDOW", "WM_STATE", "_GTK_FRAME_EXTENTS",
	"_NET_SUPPORTED", "_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING",
	"_NET_ACTIVE_WINDOW", "_NET_CLOSE_WINDOW", "_NET_REQUEST_FRAME_EXTENTS", "_NET_FRAME_EXTENTS",
	"_NET_WM_NAME", "_NET_WM_PID", "_NET_WM_PING", "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN",
	"_NET_WM_WINDOW_TYPE",
	"_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_TOOLBAR",
	"_NET_WM_WINDOW_TYPE_MENU", "_NET_WM_WINDOW_TYPE_UTILITY", "_NET_WM_WINDOW_TYPE_SPLASH",
	"_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU", "_NET_WM_WINDOW_TYPE_POPUP_MENU",
	"_NET_WM_WINDOW_TYPE_TOOLTIP", "_NET_WM_WINDOW_TYPE_NOTIFICATION", "_NET_WM_WINDOW_TYPE_COMBO",
	"_NET_WM_WINDOW_TYPE_DND", "_NET_WM_WINDOW_TYPE_NORMAL",
}

// maxProperty bounds what is read of one property, in units of four bytes.
const maxProperty = 64 << 10

// property asks for a whole property. It must be called inside xconn.Do.
func (d *Display) property(w xproto.Window, name string) xproto.GetPropertyCookie {
	return xproto.GetProperty(d.conn.X, false, w, d.conn.Known(name), xproto.GetPropertyTypeAny, 0, maxProperty)
}

// send sends a client message about w to destination.
func (d *Display) send(destination, w xproto.Window, message string, mask uint32, data ...uint32) {
	data = append(data, make([]uint32, 5-len(data))...)
	event := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: d.conn.Known(message),
		Data: xproto.ClientMessageDataUnionData32New(data),
	}
	xproto.SendEvent(d.conn.X, false, destination, mask, string(event.Bytes()))
}

// tellWM sends a client message about w to the window manager.
func (d *Display) tellWM(w xproto.Window, message string, data ...uint32) {
	d.send(d.conn.Root, w, message,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, data...)
}

// cardinals are the 32-bit values of a property's reply.
func cardinals(reply *xproto.GetPropertyReply, err error) []uint32 {
	if err != nil || reply == nil || reply.Format != 32 {
		return nil
	}
	values := make([]uint32, 0, reply.ValueLen)
	for b := reply.Value; len(b) >= 4; b = b[4:] {
		values = append(values, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)
	}
	return values
}
