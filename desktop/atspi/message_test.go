package atspi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

func TestCallsAreAsTheLibraryReadsThem(t *testing.T) {
	for _, r := range []request{
		{dest: ":1.5", path: "/a/b", method: "org.a11y.atspi.Accessible.GetRole"},
		{dest: ":1.5", path: "/a", method: getProperty, args: []any{accessible, "Name"}},
		{path: "/between/peers", method: "a.B.C", args: []any{int32(-7)}, activate: true},
		{dest: "org.x", path: "/", method: "a.B.C", args: []any{int32(1), uint32(2), "żó"}},
		{dest: "org.x", path: "/", method: "a.B.C", args: []any{"", []string{}, "e"}},
		{dest: "org.x", path: "/", method: "a.B.C", args: []any{"e", []string{"one", "", "three"}, uint32(9)}},
		{dest: "org.x", path: "/", method: setProperty, args: []any{"i", "On", dbus.MakeVariant(true)}},
		{dest: "org.x", path: "/", method: setProperty, args: []any{"i", "Onn", dbus.MakeVariant(false)}},
	} {
		before := []byte("the end of another message")
		out, err := appendCall(before, ownSerials|77, &r)
		if err != nil {
			t.Fatal(err)
		}
		raw := out[len(before):]
		if n, err := messageLength(raw[:headLength]); n != len(raw) || err != nil {
			t.Errorf("%+v: %d bytes (%v), has %d", r, n, err, len(raw))
		}
		m, err := dbus.DecodeMessage(bytes.NewReader(raw))
		if err != nil {
			t.Errorf("%+v: %v", r, err)
			continue
		}
		dest, _ := m.Headers[dbus.FieldDestination].Value().(string)
		method := m.Headers[dbus.FieldInterface].Value().(string) + "." + m.Headers[dbus.FieldMember].Value().(string)
		if m.Type != dbus.TypeMethodCall || dest != r.dest || m.Headers[dbus.FieldPath].Value() != r.path || method != r.method ||
			(m.Flags&dbus.FlagNoAutoStart == 0) != r.activate || m.Serial() != ownSerials|77 || len(m.Body) != len(r.args) ||
			len(r.args) > 0 && !reflect.DeepEqual(m.Body, r.args) {
			t.Errorf("%+v was read as %+v", r, m)
		}
	}
	for _, r := range []request{{method: "none"}, {method: "a.B", args: []any{1.5}}, {method: "a.B", args: []any{dbus.MakeVariant("text")}}} {
		if out, err := appendCall(nil, 1, &r); err == nil {
			t.Errorf("%+v became %q", r, out)
		}
	}
}

// encoded is a message as the library writes it.
func encoded(t testing.TB, order binary.ByteOrder, m *dbus.Message) []byte {
	t.Helper()
	if len(m.Body) > 0 {
		m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(m.Body...))
	}
	var out bytes.Buffer
	if err := m.EncodeTo(&out, order); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func reply(t testing.TB, order binary.ByteOrder, body ...any) []byte {
	return encoded(t, order, &dbus.Message{Type: dbus.TypeMethodReply, Body: body, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(uint32(ownSerials | 3)), dbus.FieldSender: dbus.MakeVariant(":1.9"),
	}})
}

// The types of answers, by their D-Bus signatures.
type (
	dbusRef struct {
		Name string
		Path dbus.ObjectPath
	}
	dbusBox  struct{ X, Y, W, H int32 }
	dbusItem struct {
		Object, App, Parent dbusRef
		Index, Count        int32
		Interfaces          []string
		Name                string
		Role                uint32
		Description         string
		States              []uint32
	}
	dbusOldItem struct {
		Object, App, Parent dbusRef
		Children            []dbusRef
		Interfaces          []string
		Name                string
		Role                uint32
		Description         string
		States              []uint32
	}
)

