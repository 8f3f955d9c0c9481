//go:build linux

package atspi

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

var _ = Describe("Value and text", func() {
	It("are the text that a cell shows, and the number and text of others", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		window := a.child(rootPath, "window", 23)
		sheet := a.child(window.path, "sheet", 55)
		a.child(sheet.path, "A1", roleTableCell).shows("42%", 0.42)
		a.child(sheet.path, "A2", roleTableCell).shows("Äpfel", 0)
		a.child(sheet.path, "A3", roleTableCell).shows("", 0)
		a.child(window.path, "Amount", 52).shows("3,50 €", 3.5) // a spin button
		root, err := f.open(Options{}).Tree(ctx, a.info(), desktop.NeedText)
		Expect(err).NotTo(HaveOccurred())
		got := map[string][2]string{}
		root.Walk(func(e *desktop.Element) bool { got[e.Name] = [2]string{e.Value, e.Text}; return true })
		Expect(got).To(Equal(map[string][2]string{
			"fake": {}, "window": {}, "sheet": {},
			"A1": {"", "42%"}, "A2": {"", "Äpfel"}, "A3": {}, "Amount": {"3.5", "3,50 €"},
		}))
	})
})
