//go:build linux

package linux

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

// find is the first showing element of that kind in the application.
func find(ctx context.Context, app string, want func(*desktop.Element) bool) *desktop.Element {
	GinkgoHelper()
	snapshot, err := desk.Snapshot(ctx, app, desktop.NeedBounds|desktop.NeedText)
	Expect(err).NotTo(HaveOccurred())
	var found *desktop.Element
	for _, tree := range snapshot.Apps {
		tree.Root.Walk(func(e *desktop.Element) bool {
			if found == nil && want(e) {
				found = e
			}
			return found == nil
		})
	}
	return found
}

func named(role string, names ...string) func(*desktop.Element) bool {
	return func(e *desktop.Element) bool {
		for _, n := range names {
			if e.RawRole == role && e.Name == n {
				return true
			}
		}
		return false
	}
}

func click(ctx context.Context, e *desktop.Element) {
	GinkgoHelper()
	Expect(e).NotTo(BeNil())
	Expect(e.BoundsKnown).To(BeTrue())
	Expect(desk.Move(ctx, e.Bounds.Centre())).To(Succeed())
	Expect(desk.Click(ctx, desktop.Left, 1)).To(Succeed())
}

var _ = Describe("positions in GTK 4", func() {
	// gnome-calculator, moved to (300,200).
	calculator := func(ctx context.Context) *desktop.Opened {
		opened := open("Calculator")
		Expect(opened.HasTree).To(BeTrue())
		Expect(opened.App.DesktopName).To(Equal("Calculator"))
		Expect(shared.run("xdotool", "windowmove", "--sync", fmt.Sprint(opened.Window.ID), "300", "200")).To(Succeed())
		Eventually(func() desktop.Point {
			w := must(desk.FocusedWindow(ctx))
			if w == nil {
				return desktop.Point{}
			}
			return desktop.Point{X: w.Bounds.X, Y: w.Bounds.Y}
		}).WithTimeout(seconds(10)).Should(Equal(desktop.Point{X: 300, Y: 200}))
		return opened
	}
	text := func(ctx context.Context) func() string {
		return func() string {
			e := find(ctx, "Calculator", func(e *desktop.Element) bool {
				return strings.Contains(e.Role, "text") && strings.TrimSpace(e.Text) != "" || e.Name == "GtkSourceView"
			})
			if e == nil {
				return "none"
			}
			return e.Text
		}
	}

	It("are where the pointer hits", func(ctx SpecContext) {
		calculator(ctx)
		seven := find(ctx, "Calculator", named("push button", "7", "7 7"))
		click(ctx, seven)
		Eventually(text(ctx)).WithTimeout(seconds(5)).Should(Equal("7"))
		// The same element filled by itself is where the snapshot had it.
		was := seven.Bounds
		seven.Bounds = desktop.Rect{}
		Expect(desk.Fill(ctx, []*desktop.Element{seven}, desktop.NeedBounds|desktop.NeedActions)).To(Succeed())
		Expect(seven.Bounds).To(Equal(was))
		Expect(seven.Actions).NotTo(BeEmpty())
		window := must(desk.FocusedWindow(ctx))
		Expect(window.Bounds.Contains(was.Centre())).To(BeTrue())
	})

	It("have buttons that take one press after another, and keys after them", func(ctx SpecContext) {
		calculator(ctx)
		for range 3 {
			Expect(desk.Act(ctx, find(ctx, "Calculator", named("push button", "8", "8 8")), desktop.Press)).To(Succeed())
		}
		Expect(desk.Type(ctx, "9")).To(Succeed())
		Eventually(text(ctx)).WithTimeout(seconds(5)).Should(Equal("8889"))
	})

	It("of popovers are those of their own windows", func(ctx SpecContext) {
		calculator(ctx)
		// The main menu: the button right of the title that has no label.
		menus := func(e *desktop.Element) bool {
			return e.RawRole == "push button" && e.Name == "GtkMenuButton" && len(e.Children) > 0 &&
				e.Children[0].RawRole == "push button" && e.Children[0].Name == "GtkMenuButton"
		}
		click(ctx, find(ctx, "Calculator", menus))
		preferences := func() *desktop.Element {
			e := find(ctx, "Calculator", named("menu item", "Preferences"))
			if e == nil || !e.BoundsKnown {
				return nil
			}
			return e
		}
		Eventually(preferences).WithTimeout(seconds(5)).ShouldNot(BeNil())
		click(ctx, preferences())
		Eventually(func() []string {
			var titles []string
			for _, w := range must(desk.Windows(ctx)) {
				titles = append(titles, w.Title)
			}
			return titles
		}).WithTimeout(seconds(5)).Should(ContainElement("Preferences"))
		// A second window of the process has its own place.
		Eventually(func() desktop.Rect {
			e := find(ctx, "Calculator", func(e *desktop.Element) bool {
				return e.Window != nil && e.Window.Name == "Preferences" && e.Name == "Close"
			})
			if e == nil || !e.BoundsKnown {
				return desktop.Rect{}
			}
			return e.Bounds
		}).WithTimeout(seconds(5)).Should(Satisfy(func(r desktop.Rect) bool {
			for _, w := range must(desk.Windows(ctx)) {
				if w.Title == "Preferences" && !r.Empty() {
					return w.Bounds.Contains(r.Centre())
				}
			}
			return false
		}))
	})

	It("of the element with the focus too", func(ctx SpecContext) {
		calculator(ctx)
		Expect(desk.Type(ctx, "12")).To(Succeed())
		Eventually(text(ctx)).WithTimeout(seconds(5)).Should(Equal("12"))
		e := must(desk.FocusedElement(ctx, desktop.NeedBounds|desktop.NeedText))
		Expect(e).NotTo(BeNil())
		Expect(e.Text).To(Equal("12"))
		Expect(e.App.Matches("Calculator")).To(BeTrue())
		Expect(e.BoundsKnown).To(BeTrue())
		Expect(must(desk.FocusedWindow(ctx)).Bounds.Contains(e.Bounds.Centre())).To(BeTrue())
	})
})

var _ = Describe("positions in other toolkits", func() {
	It("are where the pointer hits in GTK 3", func(ctx SpecContext) {
		open("mousepad")
		click(ctx, find(ctx, "mousepad", named("menu", "File")))
		Eventually(func() *desktop.Element {
			return find(ctx, "mousepad", func(e *desktop.Element) bool {
				return strings.TrimSpace(e.Name) == "New" && e.BoundsKnown && e.States.Has(desktop.Showing)
			})
		}).WithTimeout(seconds(5)).ShouldNot(BeNil())
		Expect(desk.Chord(ctx, "Escape")).To(Succeed())
		hidden := find(ctx, "mousepad", func(e *desktop.Element) bool { return strings.TrimSpace(e.Name) == "Paste Special" })
		Expect(hidden).NotTo(BeNil())
		Expect(hidden.BoundsKnown).To(BeFalse())
	})

	It("are where the pointer hits in Qt 5", func(ctx SpecContext) {
		open("kcalc")
		click(ctx, find(ctx, "kcalc", named("push button", "7")))
		Eventually(func() *desktop.Element {
			return find(ctx, "kcalc", func(e *desktop.Element) bool {
				return !strings.Contains(e.Role, "button") && (e.Text == "7" || e.Name == "7")
			})
		}).WithTimeout(seconds(5)).ShouldNot(BeNil())
	})
})