// answers are values as they are sent and as they are read.
var answers = []struct {
	sent []any
	read []any
}{
	{nil, nil},
	{[]any{"żółw"}, []any{"żółw"}},
	{[]any{uint32(1 << 31)}, []any{uint32(1 << 31)}},
	{[]any{int32(-5)}, []any{int32(-5)}},
	{[]any{true}, []any{true}},
	{[]any{dbus.ObjectPath("/a/b")}, []any{dbus.ObjectPath("/a/b")}},
	{[]any{dbus.MakeVariant("in it")}, []any{inside{"in it"}}},
	{[]any{dbus.MakeVariant(int32(-1))}, []any{inside{int32(-1)}}},
	{[]any{dbus.MakeVariant(0.5)}, []any{inside{0.5}}},
	{[]any{dbus.MakeVariant(dbusRef{":1.2", "/x"})}, []any{dbus.MakeVariantWithSignature([]any{":1.2", dbus.ObjectPath("/x")}, dbus.ParseSignatureMust("(so)"))}},
	{[]any{[]uint32{1, 2}}, []any{[]uint32{1, 2}}},
	{[]any{[]string{"one", "", "two"}}, []any{[]string{"one", "", "two"}}},
	{[]any{dbusRef{":1.2", "/x"}}, []any{ref{":1.2", "/x"}}},
	{[]any{[]dbusRef{{":1.2", "/x"}, {":1.2", "/org/a11y/atspi/null"}, {":1.33", "/yy"}}}, []any{[]ref{{":1.2", "/x"}, {":1.33", "/yy"}}}},
	{[]any{[]dbusRef{}}, []any{[]ref{}}},
	{[]any{dbusBox{1, -2, 3, 4}}, []any{box{1, -2, 3, 4}}},
	{[]any{"two", int32(2)}, []any{"two", int32(2)}},
	{[]any{map[string]string{"id": "x"}}, []any{map[string]string{"id": "x"}}},
	{[]any{[]dbusItem{}}, []any{[]item{}}},
	{
		[]any{[]dbusItem{
			{dbusRef{":1.2", "/a"}, dbusRef{":1.2", "/"}, dbusRef{":1.2", "/p"}, 4, -1, []string{"org.a11y.atspi.Action", "other"}, "A", 43, "says", []uint32{1 << 8, 2}},
			{dbusRef{":1.3", "/b"}, dbusRef{":1.2", "/"}, dbusRef{":1.2", "/a"}, 0, 7, nil, "", 0, "", []uint32{}},
		}},
		[]any{[]item{
			{ref{":1.2", "/a"}, ref{":1.2", "/p"}, facts{name: "A", description: "says", described: true, role: 43, states: 1<<8 | 2<<32, ifaces: ifacesKnown | hasAction, childCount: -1}},
			{ref{":1.3", "/b"}, ref{":1.2", "/a"}, facts{described: true, ifaces: ifacesKnown, childCount: 7}},
		}},
	},
	{
		[]any{[]dbusOldItem{
			{dbusRef{":1.2", "/a"}, dbusRef{":1.2", "/"}, dbusRef{":1.2", "/p"}, []dbusRef{{":1.2", "/k"}}, nil, "A", 43, "", []uint32{1}},
			{dbusRef{":1.2", "/k"}, dbusRef{":1.2", "/"}, dbusRef{":1.2", "/a"}, nil, nil, "K", 43, "", nil},
		}},
		[]any{[]item{
			{ref{":1.2", "/a"}, ref{":1.2", "/p"}, facts{name: "A", described: true, role: 43, states: 1, ifaces: ifacesKnown, childCount: 1}},
			{ref{":1.2", "/k"}, ref{":1.2", "/a"}, facts{name: "K", described: true, role: 43, ifaces: ifacesKnown, childCount: -1}},
		}},
	},
}

