package x11

import (
	"image"
	"strings"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
)

// asked holds one window's questions, all sent before the first answer is
// waited for.
type asked struct {
	id         xproto.Window
	attributes xproto.GetWindowAttributesCookie
	geometry   xproto.GetGeometryCookie
	origin     xproto.TranslateCoordinatesCookie
	netName    xproto.GetPropertyCookie
	name       xproto.GetPropertyCookie
	class      xproto.GetPropertyCookie
	pid        xproto.GetPropertyCookie
	kind       xproto.GetPropertyCookie
	state      xproto.GetPropertyCookie
	wmState    xproto.GetPropertyCookie
	transient  xproto.GetPropertyCookie
	extents    xproto.GetPropertyCookie
	client     *res.QueryClientIdsCookie
}

func (d *Display) ask(id xproto.Window) asked {
	x := d.conn.X
	a := asked{
		id:         id,
		attributes: xproto.GetWindowAttributes(x, id),
		geometry:   xproto.GetGeometry(x, xproto.Drawable(id)),
		origin:     xproto.TranslateCoordinates(x, id, d.conn.Root, 0, 0),
		netName:    d.property(id, "_NET_WM_NAME"),
		name:       xproto.GetProperty(x, false, id, xproto.AtomWmName, xproto.GetPropertyTypeAny, 0, maxProperty),
		class:      xproto.GetProperty(x, false, id, xproto.AtomWmClass, xproto.GetPropertyTypeAny, 0, maxProperty),
		transient:  xproto.GetProperty(x, false, id, xproto.AtomWmTransientFor, xproto.GetPropertyTypeAny, 0, 1),
		pid:        d.property(id, "_NET_WM_PID"),
		kind:       d.property(id, "_NET_WM_WINDOW_TYPE"),
		state:      d.property(id, "_NET_WM_STATE"),
		wmState:    d.property(id, "WM_STATE"),
		extents:    d.property(id, "_GTK_FRAME_EXTENTS"),
	}
	if d.hasRes {
		spec := res.ClientIdSpec{Client: uint32(id), Mask: res.ClientIdMaskLocalClientPID}
		c := res.QueryClientIds(x, 1, []res.ClientIdSpec{spec})
		a.client = &c
	}
	return a
}

// describe reads the windows' properties. Windows that have gone meanwhile
// are left out.
func (d *Display) describe(ids []xproto.Window, active xproto.Window) ([]Window, error) {
	root := xproto.GetGeometry(d.conn.X, xproto.Drawable(d.conn.Root))
	questions := make([]asked, len(ids))
	for i, id := range ids {
		questions[i] = d.ask(id)
	}
	size, err := root.Reply()
	if err != nil {
		return nil, err
	}
	screen := image.Rect(0, 0, int(size.Width), int(size.Height))
	windows := make([]Window, 0, len(ids))
	for _, q := range questions {
		w, err := d.answer(q)
		switch {
		case err != nil && gone(err):
			continue
		case err != nil:
			return nil, err
		}
		w.Focused = q.id == active
		if !w.Minimised && !w.mapped || w.Override && w.Bounds.Image().Intersect(screen).Empty() {
			continue // a helper window that nobody sees
		}
		windows = append(windows, w.Window)
	}
	return windows, nil
}

type answered struct {
	Window
	mapped bool
}

func (d *Display) answer(q asked) (answered, error) {
	var w answered
	attributes, err := q.attributes.Reply()
	if err != nil {
		return w, err
	}
	geometry, err := q.geometry.Reply()
	if err != nil {
		return w, err
	}
	origin, err := q.origin.Reply()
	if err != nil {
		return w, err
	}
	w.ID = uint32(q.id)
	w.Override = attributes.OverrideRedirect
	w.mapped = attributes.MapState == xproto.MapStateViewable
	w.Bounds = desktop.Rect{
		X: int(origin.DstX), Y: int(origin.DstY),
		Width: int(geometry.Width), Height: int(geometry.Height),
	}
	w.Title = d.text(q.netName.Reply())
	if name := d.text(q.name.Reply()); w.Title == "" {
		w.Title = name
	}
	w.App.Instance, w.App.Class = classOf(d.text(q.class.Reply()))
	if pid := cardinals(q.pid.Reply()); len(pid) > 0 {
		w.App.PID = int(pid[0])
	}
	if q.client != nil {
		if pid := clientPID(q.client.Reply()); w.App.PID == 0 {
			w.App.PID = pid
		}
	}
	for _, atom := range cardinals(q.kind.Reply()) {
		name, known := strings.CutPrefix(d.conn.NameOf(xproto.Atom(atom)), "_NET_WM_WINDOW_TYPE_")
		if known {
			w.Type = strings.ToLower(name)
			break // the first one known counts
		}
	}
	const iconic = 3
	if s := cardinals(q.wmState.Reply()); len(s) > 0 && s[0] == iconic {
		w.Minimised = true
	}
	for _, atom := range cardinals(q.state.Reply()) {
		if xproto.Atom(atom) == d.conn.Known("_NET_WM_STATE_HIDDEN") && !w.mapped {
			w.Minimised = true
		}
	}
	if t := cardinals(q.transient.Reply()); len(t) > 0 {
		w.Transient = t[0]
	}
	if e := cardinals(q.extents.Reply()); len(e) == 4 {
		w.FrameExtents = Insets{Left: int(e[0]), Right: int(e[1]), Top: int(e[2]), Bottom: int(e[3])}
	}
	return w, nil
}

// classOf splits a WM_CLASS property: instance, NUL, class, NUL.
func classOf(property string) (instance, class string) {
	instance, rest, _ := strings.Cut(property, "\x00")
	class, _, _ = strings.Cut(rest, "\x00")
	return instance, class
}

func clientPID(reply *res.QueryClientIdsReply, err error) int {
	if err != nil || reply == nil {
		return 0
	}
	for _, id := range reply.Ids {
		if id.Spec.Mask&res.ClientIdMaskLocalClientPID != 0 && len(id.Value) > 0 {
			return int(id.Value[0])
		}
	}
	return 0
}
