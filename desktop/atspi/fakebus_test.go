//go:build linux

package atspi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/godbus/dbus/v5"
)

// fakeBus is a bus of our own with a registry and applications of our own,
// for what no real application does on demand. It needs no display.
type fakeBus struct {
	address  string
	registry *fakeApp
}

func openFakeBus() *fakeBus {
	dir, err := os.MkdirTemp("", "opendesk-atspi-test-")
	Expect(err).NotTo(HaveOccurred())
	s := &screen{dir: dir, env: []string{"PATH=/usr/bin:/bin"}}
	DeferCleanup(s.close)
	config := filepath.Join(dir, "bus.conf")
	Expect(os.WriteFile(config, fmt.Appendf(nil, busConfig, dir), 0o600)).To(Succeed())
	f := &fakeBus{address: s.startAndRead("dbus-daemon", "--nofork", "--nopidfile", "--print-address=3", "--config-file="+config)}
	f.registry = f.app()
	f.registry.add(rootPath, &fakeObject{name: "main", role: 14})
	Expect(f.registry.conn.Export(f.registry, registryPath, registryName)).To(Succeed())
	reply, err := f.registry.conn.RequestName(registryName, 0)
	Expect(err).NotTo(HaveOccurred())
	Expect(reply).To(Equal(dbus.RequestNameReplyPrimaryOwner))
	return f
}