func TestAnswersAreAsTheLibraryWritesThem(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, c := range answers {
			raw := reply(t, order, c.sent...)
			h, ok := parseHeader(raw)
			if !ok || h.kind != typeReply || h.replyTo != ownSerials|3 || string(h.sender) != ":1.9" {
				t.Errorf("%v, %v: header %+v, %v", order, c.sent, h, ok)
				continue
			}
			got, err := answerOf(h, raw)
			if err != nil || !reflect.DeepEqual(got, c.read) {
				t.Errorf("%v, %v was read as %#v (%v), want %#v", order, c.sent, got, err, c.read)
			}
		}
	}
}

func TestErrorsAreTheLibrarys(t *testing.T) {
	raw := encoded(t, binary.LittleEndian, &dbus.Message{Type: dbus.TypeError, Body: []any{"no such thing"}, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(uint32(ownSerials | 3)), dbus.FieldErrorName: dbus.MakeVariant("org.freedesktop.DBus.Error.UnknownMethod"),
	}})
	h, ok := parseHeader(raw)
	_, err := answerOf(h, raw)
	var e dbus.Error
	if !ok || !errors.As(err, &e) || e.Name != "org.freedesktop.DBus.Error.UnknownMethod" || !strings.Contains(e.Error(), "no such thing") || !refused(err) {
		t.Errorf("%+v, %v: %v", h, ok, err)
	}
}

func TestFocusIsHeard(t *testing.T) {
	event := func(iface, member string, body ...any) header {
		h, ok := parseHeader(encoded(t, binary.LittleEndian, &dbus.Message{Type: dbus.TypeSignal, Body: body, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath("/e")), dbus.FieldInterface: dbus.MakeVariant(iface),
			dbus.FieldMember: dbus.MakeVariant(member), dbus.FieldSender: dbus.MakeVariant(":1.4"),
		}}))
		if !ok {
			t.Fatal("malformed")
		}
		return h
	}
	for _, c := range []struct {
		event header
		got   bool
	}{
		{event(eventPrefix+"Object", "StateChanged", "focused", int32(1), int32(0)), true},
		{event(eventPrefix+"Object", "StateChanged", "focused", int32(0), int32(0)), false},
		{event(eventPrefix+"Object", "StateChanged", "showing", int32(1), int32(0)), false},
		{event(eventPrefix+"Object", "TextChanged", "focused", int32(1), int32(0)), false},
		{event(eventPrefix+"Object", "StateChanged"), false},
		{event(eventPrefix+"Focus", "Focus", "", int32(0), int32(0)), true},
	} {
		changes := newChanges()
		changes.heard(c.event)
		if _, known := changes.focusedOf(":1.4"); known != c.got {
			t.Errorf("%s.%s: focus %v, want %v", c.event.iface, c.event.member, known, c.got)
		}
		if len(changes.c) != 1 {
			t.Error("nobody was woken up")
		}
	}
}

// FuzzMessage holds that whatever comes is read or refused, and that what is
// read here of a message that the library accepts is what the library reads.
func FuzzMessage(f *testing.F) {
	for _, c := range answers {
		f.Add(reply(f, binary.LittleEndian, c.sent...))
		f.Add(reply(f, binary.BigEndian, c.sent...))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) < headLength {
			return
		}
		if n, err := messageLength(raw); err != nil || n != len(raw) {
			return
		}
		h, ok := parseHeader(raw)
		if !ok {
			return
		}
		body, own := parseBody(h)
		m, err := dbus.DecodeMessage(bytes.NewReader(raw))
		if !own || err != nil || len(m.Body) != len(body) {
			return
		}
		for i, want := range m.Body {
			switch got := body[i].(type) {
			case string, int32, dbus.ObjectPath, bool:
				if got != want {
					t.Errorf("%v, and the library reads %v", got, want)
				}
			case []ref:
				if list, ok := want.([][]any); ok && len(list) < len(got) {
					t.Errorf("%v, and the library reads %v", got, want)
				}
			}
		}
	})
}
