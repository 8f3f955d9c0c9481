package fake_test

import (
	"context"
	"fmt"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
)

// A dialog with a button that opens a second window, found and pressed.
func Example() {
	d := fake.New(1280, 800)
	window := &fake.Window{Title: "Report.numbers", Bounds: desktop.Rect{Width: 640, Height: 480}}
	numbers := &fake.App{Info: desktop.AppInfo{Name: "Numbers"}, Windows: []*fake.Window{window}}
	pdf := &fake.Node{Role: "push button", Name: "PDF", Identifier: "export-pdf", Actions: []string{"click"}}
	window.Nodes = []*fake.Node{{Role: "panel", Children: []*fake.Node{pdf}}}
	pdf.OnPress = func() {
		numbers.Windows = append(numbers.Windows, &fake.Window{Title: "Export", Role: "dialog"})
		d.Focus(numbers.Windows[1])
	}
	d.Add(numbers)

	ctx := context.Background()
	s, _ := d.Snapshot(ctx, "Numbers", desktop.NeedIdentifier)
	s.Apps[0].Root.Walk(func(e *desktop.Element) bool {
		if e.Identifier == "export-pdf" {
			fmt.Println(e.Ref)
			fmt.Println(d.Act(ctx, e, desktop.Press))
		}
		return true
	})
	w, _ := d.FocusedWindow(ctx)
	fmt.Println(w.Title, d.Log())
	// Output:
	// frame[0]/panel[0]/push button[0]
	// <nil>
	// Export [press push button 'PDF']
}
