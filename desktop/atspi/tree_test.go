//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

const settle = time.Second

const everything = desktop.NeedIdentifier | desktop.NeedBounds | desktop.NeedActions | desktop.NeedText | desktop.NeedDescription

var _ = Describe("Tree", func() {
	It("reads mousepad (GTK 3) as a serial walk does, also with a menu open", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.run(b, "mousepad")
		Expect(app.Toolkit).To(Equal("gtk"))
		Expect(app.ToolkitVersion).To(HavePrefix("3."))
		expectTruth(ctx, b, app, "at first")
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		for _, menu := range []string{"File", "View"} {
			Expect(b.Act(ctx, find(root, "menu", menu), desktop.Press)).To(Succeed())
			expectTruth(ctx, b, app, menu+" open")
		}
	})

	It("reads gnome-calculator (GTK 4) as a serial walk does, also after changes", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.run(b, "gnome-calculator")
		Expect(app.Toolkit).To(Equal("GTK"))
		expectTruth(ctx, b, app, "at first")
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		for _, button := range []string{"7 7", "+ +", "5 5", "= ="} {
			Expect(b.Act(ctx, pressable(ctx, b, root, button), desktop.Press)).To(Succeed(), button)
			expectTruth(ctx, b, app, "after "+button)
		}
		Eventually(func(g Gomega) {
			root, err = b.Tree(ctx, app, desktop.NeedText)
			g.Expect(err).NotTo(HaveOccurred())
			var texts []string
			root.Walk(func(e *desktop.Element) bool {
				if e.RawRole == "text" {
					texts = append(texts, e.Text)
				}
				return true
			})
			g.Expect(texts).To(ContainElement("12"))
		}).WithTimeout(5 * settle).Should(Succeed())
	})

	It("reads kcalc (Qt 5) as a serial walk does, also after changes", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, _ := s.run(b, "kcalc")
		Expect(app.Toolkit).To(Equal("Qt"))
		expectTruth(ctx, b, app, "at first")
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		for _, button := range []string{"7", "×", "6", "="} {
			Expect(b.Act(ctx, pressable(ctx, b, root, button), desktop.Press)).To(Succeed(), button)
		}
		Eventually(func(g Gomega) {
			root, err := b.Tree(ctx, app, 0)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(find(root, "window", "42")).NotTo(BeNil())
		}).WithTimeout(5 * settle).Should(Succeed())
		expectTruth(ctx, b, app, "after pressing")
	})

	It("reads a zenity dialog, before and after it closes", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, cmd := s.run(b, "zenity", "--question", "--text", "Really?")
		expectTruth(ctx, b, app, "at first")
		root, err := b.Tree(ctx, app, everything)
		Expect(err).NotTo(HaveOccurred())
		Expect(root.Children).To(HaveLen(1))
		Expect(desktop.SameRole(root.Children[0].Role, "dialog")).To(BeTrue(), root.Children[0].RawRole)
		// The application ends as the handler returns: it may not answer.
		err = b.Act(ctx, pressable(ctx, b, root, "Yes"), desktop.Press)
		Expect(err).To(Or(BeNil(), BeAssignableToTypeOf(&desktop.GoneError{}), BeAssignableToTypeOf(&desktop.UnansweredError{})))
		Expect(cmd.Wait()).To(Succeed())
		_, err = b.Tree(ctx, app, 0)
		Expect(err).To(BeAssignableToTypeOf(&desktop.GoneError{}))
		Expect(b.Apps(ctx)).To(BeEmpty())
	})

	It("fills every property of known widgets", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, cmd := s.widgets(b, "known")
		Expect(app.Name).To(Equal("known"))
		root, err := b.Tree(ctx, app, everything)
		Expect(err).NotTo(HaveOccurred())
		expectTruth(ctx, b, app, "at first")

		window := root.Children[0]
		Expect(root.Window).To(BeNil())
		Expect(root.Parent).To(BeNil())
		Expect(window.Window).To(BeIdenticalTo(window))
		Expect(window.Ref).To(Equal("frame[0]"))
		root.Walk(func(e *desktop.Element) bool {
			Expect(*e.App).To(Equal(desktop.AppInfo{Name: "known", PID: cmd.Process.Pid}))
			if e != root {
				Expect(e.Window).To(BeIdenticalTo(window))
				Expect(e.Parent.Children).To(ContainElement(BeIdenticalTo(e)))
			}
			return true
		})

		export := find(root, "button", "Export")
		Expect(export.Identifier).To(Equal("export-pdf"))
		Expect(export.RawRole).To(Equal("push button"))
		Expect(export.Role).To(Equal("button"))
		Expect(export.Ref).To(Equal("frame[0]/filler[0]/push button[0]"))
		Expect(export.Actions).To(Equal([]string{"click"}))
		Expect(export.BoundsKnown).To(BeTrue())
		Expect(export.Bounds.Width).To(BeNumerically(">", 100))
		Expect(export.States.Has(desktop.Showing | desktop.Sensitive | desktop.Focusable)).To(BeTrue())
		Expect(b.AppOf(export)).To(Equal(app))
		toolkit, version := b.ToolkitOf(export)
		Expect(toolkit + " " + version).To(HavePrefix("gtk 3."))

		never := find(root, "button", "Never")
		Expect(never.States.Has(desktop.Showing)).To(BeTrue())
		Expect(never.States & (desktop.Sensitive | desktop.Enabled)).To(BeZero())
		hidden := find(root, "button", "Hidden")
		Expect(hidden.BoundsKnown).To(BeFalse())
		Expect(hidden.States.Has(desktop.Showing)).To(BeFalse())
		Expect(find(root, "check box", "Checked").States.Has(desktop.Checked)).To(BeTrue())

		byID := map[string]*desktop.Element{}
		root.Walk(func(e *desktop.Element) bool { byID[e.Identifier] = e; return true })
		Expect(byID["status"].Text).To(Equal("ready"))
		Expect(byID["entry"].Text).To(Equal("hello wörld"))
		Expect(byID["entry"].Role).To(Equal("entry"))
		Expect(byID["spin"].Value).To(Equal("3.5"))
		Expect(byID["password"].States.Has(desktop.Password)).To(BeTrue())
		Expect(byID["password"].Text).To(BeEmpty())
		Expect(byID["password"].Value).To(BeEmpty())

		Eventually(func(g Gomega) { // the window manager may still be placing it
			elements := []*desktop.Element{window, export, hidden}
			g.Expect(b.Fill(ctx, elements, desktop.NeedBounds)).To(Succeed())
			extents, err := b.Extents(ctx, elements, true)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(extents[1].Known).To(BeTrue())
			g.Expect(extents[2].Known).To(BeFalse())
			moved := desktop.Point{X: window.Bounds.X - extents[0].Rect.X, Y: window.Bounds.Y - extents[0].Rect.Y}
			g.Expect(moved).NotTo(BeZero())
			want := extents[1].Rect
			want.X, want.Y = want.X+moved.X, want.Y+moved.Y
			g.Expect(export.Bounds).To(Equal(want))
		}).WithTimeout(8 * settle).Should(Succeed())
	})

	It("cuts a huge table to the part on screen and says so", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		for _, row := range []string{"0", "3000", "4999"} {
			app, _ := s.widgets(b, "huge", "5000", row)
			Eventually(func(g Gomega) {
				root, err := b.Tree(ctx, app, 0)
				g.Expect(err).NotTo(HaveOccurred())
				table := find(root, "table", "")
				g.Expect(table.Truncated).To(BeTrue())
				g.Expect(len(table.Children)).To(BeNumerically("<=", maxPart))
				cell := find(root, "table cell", "row "+row)
				g.Expect(cell).NotTo(BeNil())
				// GTK 3 says "showing" of cells that are not on screen too.
				both := []*desktop.Element{table, cell}
				g.Expect(b.Fill(ctx, both, desktop.NeedBounds)).To(Succeed())
				g.Expect(table.Bounds.Contains(cell.Bounds.Centre())).To(BeTrue(), "%v in %v", cell.Bounds, table.Bounds)
			}).WithTimeout(8 * settle).Should(Succeed())
		}
	})

	It("marks what has gone when filling", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		app, cmd := s.widgets(b)
		root, err := b.Tree(ctx, app, 0)
		Expect(err).NotTo(HaveOccurred())
		swap := find(root, "button", "Swap")
		Expect(b.Act(ctx, swap, desktop.Press)).To(Succeed())
		var late *desktop.Element
		Eventually(func(g Gomega) {
			root, err := b.Tree(ctx, app, 0)
			g.Expect(err).NotTo(HaveOccurred())
			late = find(root, "button", "Late")
			g.Expect(late).NotTo(BeNil())
		}).WithTimeout(5 * settle).Should(Succeed())
		expectTruth(ctx, b, app, "with the late button")
		Expect(b.Act(ctx, swap, desktop.Press)).To(Succeed())
		expectTruth(ctx, b, app, "without the late button")

		end(cmd)
		all := []*desktop.Element{swap, late}
		Expect(b.Fill(ctx, all, everything)).To(Succeed())
		Expect(swap.Gone).To(BeTrue())
		Expect(b.Act(ctx, swap, desktop.Press)).To(BeAssignableToTypeOf(&desktop.GoneError{}))
		_, err = b.Tree(ctx, app, 0)
		Expect(err).To(BeAssignableToTypeOf(&desktop.GoneError{}))
	})

	It("tells a hung application from the others, which it does not slow", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{CallTimeout: 500 * time.Millisecond})
		hung, cmd := s.widgets(b, "hung")
		well, _ := s.widgets(b, "well")
		root, err := b.Tree(ctx, hung, 0)
		Expect(err).NotTo(HaveOccurred())
		export := find(root, "button", "Export")
		Expect(cmd.Process.Signal(syscall.SIGSTOP)).To(Succeed())

		failed := make(chan error, 1)
		start := time.Now()
		go func() {
			_, err := b.Tree(ctx, hung, 0)
			failed <- err
		}()
		for range 5 {
			began := time.Now()
			apps, err := b.Apps(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(apps).To(ConsistOf(hung, well))
			_, err = b.Tree(ctx, well, 0)
			Expect(err).NotTo(HaveOccurred())
			Expect(time.Since(began)).To(BeNumerically("<", 350*time.Millisecond))
		}
		Eventually(failed).WithTimeout(3 * settle).Should(Receive(&err))
		Expect(time.Since(start)).To(BeNumerically("<", 2*settle))
		var silent *desktop.HungError
		Expect(errors.As(err, &silent)).To(BeTrue(), "%v", err)
		Expect(silent.Name).To(Equal("hung"))
		Expect(silent.After).To(BeNumerically(">=", 500*time.Millisecond))
		Expect(b.Fill(ctx, []*desktop.Element{export}, everything)).To(BeAssignableToTypeOf(&desktop.HungError{}))
		Expect(b.Act(ctx, export, desktop.Press)).To(BeAssignableToTypeOf(&desktop.HungError{}))

		Expect(cmd.Process.Signal(syscall.SIGCONT)).To(Succeed())
		Eventually(func() error { _, err := b.Tree(ctx, hung, 0); return err }).WithTimeout(5 * settle).Should(Succeed())
	})

	It("lists an application that was silent from the start", func(ctx context.Context) {
		s := openScreen()
		b := s.open(Options{})
		_, cmd := s.widgets(b, "silent")
		Expect(cmd.Process.Signal(syscall.SIGSTOP)).To(Succeed())
		other := s.open(Options{CallTimeout: 300 * time.Millisecond})
		start := time.Now()
		apps, err := other.Apps(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(time.Since(start)).To(BeNumerically("<", settle))
		Expect(apps).To(HaveLen(1))
		Expect(apps[0].PID).To(Equal(cmd.Process.Pid))
		Expect(apps[0].Name).To(BeEmpty())
		_, err = other.Tree(ctx, apps[0], 0)
		Expect(err).To(MatchError(ContainSubstring("pid")))
	})
})

// pressable gives the element of that name, whatever its role, that has an
// action to press.
func pressable(ctx context.Context, b *Bus, root *desktop.Element, name string) *desktop.Element {
	var named []*desktop.Element
	root.Walk(func(e *desktop.Element) bool {
		if strings.TrimPrefix(strings.TrimSpace(e.Name), "_") == name {
			named = append(named, e)
		}
		return true
	})
	ExpectWithOffset(1, b.Fill(ctx, named, desktop.NeedActions)).To(Succeed())
	for _, e := range named {
		if pickAction(e.Actions, desktop.Press, e.Role == "label") >= 0 {
			return e
		}
	}
	Fail(fmt.Sprintf("none of %d elements named %q can be pressed", len(named), name), 1)
	return nil
}
