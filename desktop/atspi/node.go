package atspi

import (
	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// ref is an object's address: the unique name of its connection and its path.
type ref struct {
	dest string
	path dbus.ObjectPath
}

const nullPath = dbus.ObjectPath("/org/a11y/atspi/null")

func (r ref) null() bool { return r.dest == "" || r.path == "" || r.path == nullPath }

// parseRef reads a "(so)".
func parseRef(v any) ref {
	if r, ok := v.(ref); ok {
		return r
	}
	fields, _ := v.([]any)
	if len(fields) < 2 {
		return ref{}
	}
	dest, _ := fields[0].(string)
	path, _ := fields[1].(dbus.ObjectPath)
	return ref{dest, path}
}

// parseRefs reads an "a(so)", leaving out objects that are none.
func parseRefs(v any) []ref {
	if list, ok := v.([]ref); ok {
		return list
	}
	list, _ := v.([][]any)
	out := make([]ref, 0, len(list))
	for _, fields := range list {
		if r := parseRef(fields); !r.null() {
			out = append(out, r)
		}
	}
	return out
}

// ifaces is a set of the interfaces that matter here.
type ifaces uint8

const (
	hasAction ifaces = 1 << iota
	hasComponent
	hasText
	hasValue
	ifacesKnown // the others were asked for
)

var ifaceBits = map[string]ifaces{
	"org.a11y.atspi.Action":    hasAction,
	"org.a11y.atspi.Component": hasComponent,
	"org.a11y.atspi.Text":      hasText,
	"org.a11y.atspi.Value":     hasValue,
}

func parseIfaces(v any) ifaces {
	names, _ := v.([]string)
	set := ifacesKnown
	for _, n := range names {
		set |= ifaceBits[n]
	}
	return set
}

// facts are what a snapshot knows of one object.
type facts struct {
	name        string
	description string // only where described
	role        uint32
	roleName    string // only where the number says nothing
	states      states
	ifaces      ifaces
	childCount  int // -1: not known
	described   bool
}

// handle is what Element.Handle holds.
type handle struct {
	ref
	app    *App
	role   uint32
	ifaces ifaces
	// described says that Element.Description was read with the snapshot.
	described   bool
	description string
}

func handleOf(e *desktop.Element) (*handle, bool) {
	if e == nil {
		return nil, false
	}
	h, ok := e.Handle.(*handle)
	return h, ok
}

// AppOf is the application that the element belongs to; the zero App for an
// element that is not from this package.
func (b *Bus) AppOf(e *desktop.Element) App {
	if h, ok := handleOf(e); ok {
		return *h.app
	}
	return App{}
}

// ToolkitOf is the name and version of the element's toolkit, such as "gtk"
// and "3.24.38".
func (b *Bus) ToolkitOf(e *desktop.Element) (name, version string) {
	a := b.AppOf(e)
	return a.Toolkit, a.ToolkitVersion
}
