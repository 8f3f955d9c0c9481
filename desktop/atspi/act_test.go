//go:build linux

package atspi

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

var _ = Describe("Act", func() {
	status := func(ctx context.Context, b *Bus, app App) func() (string, error) {
		return func() (string, error) {
			root, err := b.Tree(ctx, app, desktop.NeedIdentifier)
			if err != nil {
				return "", err
			}
			name := "no status"
			root.Walk(func(e *desktop.Element) bool {
				if e.Identifier == "status" {
					name = e.Name
				}
				return true
			})
			return name, nil
		}
	}

	It("presses, and says what cannot be pressed", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.widgets(b)
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(b.Act(ctx, find(root, "button", "Export"), desktop.Press)).To(Succeed())
		Eventually(status(ctx, b, app)).WithTimeout(5 * settle).Should(Equal("exported"))

		// GTK 3 accepts this and does nothing.
		Expect(b.Act(ctx, find(root, "button", "Never"), desktop.Press)).To(Succeed())
		err = b.Act(ctx, find(root, "button", "Export"), desktop.ShowMenu)
		Expect(err).To(Equal(&desktop.NoActionError{Action: desktop.ShowMenu, Have: []string{"click"}}))
		Expect(b.Act(ctx, root.Children[0], desktop.Press)).To(BeAssignableToTypeOf(&desktop.NoActionError{}))
		Expect(b.ScrollTo(ctx, find(root, "button", "Export"))).To(BeAssignableToTypeOf(&desktop.NoActionError{}))
	})

	It("gets through a modal dialog that runs inside the action", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.widgets(b)
		for i, button := range []string{"Yes", "No", "Yes", "No"} {
			root, err := b.Tree(ctx, app, 0)
			Expect(err).NotTo(HaveOccurred())
			opener := find(root, "button", "Ask")
			if i >= 2 {
				opener = find(root, "menu item", "Ask by menu")
			}
			start := time.Now()
			Expect(b.Act(ctx, opener, desktop.Press)).To(Or(BeNil(), BeAssignableToTypeOf(&desktop.UnansweredError{})))
			Expect(time.Since(start)).To(BeNumerically("<", 2*settle))

			// The application is read as ever while the dialog is up.
			start = time.Now()
			Eventually(status(ctx, b, app)).WithTimeout(5 * settle).Should(Equal("asking"))
			var dialog *desktop.Element
			Eventually(func(g Gomega) {
				root, err = b.Tree(ctx, app, 0)
				g.Expect(err).NotTo(HaveOccurred())
				dialog = find(root, "dialog", "Question")
				g.Expect(dialog).NotTo(BeNil())
			}).WithTimeout(5 * settle).Should(Succeed())
			Expect(time.Since(start)).To(BeNumerically("<", 2*settle))
			Expect(dialog.States.Has(desktop.Modal)).To(BeTrue())
			expectTruth(ctx, b, app, "with the dialog")

			Expect(b.Act(ctx, find(dialog, "button", button), desktop.Press)).To(Succeed())
			want := map[string]string{"Yes": "answer 1", "No": "answer 2"}[button]
			Eventually(status(ctx, b, app)).WithTimeout(5 * settle).Should(Equal(want))
			expectTruth(ctx, b, app, "after the dialog")
		}
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(b.Act(ctx, find(root, "button", "Export"), desktop.Press)).To(Succeed())
		Eventually(status(ctx, b, app)).WithTimeout(5 * settle).Should(Equal("exported"))
	})

	It("keeps the connections of its actions until no dialog of theirs can be up", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.widgets(b)
		open := func() int {
			b.mu.Lock()
			defer b.mu.Unlock()
			return len(b.private)
		}
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		press := func(e *desktop.Element, times int) {
			GinkgoHelper()
			for range times {
				Expect(b.Act(ctx, e, desktop.Press)).To(Succeed())
			}
		}
		press(find(root, "button", "Export"), 3*maxPrivate)
		Expect(open()).To(And(BeNumerically(">", 0), BeNumerically("<=", maxPrivate+1)))

		Expect(b.Act(ctx, find(root, "button", "Ask"), desktop.Press)).To(Succeed())
		Eventually(status(ctx, b, app)).WithTimeout(5 * settle).Should(Equal("asking"))
		Eventually(func() bool { return b.showsModal(ctx, app.BusName) }).WithTimeout(5 * settle).Should(BeTrue())
		before := open()
		press(find(root, "button", "Export"), maxPrivate)
		Expect(open()).To(Equal(before+maxPrivate), "none is closed while a dialog is up")
	})

	It("sets the focus and finds it", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.widgets(b)
		root, err := b.Tree(ctx, app, desktop.NeedIdentifier)
		Expect(err).NotTo(HaveOccurred())
		var entry *desktop.Element
		root.Walk(func(e *desktop.Element) bool {
			if e.Identifier == "entry" {
				entry = e
			}
			return true
		})
		Eventually(func(g Gomega) {
			g.Expect(b.SetFocus(ctx, entry)).To(Succeed())
			focused, err := b.FocusedElement(ctx, app, everything)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(focused).NotTo(BeNil())
			g.Expect(focused.Identifier).To(Equal("entry"))
			g.Expect(focused.Text).To(Equal("hello wörld"))
		}).WithTimeout(5 * settle).Should(Succeed())
	})

	It("wakes up for changes", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.widgets(b)
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		quiet := func() bool {
			select {
			case <-b.Changes():
				return false
			case <-time.After(200 * time.Millisecond):
				return true
			}
		}
		Eventually(quiet).WithTimeout(10 * settle).Should(BeTrue())
		Expect(b.Act(ctx, find(root, "button", "Export"), desktop.Press)).To(Succeed())
		Eventually(b.Changes()).WithTimeout(5 * settle).Should(Receive())
	})
})

var _ = Describe("The environment", func() {
	It("is probed part by part", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{CallTimeout: 500 * time.Millisecond})
		probes := b.Probe(ctx)
		Expect(probes).To(HaveLen(2))
		Expect(probes[0].Part).To(Equal(desktop.PartA11yBus))
		Expect(probes[1].Part).To(Equal(desktop.PartRegistry))
		Expect(desktop.Health(probes).OK()).To(BeTrue(), "%v", probes)

		end(s.registry)
		Eventually(func() *desktop.Probe { return desktop.Health(b.Probe(ctx)).FirstFault() }).
			WithTimeout(5 * settle).Should(HaveField("Part", desktop.PartRegistry))
		_, err := b.Apps(ctx)
		Expect(err).To(HaveField("Part", desktop.PartRegistry))
		_, err = Open(ctx, Options{Address: s.a11yBus, CallTimeout: 500 * time.Millisecond})
		Expect(err).To(HaveField("Part", desktop.PartRegistry))

		end(s.a11y) // the bus runs in its process group
		Eventually(func() *desktop.Probe { return desktop.Health(b.Probe(ctx)).FirstFault() }).
			WithTimeout(5 * settle).Should(HaveField("Part", desktop.PartA11yBus))
		_, err = b.Apps(ctx)
		Expect(err).To(HaveField("Part", desktop.PartA11yBus))
		_, err = Open(ctx, Options{Address: s.a11yBus})
		Expect(err).To(HaveField("Part", desktop.PartA11yBus))
		_, err = Open(ctx, Options{SessionAddress: "unix:path=/nonexistent"})
		Expect(err).To(HaveField("Part", desktop.PartSessionBus))
		_, err = Open(ctx, Options{})
		Expect(err).To(HaveField("Part", desktop.PartSessionBus))
	})
})
