//go:build linux

package x11_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

func TestX11(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(10 * time.Second)
	RunSpecs(t, "x11")
}

// open connects to the server for one spec.
func open(ctx context.Context, s *xvfbtest.Server) *x11.Display {
	GinkgoHelper()
	d, err := x11.Open(ctx, s.Display)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(d.Close)
	return d
}

// appears waits for a window of that title.
func appears(ctx context.Context, d *x11.Display, title string) x11.Window {
	GinkgoHelper()
	var found x11.Window
	Eventually(func(g Gomega) {
		windows, err := d.Windows(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		for _, w := range windows {
			if w.Title == title {
				found = w
				return
			}
		}
		g.Expect(titles(windows)).To(ContainElement(title))
	}).Should(Succeed())
	return found
}

func titles(windows []x11.Window) []string {
	var all []string
	for _, w := range windows {
		all = append(all, w.Title)
	}
	return all
}
