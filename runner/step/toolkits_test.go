//go:build linux && cgo

package step_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/runner/resolve"
)

// On every toolkit: a button is pressed, a box is ticked, an entry of a list or
// menu is chosen, each with its effect; a menu that misses its item is closed,
// and the application can still be closed politely, which a grab that was left
// behind would not allow.
var _ = Describe("clicking", func() {
	It("works on GTK 2", func(ctx SpecContext) {
		demo := open(ctx, "gtk2", "gtk-demo")
		Expect(demo.clicks(ctx, "table cell", "Application main window")).To(Equal("native"))
		demo.titled(ctx, "Application Window")
		demo.chooses(ctx, "Preferences", "Color > Green")
		demo.says(ctx, `You activated radio action: "Green"`)
		demo.misses(ctx, "Preferences", "Color > Nothing")
		Expect(demo.clicks(ctx, "menu", "Preferences")).To(Equal("pointer"))
		Expect(demo.clicks(ctx, "menu item", "Bold")).To(Equal("pointer"))
		demo.says(ctx, `You activated action: "Bold"`)
		noPopups(ctx)
		Expect(demo.clicks(ctx, "button", "Quit")).To(Equal("native"))
		demo.says(ctx, `You activated action: "Quit"`)
	}, SpecTimeout(time.Minute))

	It("works on GTK 3", func(ctx SpecContext) {
		numbers := open(ctx, "numbers", "numbers/numbers.py")
		Expect(numbers.clicks(ctx, "button", "Copy Total")).To(Equal("native"))
		numbers.says(ctx, "Total copied")
		numbers.clicks(ctx, "check box", "Include chart")
		numbers.says(ctx, "Chart included")
		Expect(numbers.clicks(ctx, "combo box", "Paper")).To(Equal("native"))
		Expect(numbers.clicks(ctx, "menu item", "Letter")).To(Equal("pointer"))
		numbers.says(ctx, "Paper is Letter")
		numbers.chooses(ctx, "View", "Zoom > 200 %")
		numbers.says(ctx, "Zoom is 200 %")
		numbers.misses(ctx, "View", "Zoom > Nothing")
		for _, title := range []string{"View", "Zoom"} {
			Expect(numbers.clicks(ctx, "menu", title)).To(Equal("pointer"))
		}
		numbers.clicks(ctx, "menu item", "50 %")
		numbers.says(ctx, "Zoom is 50 %")
		numbers.closesPolitely(ctx)
	}, SpecTimeout(time.Minute))

	It("works on GTK 3's header bars and popovers", func(ctx SpecContext) {
		gedit := open(ctx, "gedit", "gedit")
		gedit.misses(ctx, "Menu", "Nothing")
		gedit.chooses(ctx, "Menu", "Preferences")
		gedit.titled(ctx, "Preferences")
		presses(ctx, "Escape")
		gedit.closesPolitely(ctx)
	}, SpecTimeout(time.Minute))

	It("works on GTK 4, and loses no key", func(ctx SpecContext) {
		calculator := open(ctx, "gnome-calculator")
		Expect(calculator.clicks(ctx, "button", "7")).To(Equal("pointer"))
		presses(ctx, "8", "9")
		for _, title := range []string{"×", "1", "0", "="} {
			Expect(calculator.clicks(ctx, "button", title)).To(Equal("pointer"))
		}
		calculator.says(ctx, "7890")
		calculator.misses(ctx, "Basic", "Nothing")
		calculator.chooses(ctx, "Basic", "Advanced")
		calculator.says(ctx, "sin")
		calculator.chooses(ctx, "GtkMenuButton", "Preferences")
		calculator.titled(ctx, "Preferences")
		Expect(calculator.clicks(ctx, "", "Trailing zeroes")).NotTo(BeEmpty())
	}, SpecTimeout(time.Minute))

	It("works on Qt 5", func(ctx SpecContext) {
		kcalc := open(ctx, "kcalc")
		Expect(kcalc.clicks(ctx, "button", "7")).To(Equal("native"))
		kcalc.chooses(ctx, "Settings", "Science Mode")
		noPopups(ctx)
		kcalc.says(ctx, "Constants")
		kcalc.misses(ctx, "Settings", "Nothing")
		kcalc.clicks(ctx, "radio button", "Rad")
		Eventually(func() bool { return kcalc.checked(ctx, "Rad") }).WithTimeout(patience).Should(BeTrue())
		kcalc.closesPolitely(ctx)
	}, SpecTimeout(time.Minute))

	It("works on Qt 6", func(ctx SpecContext) {
		orders := open(ctx, "orders", "orders/orders.py")
		orders.clicks(ctx, "check box", "Wrap as a gift")
		orders.says(ctx, "Gift wrap on")
		orders.clicks(ctx, "combo box", "")
		Expect(orders.clicks(ctx, "list item", "Blue")).To(Equal("pointer"))
		orders.says(ctx, "Colour is Blue")
		orders.clicks(ctx, "page tab", "Stock")
		Expect(orders.clicks(ctx, "list item", "Item 39")).To(Equal("pointer")) // out of view
		orders.says(ctx, "Item 39 chosen")
		orders.clicks(ctx, "list item", "Item 02")
		orders.says(ctx, "Item 02 chosen")
		orders.chooses(ctx, "Order", "Send by > Courier")
		orders.says(ctx, "Sent by Courier")
		orders.misses(ctx, "Order", "Send by > Nothing")
		orders.chooses(ctx, "Order", "Urgent")
		orders.titled(ctx, "Urgent Order")
		noPopups(ctx)
		orders.closesPolitely(ctx)
	}, SpecTimeout(time.Minute))

	It("works on Swing", func(ctx SpecContext) {
		needsFull()
		bookings := open(ctx, "bookings", "bookings/bookings.sh")
		bookings.clicks(ctx, "check box", "With breakfast")
		bookings.says(ctx, "Breakfast ordered")
		bookings.clicks(ctx, "combo box", "")
		bookings.clicks(ctx, "", "Double")
		bookings.says(ctx, "Room is Double")
		bookings.clicks(ctx, "", "Night 35") // out of view
		bookings.says(ctx, "Night 35 chosen")
		bookings.chooses(ctx, "Booking", "Send by > Courier")
		bookings.says(ctx, "Courier was the choice")
		bookings.misses(ctx, "Booking", "Send by > Nothing")
		bookings.clicks(ctx, "button", "Confirm…")
		bookings.clicks(ctx, "button", "Yes")
		bookings.says(ctx, "Room is booked")
	}, SpecTimeout(2*time.Minute))

	It("works on Chromium", func(ctx SpecContext) {
		needsFull()
		tickets := open(ctx, "tickets", "tickets/chromium.sh", "--force-renderer-accessibility")
		tickets.clicks(ctx, "button", "Reserve")
		tickets.says(ctx, "Seat reserved")
		tickets.clicks(ctx, "check box", "Student price")
		tickets.says(ctx, "Student price on")
		tickets.clicks(ctx, "combo box", "Day")
		tickets.clicks(ctx, "menu item", "Saturday")
		tickets.says(ctx, "Day is Saturday")
		tickets.clicks(ctx, "button", "Subscribe to the letter") // out of view
		tickets.titled(ctx, "Letter subscribed")
		tickets.chooses(ctx, "More", "Refund")
		tickets.says(ctx, "Refund was the choice")
		tickets.clicks(ctx, "button", "House rules")
		tickets.clicks(ctx, "button", "Agree")
		tickets.says(ctx, "House rules agreed to")
	}, SpecTimeout(2*time.Minute))

	It("works on LibreOffice", func(ctx SpecContext) {
		needsFull()
		calc := open(ctx, "calc", "localc", "--norestore", "--nologo")
		calc.clicks(ctx, "button", "Bold")
		Eventually(func() bool { return calc.checked(ctx, "Bold") }).WithTimeout(2 * patience).Should(BeTrue())
		calc.misses(ctx, "Format", "Align Text > Nothing")
		calc.chooses(ctx, "Sheet", "Rename Sheet...")
		calc.titled(ctx, "Rename Sheet")
		presses(ctx, "Escape")
		Expect(calc.clicks(ctx, "table cell", "C7")).To(Equal("pointer"))
		Eventually(func() bool { return calc.focused(ctx, "C7") }).WithTimeout(2 * patience).Should(BeTrue())
	}, SpecTimeout(3*time.Minute))
})

