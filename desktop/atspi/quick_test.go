//go:build linux

package atspi

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// focusedState is a state set with nothing but "focused".
var focusedState = []uint32{1 << 12, 0}

// focus has the object say that it got the focus.
func (o *fakeObject) focus() {
	o.set(func() { o.states = focusedState })
	Expect(o.app.conn.Emit(o.path, "org.a11y.atspi.Event.Object.StateChanged",
		"focused", int32(1), int32(0), dbus.MakeVariant(""), map[string]dbus.Variant{})).To(Succeed())
}

var _ = Describe("What is asked often", func() {
	It("finds the focus without the tree, and believes no earlier answer", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		entry, button := a.child(window.path, "entry", 79), a.child(window.path, "button", 43)
		b := f.open(Options{})
		Expect(b.HasFocus(ctx, a.info())).To(BeFalse())

		entry.focus()
		Eventually(func() bool { _, known := b.changes.focusedOf(a.info().BusName); return known }).Should(BeTrue())
		window.set(func() { window.deny = "org.freedesktop.DBus.Error.UnknownObject" }) // no tree can be read below it
		Expect(b.HasFocus(ctx, a.info())).To(BeTrue())

		entry.set(func() { entry.states = []uint32{1<<12 | 1<<6, 0} }) // defunct
		Expect(b.HasFocus(ctx, a.info())).To(BeFalse())
		entry.set(func() { entry.states = nil })
		Expect(b.HasFocus(ctx, a.info())).To(BeFalse())

		// Another one got it and nothing was heard of that.
		window.set(func() { window.deny = "" })
		button.set(func() { button.states = focusedState })
		Expect(b.HasFocus(ctx, a.info())).To(BeTrue())
		button.set(func() { button.delay = time.Minute })
		_, err := b.HasFocus(ctx, a.info())
		Expect(err).To(BeAssignableToTypeOf(&desktop.HungError{}))
	})

	It("looks for content no further than into windows", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		b := f.open(Options{})
		Expect(b.HasContent(ctx, a.info())).To(BeFalse())
		window := a.child(rootPath, "window", 23)
		Expect(b.HasContent(ctx, a.info())).To(BeFalse())
		panel := a.child(window.path, "panel", 39)
		panel.set(func() { panel.delay = time.Minute })
		Expect(b.HasContent(ctx, a.info())).To(BeTrue())

		many := int32(1 << 30)
		window.set(func() { window.count = &many })
		Expect(b.HasContent(ctx, a.info())).To(BeTrue())
		window.set(func() { window.delay = time.Minute })
		_, err := b.HasContent(ctx, a.info())
		Expect(err).To(BeAssignableToTypeOf(&desktop.HungError{}))
		Expect(a.conn.Close()).To(Succeed())
		_, err = b.HasContent(ctx, a.info())
		Expect(err).To(BeAssignableToTypeOf(&desktop.GoneError{}))
	})

	It("knows applications that are busy by their names of before", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		b := f.open(Options{})
		named := HaveExactElements(HaveField("Name", "fake"))
		Expect(b.KnownApps(ctx)).To(named) // waits: it has never told
		root := a.objects[rootPath]
		root.set(func() { root.delay = 10 * time.Second })
		start := time.Now()
		Expect(b.KnownApps(ctx)).To(named)
		Expect(time.Since(start)).To(BeNumerically("<", knownPatience/2))
		start = time.Now()
		Expect(b.Apps(ctx)).To(named)
		Expect(time.Since(start)).To(BeNumerically(">=", knownPatience))
	})
})
