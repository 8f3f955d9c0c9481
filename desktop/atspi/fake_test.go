//go:build linux

package atspi

import (
	"context"
	"fmt"
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

func names(root *desktop.Element) []string {
	var out []string
	root.Walk(func(e *desktop.Element) bool { out = append(out, e.Name); return true })
	return out
}

var _ = Describe("A tree", func() {
	It("is bounded where a table claims two thousand million cells", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		table := a.child(window.path, "sheet", 55)
		table.set(func() { table.states = []uint32{0, 0} })
		claimed := int32(math.MaxInt32)
		table.set(func() { table.count = &claimed })
		for i := range 5 {
			a.child(table.path, fmt.Sprint("cell ", i), 56)
		}
		after := a.child(window.path, "after", 29)
		root, err := f.open(Options{}).Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(root)).To(Equal([]string{"fake", "window", "sheet", "cell 0", "cell 1", "cell 2", "cell 3", "cell 4", "after"}))
		sheet := find(root, "table", "sheet")
		Expect(sheet.Truncated).To(BeTrue())
		Expect(find(root, "label", "after").Truncated).To(BeFalse())
		Expect(table.indexed).To(BeNumerically("<=", maxPart))
		Expect(after.name).To(Equal("after"))
	})

	It("ends where objects are their own ancestors, and at a depth", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		panel := a.child(window.path, "panel", 39)
		panel.set(func() {
			panel.children = append(panel.children, a.ref(window.path), a.ref(panel.path), a.ref(rootPath))
		})
		b := f.open(Options{})
		root, err := b.Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(root)).To(Equal([]string{"fake", "window", "panel"}))

		last := panel
		for i := range maxDepth + 20 {
			last = a.child(last.path, fmt.Sprint(i), 39)
		}
		root, err = b.Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(root)).To(HaveLen(maxDepth + 1))
		deepest := root
		for len(deepest.Children) > 0 {
			deepest = deepest.Children[0]
		}
		Expect(deepest.Truncated).To(BeTrue())
	})

	It("takes facts, not structure, from a cache", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		one := a.child(window.path, "one", 43)
		two := a.child(window.path, "two", 43)
		three := a.child(two.path, "three", 29)
		item := func(o *fakeObject, parent *fakeObject, children int32) newItem {
			return newItem{Object: a.ref(o.path), App: a.ref(rootPath), Parent: a.ref(parent.path), Index: -1, Children: children,
				Interfaces: []string{accessible}, Name: o.name, Role: o.role, Description: "cached " + o.name, States: []uint32{1 << 8, 0}}
		}
		ghost := &fakeObject{name: "ghost", role: 43, path: "/org/a11y/atspi/accessible/999"}
		// The cache leaves out "one" and "three", does not know how many
		// children "two" has, claims that the application has none, and knows
		// a child of the window that has gone.
		a.cache(newCache{items: []newItem{item(a.objects[rootPath], a.objects[rootPath], 0), item(two, window, -1), item(window, a.objects[rootPath], 3), item(ghost, window, 0)}})
		b := f.open(Options{})
		root, err := b.Tree(ctx, a.info(), desktop.NeedDescription)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(root)).To(Equal([]string{"fake", "window", "one", "two", "three"}))
		Expect(find(root, "button", "two").Description).To(Equal("cached two"))
		Expect(find(root, "button", "one").Description).To(Equal("about one"))
		Expect(find(root, "button", "two").States).To(Equal(desktop.Enabled))
		Expect(one.name + three.name).To(Equal("onethree"))
	})

	It("leaves out what a cache still lists and the window too, but has gone", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		window.set(func() { window.children = append(window.children, a.ref("/org/a11y/atspi/accessible/999")) })
		a.cache(newCache{items: []newItem{{Object: a.ref("/org/a11y/atspi/accessible/999"), App: a.ref(rootPath), Parent: a.ref(window.path), Name: "ghost", Role: 43, Children: -1}}})
		root, err := f.open(Options{}).Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(root)).To(Equal([]string{"fake", "window"}))
	})

	It("understands Qt's older items", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		a.cache(oldCache{items: []oldItem{{Object: a.ref(window.path), App: a.ref(rootPath), Parent: a.ref(rootPath),
			Interfaces: []string{accessible}, Name: "window", Role: 23, Description: "old", States: []uint32{2, 0}}}})
		root, err := f.open(Options{}).Tree(ctx, a.info(), desktop.NeedDescription)
		Expect(err).NotTo(HaveOccurred())
		Expect(root.Children[0].Description).To(Equal("old"))
		Expect(root.Children[0].States).To(Equal(desktop.Active))
	})

	It("does without a cache that takes too long, and does not ask it again", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		a.child(rootPath, "window", 23)
		a.cache(newCache{delay: 2 * time.Second})
		b := f.open(Options{CallTimeout: 300 * time.Millisecond})
		root, err := b.Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(root)).To(Equal([]string{"fake", "window"}))
		start := time.Now()
		_, err = b.Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(time.Since(start)).To(BeNumerically("<", 250*time.Millisecond))
	})

	It("counts siblings of one raw role, and names roles that have no number", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		a.child(window.path, "a", 43)
		a.child(window.path, "b", 62)
		a.child(window.path, "c", 43)
		a.child(window.path, "d", 67).named("Gadget")
		a.child(window.path, "e", 4711).named("Gadget")
		root, err := f.open(Options{}).Tree(ctx, a.info(), desktop.NeedIdentifier)
		Expect(err).NotTo(HaveOccurred())
		refs := map[string]string{}
		for _, e := range root.Children[0].Children {
			refs[e.Name] = e.Ref
		}
		Expect(refs).To(Equal(map[string]string{"a": "frame[0]/push button[0]", "b": "frame[0]/toggle button[0]",
			"c": "frame[0]/push button[1]", "d": "frame[0]/Gadget[0]", "e": "frame[0]/Gadget[1]"}))
		Expect(root.Children[0].Children[4].Role).To(Equal("gadget"))
		Expect(root.Children[0].Children[0].Identifier).To(Equal("attribute-a"), "where there is no AccessibleId")
	})

	It("has typed errors and no invented elements", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		gone := a.child(window.path, "gone", 43)
		gone.set(func() { gone.deny = "org.freedesktop.DBus.Error.UnknownObject" })
		b := f.open(Options{CallTimeout: 300 * time.Millisecond})
		root, err := b.Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(root)).To(Equal([]string{"fake", "window"}))

		bare, err := dbus.Connect(f.address)
		Expect(err).NotTo(HaveOccurred())
		defer bare.Close()
		_, err = b.Tree(ctx, App{Name: "bare", BusName: bare.Names()[0], Path: rootPath}, 0)
		Expect(err).To(Equal(&desktop.NoTreeError{Name: "bare"}))

		window.set(func() { window.delay = time.Second })
		_, err = b.Tree(ctx, a.info(), 0)
		Expect(err).To(BeAssignableToTypeOf(&desktop.HungError{}))
		window.set(func() { window.delay = 0 })

		short, cancel := context.WithCancel(ctx)
		cancel()
		_, err = b.Tree(short, a.info(), 0)
		Expect(err).To(MatchError(context.Canceled))

		info := a.info()
		Expect(a.conn.Close()).To(Succeed())
		_, err = b.Tree(ctx, info, 0)
		Expect(err).To(Equal(&desktop.GoneError{What: "app 'fake'"}))
		Expect(b.Close()).To(Succeed())
		_, err = b.Tree(ctx, info, 0)
		Expect(err).To(HaveField("Part", desktop.PartA11yBus))
	})

	It("is whole or an error while its application dies", func(ctx context.Context) {
		f := openFakeBus()
		b := f.open(Options{CallTimeout: time.Second})
		for round := range 10 {
			a := f.app()
			window := a.child(rootPath, "window", 23)
			for i := range 300 {
				a.child(window.path, fmt.Sprint(i), 43)
			}
			info := a.info()
			go func() {
				time.Sleep(time.Duration(round) * 3 * time.Millisecond)
				a.conn.Close()
			}()
			for {
				root, err := b.Tree(ctx, info, desktop.NeedIdentifier)
				if err != nil {
					Expect(err).To(Equal(&desktop.GoneError{What: "app 'fake'"}))
					break
				}
				Expect(names(root)).To(HaveLen(302))
			}
		}
	})
})