// An action whose handler runs a modal dialog leaves the application readable
// and reachable by keys.
var _ = Describe("the modal trap", func() {
	It("is none on Numbers", func(ctx SpecContext) {
		numbers := open(ctx, "numbers", "numbers/numbers.py", "--modal-on-click")
		for _, answer := range []string{"Escape", "Return"} {
			numbers.chooses(ctx, "File", "Export To")
			numbers.clicks(ctx, "button", "PDF")
			numbers.titled(ctx, "Export as PDF")
			readable(ctx, numbers, "button", "Discard")
			presses(ctx, answer) // Discard has the focus
			numbers.says(ctx, "Discarded Report.pdf")
			Expect(numbers.clicks(ctx, "button", "Copy Total")).To(Equal("native"))
			numbers.says(ctx, "Total copied")
		}
		numbers.closesPolitely(ctx)
	}, SpecTimeout(time.Minute))

	It("is none on mousepad's Save As", func(ctx SpecContext) {
		mousepad := open(ctx, "mousepad", "mousepad", "--disable-server")
		for range 2 {
			mousepad.chooses(ctx, "File", "Save As...")
			mousepad.titled(ctx, "Save As")
			readable(ctx, mousepad, "button", "Cancel")
			presses(ctx, "Escape")
			Eventually(func() (*desktop.Element, error) { return mousepad.find(ctx, "button", "Cancel") }).
				WithTimeout(patience).Should(BeNil())
		}
		mousepad.closesPolitely(ctx)
	}, SpecTimeout(time.Minute))
})