func (f *fakeBus) open(o Options) *Bus {
	o.Address = f.address
	b, err := Open(context.Background(), o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(b.Close)
	return b
}

// app connects an application and gives it a root object.
func (f *fakeBus) app() *fakeApp {
	conn, err := dbus.Connect(f.address)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(conn.Close)
	a := &fakeApp{conn: conn, objects: map[dbus.ObjectPath]*fakeObject{}}
	if f.registry != nil {
		a.add(rootPath, &fakeObject{name: "fake", role: 75})
		f.registry.mu.Lock()
		root := f.registry.objects[rootPath]
		root.children = append(root.children, a.ref(rootPath))
		f.registry.mu.Unlock()
	}
	return a
}

// fakeApp is one connection with objects.
type fakeApp struct {
	conn    *dbus.Conn
	mu      sync.Mutex
	objects map[dbus.ObjectPath]*fakeObject
}

// fakeRef is an object's address as D-Bus has it.
type fakeRef struct {
	Name string
	Path dbus.ObjectPath
}

type fakeObject struct {
	app      *fakeApp
	path     dbus.ObjectPath
	name     string
	role     uint32
	roleName string
	states   []uint32
	children []fakeRef
	count    *int32        // what it claims to have, nil for the truth
	delay    time.Duration // before each answer
	deny     string        // the D-Bus error that every call gets
	indexed  int           // calls of GetChildAtIndex
	actions  int
	text     string  // where it has the interfaces Text and Value
	value    float64 // likewise
	valued   bool
}

func (a *fakeApp) ref(path dbus.ObjectPath) fakeRef { return fakeRef{a.conn.Names()[0], path} }

func (a *fakeApp) info() App { return App{Name: "fake", BusName: a.conn.Names()[0], Path: rootPath} }

// RegisterEvent is the registry's method.
func (a *fakeApp) RegisterEvent(string, []string, string) *dbus.Error { return nil }

func (a *fakeApp) add(path dbus.ObjectPath, o *fakeObject) *fakeObject {
	o.app, o.path = a, path
	a.mu.Lock()
	a.objects[path] = o
	a.mu.Unlock()
	Expect(a.conn.Export(o, path, accessible)).To(Succeed())
	Expect(a.conn.Export(fakeProperties{o}, path, "org.freedesktop.DBus.Properties")).To(Succeed())
	return o
}

// child adds an object below the one at parent.
func (a *fakeApp) child(parent dbus.ObjectPath, name string, role uint32) *fakeObject {
	a.mu.Lock()
	path := dbus.ObjectPath(fmt.Sprintf("/org/a11y/atspi/accessible/%d", len(a.objects)))
	a.mu.Unlock()
	o := a.add(path, &fakeObject{name: name, role: role})
	a.mu.Lock()
	a.objects[parent].children = append(a.objects[parent].children, a.ref(path))
	a.mu.Unlock()
	return o
}

// set changes the object while it may be asked.
func (o *fakeObject) set(change func()) {
	o.app.mu.Lock()
	defer o.app.mu.Unlock()
	change()
}

func (o *fakeObject) named(role string) { o.set(func() { o.roleName = role }) }

func (o *fakeObject) answer() *dbus.Error {
	var delay time.Duration
	var deny string
	o.set(func() { delay, deny = o.delay, o.deny })
	time.Sleep(delay)
	if deny != "" {
		return dbus.NewError(deny, nil)
	}
	return nil
}

func (o *fakeObject) GetRole() (uint32, *dbus.Error)     { return o.role, o.answer() }
func (o *fakeObject) GetRoleName() (string, *dbus.Error) { return o.roleName, o.answer() }
func (o *fakeObject) GetState() ([]uint32, *dbus.Error)  { return o.states, o.answer() }

func (o *fakeObject) GetInterfaces() ([]string, *dbus.Error) {
	have := []string{accessible}
	o.set(func() {
		if o.valued {
			have = append(have, "org.a11y.atspi.Text", "org.a11y.atspi.Value")
		}
	})
	return have, o.answer()
}

// shows gives the object a text and a number, as LibreOffice's cells have both.
func (o *fakeObject) shows(text string, value float64) *fakeObject {
	Expect(o.app.conn.Export(fakeText{o}, o.path, "org.a11y.atspi.Text")).To(Succeed())
	o.set(func() { o.text, o.value, o.valued = text, value, true })
	return o
}

type fakeText struct{ o *fakeObject }

// GetText is "" where end lies behind the text, as LibreOffice has it.
func (t fakeText) GetText(start, end int32) (string, *dbus.Error) {
	text := []rune(t.o.text)
	if end < 0 {
		end = int32(len(text))
	}
	if start < 0 || start > end || int(end) > len(text) {
		return "", nil
	}
	return string(text[start:end]), nil
}

func (o *fakeObject) GetAttributes() (map[string]string, *dbus.Error) {
	return map[string]string{"id": "attribute-" + o.name}, o.answer()
}

func (o *fakeObject) GetChildren() ([]fakeRef, *dbus.Error) {
	var children []fakeRef
	o.set(func() { children = append([]fakeRef{}, o.children...) })
	return children, o.answer()
}

func (o *fakeObject) GetChildAtIndex(i int32) (fakeRef, *dbus.Error) {
	o.app.mu.Lock()
	defer o.app.mu.Unlock()
	o.indexed++
	if int(i) < len(o.children) {
		return o.children[i], nil
	}
	return fakeRef{Path: nullPath}, nil
}

type fakeProperties struct{ o *fakeObject }

func (p fakeProperties) Get(_, name string) (dbus.Variant, *dbus.Error) {
	o := p.o
	if err := o.answer(); err != nil {
		return dbus.Variant{}, err
	}
	switch name {
	case "Name":
		return dbus.MakeVariant(o.name), nil
	case "Description":
		return dbus.MakeVariant("about " + o.name), nil
	case "ToolkitName":
		return dbus.MakeVariant("Gecko"), nil
	case "CharacterCount":
		return dbus.MakeVariant(int32(len([]rune(o.text)))), nil
	case "CurrentValue":
		return dbus.MakeVariant(o.value), nil
	case "NActions":
		var n int
		o.set(func() { n = o.actions })
		return dbus.MakeVariant(int32(n)), nil
	case "ChildCount":
		count := int32(0)
		o.set(func() {
			if count = int32(len(o.children)); o.count != nil {
				count = *o.count
			}
		})
		return dbus.MakeVariant(count), nil
	}
	return dbus.Variant{}, dbus.NewError("org.freedesktop.DBus.Error.UnknownProperty", nil)
}

// fakeActions are an object's actions; performing one waits for release.
type fakeActions struct {
	o       *fakeObject
	names   []string
	release chan struct{}
}

func (o *fakeObject) act(names ...string) chan struct{} {
	a := fakeActions{o, names, make(chan struct{})}
	Expect(o.app.conn.Export(a, o.path, actionInterface)).To(Succeed())
	o.set(func() { o.actions = len(names) })
	return a.release
}

func (a fakeActions) GetName(i int32) (string, *dbus.Error) { return a.names[i], a.o.answer() }

func (a fakeActions) DoAction(int32) (bool, *dbus.Error) {
	<-a.release
	return true, nil
}

// The two signatures of a cache's items.
type newItem struct {
	Object, App, Parent fakeRef
	Index, Children     int32
	Interfaces          []string
	Name                string
	Role                uint32
	Description         string
	States              []uint32
}

type oldItem struct {
	Object, App, Parent fakeRef
	Children            []fakeRef
	Interfaces          []string
	Name                string
	Role                uint32
	Description         string
	States              []uint32
}

type newCache struct {
	items []newItem
	delay time.Duration
}

func (c newCache) GetItems() ([]newItem, *dbus.Error) { time.Sleep(c.delay); return c.items, nil }

type oldCache struct{ items []oldItem }

func (c oldCache) GetItems() ([]oldItem, *dbus.Error) { return c.items, nil }

func (a *fakeApp) cache(c any) {
	Expect(a.conn.Export(c, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache")).To(Succeed())
}