var _ = Describe("An action", func() {
	It("that is not answered is told from one that is", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		button := a.child(window.path, "button", 43)
		release := button.act("SetFocus", "Press")
		label := a.child(window.path, "label", 29)
		label.act("doDefault", "showContextMenu")
		b := f.open(Options{})
		root, err := b.Tree(ctx, a.info(), 0)
		Expect(err).NotTo(HaveOccurred())
		press := find(root, "button", "button")

		// The application answers reads all the while: it is under way.
		start := time.Now()
		Expect(b.Act(ctx, press, desktop.Press)).To(BeAssignableToTypeOf(&desktop.UnansweredError{}))
		Expect(time.Since(start)).To(And(BeNumerically(">", livenessEvery), BeNumerically("<", b.timeout)))

		// The application answers nothing once it has the action.
		time.AfterFunc(50*time.Millisecond, func() { a.objects[rootPath].set(func() { a.objects[rootPath].delay = time.Minute }) })
		start = time.Now()
		Expect(b.Act(ctx, press, desktop.Press)).To(BeAssignableToTypeOf(&desktop.UnansweredError{}))
		Expect(time.Since(start)).To(BeNumerically(">=", b.timeout))
		a.objects[rootPath].set(func() { a.objects[rootPath].delay = 0 })

		close(release)
		Expect(b.Act(ctx, press, desktop.Press)).To(Succeed())
		Expect(b.Act(ctx, press, desktop.Expand)).To(Equal(&desktop.NoActionError{Action: desktop.Expand, Have: []string{"SetFocus", "Press"}}))
		Expect(b.Act(ctx, find(root, "label", "label"), desktop.Press)).To(BeAssignableToTypeOf(&desktop.NoActionError{}))

		button.set(func() { button.deny = "org.freedesktop.DBus.Error.UnknownObject" })
		Expect(b.Act(ctx, press, desktop.Press)).To(Equal(&desktop.GoneError{What: "button 'button'"}))
		Expect(b.SetFocus(ctx, press)).To(Equal(&desktop.GoneError{What: "button 'button'"}))
		Expect(b.Fill(ctx, []*desktop.Element{press}, everything)).To(Succeed())
		Expect(press.Gone).To(BeTrue())
	})
})