var _ = Describe("the pointer", func() {
	It("uses a context menu and leaves no grab behind", func(ctx SpecContext) {
		mousepad := open(ctx, "mousepad", "mousepad", "--disable-server")
		Expect(desk.Type(ctx, "first")).To(Succeed())
		mousepad.says(ctx, "first")
		mousepad.does(ctx, "mouse", `{"action":"right_click"}`, `"role":"text"`)
		Expect(mousepad.clicks(ctx, "menu item", "Select All")).To(Equal("pointer"))
		noPopups(ctx)
		Expect(desk.Type(ctx, "second")).To(Succeed())
		mousepad.says(ctx, "second")
		Expect(mousepad.has(ctx, "first")).To(BeFalse())
		// What ends with unsaved text asks at its next start.
		Expect(desk.Chord(ctx, "q", "Control_L")).To(Succeed())
		mousepad.clicks(ctx, "button", "Don't Save")
	}, SpecTimeout(time.Minute))

	It("names what covers the element", func(ctx SpecContext) {
		numbers := open(ctx, "numbers", "numbers/numbers.py", "--modal-on-click")
		numbers.chooses(ctx, "File", "Export To")
		numbers.clicks(ctx, "button", "PDF")
		numbers.titled(ctx, "Export as PDF")
		readable(ctx, numbers, "dialog", "Export as PDF")
		// The window's own middle lies below the dialog, which stays in front.
		_, err := numbers.tries(ctx, time.Second, "mouse", `{"action":"click"}`, `"role":"frame","title":"Report.numbers"`)
		Expect(err).To(MatchError(ContainSubstring("covered by window 'Export as PDF' of")))
		Expect(numbers.has(ctx, "Keep Report.pdf?")).To(BeTrue(), "nothing was clicked")
	}, SpecTimeout(time.Minute))

	It("drags, scrolls and clicks by coordinates, of a screenshot of any size", func(ctx SpecContext) {
		numbers := open(ctx, "numbers", "numbers/numbers.py")
		bin, err := numbers.find(ctx, "label", "Bin")
		Expect(err).NotTo(HaveOccurred())
		Expect(desk.Fill(ctx, []*desktop.Element{bin}, desktop.NeedBounds)).To(Succeed())
		to := bin.Bounds.Centre()
		// The screen is 1280×800, the screenshot half of that.
		half := fmt.Sprintf(`"image_width":640,"image_height":400,"end_x":%g,"end_y":%g`, float64(to.X)/2, float64(to.Y)/2)
		numbers.does(ctx, "mouse", `{"action":"drag","duration":0.3,`+half+`}`, `"role":"label","title":"Card"`)
		numbers.says(ctx, "Card dropped in the bin")

		rows := `"identifier":"rows"`
		numbers.does(ctx, "mouse", `{"action":"scroll","direction":"down","amount":30}`, rows)
		Eventually(func() bool { return numbers.inSight(ctx, "Row 60") }).WithTimeout(patience).Should(BeTrue())
		numbers.clicks(ctx, "label", "Row 60")
		numbers.says(ctx, "Row 60 selected")
		numbers.does(ctx, "mouse", `{"action":"scroll","amount":30}`, rows) // up
		Eventually(func() bool { return numbers.inSight(ctx, "Row 01") }).WithTimeout(patience).Should(BeTrue())
		numbers.does(ctx, "mouse", `{"action":"right_click"}`, `"role":"label","title":"Row 03"`)
		Expect(numbers.clicks(ctx, "menu item", "Duplicate")).To(Equal("pointer"))
		numbers.says(ctx, "Row 03 duplicated")
		numbers.closesPolitely(ctx)
	}, SpecTimeout(time.Minute))

	It("raises the window that another one is in front of", func(ctx SpecContext) {
		back := open(ctx, "back", "numbers/numbers.py")
		front := open(ctx, "front", "numbers/numbers.py", "--pdf-title", "Front")
		front.titled(ctx, "Report.numbers")
		back.does(ctx, "mouse", `{"action":"click"}`, `"role":"button","title":"Copy Total"`)
		back.says(ctx, "Total copied")
		front.lacks(ctx, "Total copied")
	}, SpecTimeout(time.Minute))
})

