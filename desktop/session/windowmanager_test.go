//go:build linux

package session

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

var _ = Describe("waiting for a window manager", func() {
	It("sees one that names its window before it marks it", func(ctx SpecContext) {
		s := start(ctx, None)
		GinkgoT().Setenv("XAUTHORITY", xauthorityOf(s.Info().Dir))
		manager, err := openDisplay(ctx, s.Info().Display)
		Expect(err).NotTo(HaveOccurred())
		defer manager.Close()
		check, err := manager.atom("_NET_SUPPORTING_WM_CHECK")
		Expect(err).NotTo(HaveOccurred())
		window, err := xproto.NewWindowId(manager.Conn)
		Expect(err).NotTo(HaveOccurred())
		Expect(xproto.CreateWindowChecked(manager.Conn, 0, window, manager.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil).Check()).To(Succeed())
		mark := func(w xproto.Window) {
			GinkgoHelper()
			value := make([]byte, 4)
			xgb.Put32(value, uint32(window))
			Expect(xproto.ChangePropertyChecked(manager.Conn, xproto.PropModeReplace, w, check, xproto.AtomWindow, 32, 1, value).Check()).To(Succeed())
		}

		watching, cancel := context.WithCancel(ctx)
		defer cancel()
		x, err := openDisplay(watching, s.Info().Display)
		Expect(err).NotTo(HaveOccurred())
		defer x.Close()
		// The server gives the ids of a connection that has gone to the next one:
		// openbox may still have questions about the one that started it.
		for range 8 {
			_, err := xproto.NewWindowId(x.Conn)
			Expect(err).NotTo(HaveOccurred())
		}
		managed, err := x.watchManager()
		Expect(err).NotTo(HaveOccurred())
		mark(manager.root)
		Consistently(managed, 100*time.Millisecond).ShouldNot(Receive())
		mark(window)
		Eventually(managed).Should(Receive(BeNil()))
	})
})

var _ = Describe("the window manager", func() {
	// Openbox announces itself before it looks at its events. One window in
	// five that was mapped in between was never shown.
	It("manages a window that is mapped at once", func(ctx SpecContext) {
		for range 12 {
			s := start(ctx, None)
			Eventually(managed(ctx, s)).WithTimeout(3 * time.Second).WithPolling(5 * time.Millisecond).Should(BeTrue())
			Expect(s.Close(ctx)).To(Succeed())
		}
	})
})

// managed maps a window on the session's display, and gives what says whether
// it is managed by now (WM_STATE). Nothing else happens on the display.
func managed(ctx context.Context, s *Session) func() (bool, error) {
	GinkgoHelper()
	GinkgoT().Setenv("XAUTHORITY", xauthorityOf(s.Info().Dir))
	x, err := openDisplay(ctx, s.Info().Display)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(x.Close)
	state, err := x.atom("WM_STATE")
	Expect(err).NotTo(HaveOccurred())
	w, err := xproto.NewWindowId(x.Conn)
	Expect(err).NotTo(HaveOccurred())
	Expect(xproto.CreateWindowChecked(x.Conn, 0, w, x.root, 10, 10, 200, 100, 0, xproto.WindowClassInputOutput, 0, 0, nil).Check()).To(Succeed())
	Expect(xproto.MapWindowChecked(x.Conn, w).Check()).To(Succeed())
	return func() (bool, error) {
		reply, err := xproto.GetProperty(x.Conn, false, w, state, xproto.GetPropertyTypeAny, 0, 1).Reply()
		return err == nil && reply.Format == 32, err
	}
}