func needsFull() {
	if !full {
		Skip("takes long: set OPENDESK_FULL=1")
	}
}

// readable expects the dialog's element to be readable at once.
func readable(ctx context.Context, a app, role, title string) {
	GinkgoHelper()
	Eventually(func() (*desktop.Element, error) { return a.find(ctx, role, title) }).WithTimeout(patience).ShouldNot(BeNil())
	start := time.Now()
	e, err := a.find(ctx, role, title)
	Expect(err).NotTo(HaveOccurred())
	Expect(e).NotTo(BeNil())
	Expect(time.Since(start)).To(BeNumerically("<", 3*time.Second))
}

// find is the first showing element of that role and title.
func (a app) find(ctx context.Context, role, title string) (*desktop.Element, error) {
	snap, err := desk.Snapshot(ctx, a.name, 0)
	if err != nil {
		return nil, err
	}
	for _, fault := range snap.Faults {
		return nil, fmt.Errorf("%s: %w", fault.Info.Display(), fault.Err)
	}
	var found *desktop.Element
	for _, tree := range snap.Apps {
		tree.Root.Walk(func(e *desktop.Element) bool {
			if found == nil && desktop.SameRole(e.Role, role) && e.Name == title && e.States.Has(desktop.Showing) {
				found = e
			}
			return found == nil
		})
	}
	return found, nil
}

// inSight reports whether the element of that title is not scrolled out.
func (a app) inSight(ctx context.Context, title string) bool {
	e, err := a.find(ctx, "label", title)
	if err != nil || e == nil {
		return false
	}
	seen, known, err := resolve.Finder{Desktop: desk}.Clip(ctx, e)
	return err == nil && known && !seen.Empty()
}

// lacks expects that nothing says the text.
func (a app) lacks(ctx context.Context, text string) {
	GinkgoHelper()
	Expect(a.has(ctx, text)).To(BeFalse())
}

func (a app) checked(ctx context.Context, title string) bool {
	return a.state(ctx, title, desktop.Checked)
}

func (a app) focused(ctx context.Context, title string) bool {
	return a.state(ctx, title, desktop.Focused)
}

func (a app) state(ctx context.Context, title string, state desktop.States) bool {
	snap, err := desk.Snapshot(ctx, a.name, 0)
	if err != nil {
		return false
	}
	found := false
	for _, tree := range snap.Apps {
		tree.Root.Walk(func(e *desktop.Element) bool {
			found = found || e.Name == title && e.States.Has(state|desktop.Showing)
			return !found
		})
	}
	return found
}
