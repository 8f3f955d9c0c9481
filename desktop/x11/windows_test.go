//go:build linux

package x11_test

import (
	"context"
	"os/exec"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

// xterm shows a terminal that does nothing.
func xterm(s *xvfbtest.Server, title string) *xvfbtest.Process {
	return s.Run("xterm", "-T", title, "-name", "inst", "-class", "XTerm", "-geometry", "40x10+50+60", "-e", "sleep", "600")
}

var _ = Describe("windows", func() {
	var s *xvfbtest.Server
	BeforeEach(func() { s = xvfbtest.Start(GinkgoTB()) })

	It("are listed front first, with title, class, pid and place", func(ctx context.Context) {
		s.Openbox()
		d := open(ctx, s)
		first := xterm(s, "eins żółć")
		appears(ctx, d, "eins żółć")
		xterm(s, "zwei")
		appears(ctx, d, "zwei")

		Eventually(func(g Gomega) {
			windows, err := d.Windows(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(titles(windows)).To(Equal([]string{"zwei", "eins żółć"}))
			g.Expect(windows[0].Focused).To(BeTrue())
			g.Expect(windows[1].Focused).To(BeFalse())
			focused, err := d.FocusedWindow(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(focused).NotTo(BeNil())
			g.Expect(focused.ID).To(Equal(windows[0].ID))
		}).Should(Succeed())
		w := appears(ctx, d, "eins żółć")
		Expect(w.App).To(Equal(desktop.AppInfo{Instance: "inst", Class: "XTerm", PID: first.Cmd.Process.Pid}))
		Expect(w.Override).To(BeFalse())
		Expect(w.Type).To(Or(Equal("normal"), BeEmpty()))
		Expect(w.Bounds.X).To(BeNumerically(">=", 50))
		Expect(w.Bounds.Y).To(BeNumerically(">", 60), "the title bar is not part of it")
		Expect(w.Bounds.Width).To(BeNumerically(">", 200))

		By("raising the other")
		Expect(d.Raise(ctx, w.ID)).To(Succeed())
		windows, err := d.Windows(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(titles(windows)[0]).To(Equal("eins żółć"))
		Expect(windows[0].Focused).To(BeTrue())

		By("closing it")
		Expect(d.CloseWindow(ctx, w.ID)).To(Succeed())
		Eventually(func() ([]string, error) {
			windows, err := d.Windows(ctx)
			return titles(windows), err
		}).Should(Equal([]string{"zwei"}))
		Expect(d.Raise(ctx, w.ID)).To(MatchError(&desktop.GoneError{What: "window 0x" + strconv.FormatUint(uint64(w.ID), 16)}))
		Expect(d.CloseWindow(ctx, w.ID)).To(BeAssignableToTypeOf(&desktop.GoneError{}))
	}, NodeTimeout(time.Minute))

	It("that are minimised are not visible, and Raise brings them back", func(ctx context.Context) {
		s.Openbox()
		d := open(ctx, s)
		xterm(s, "klein")
		w := appears(ctx, d, "klein")
		Eventually(func() (*x11.Window, error) { return d.FocusedWindow(ctx) }).ShouldNot(BeNil())
		minimise := exec.Command("xdotool", "windowminimize", strconv.Itoa(int(w.ID)))
		minimise.Env = []string{"DISPLAY=" + s.Display, "PATH=/usr/bin"}
		Expect(minimise.Run()).To(Succeed())
		Eventually(func() ([]x11.Window, error) { return d.Windows(ctx) }).Should(BeEmpty())
		Eventually(func() ([]x11.Window, error) { return d.AllWindows(ctx) }).Should(
			ConsistOf(HaveField("Minimised", true)))
		Expect(d.Raise(ctx, w.ID)).To(Succeed())
		Expect(d.FocusedWindow(ctx)).To(HaveField("ID", w.ID))
		Expect(d.Windows(ctx)).To(HaveLen(1))
	}, NodeTimeout(time.Minute))

	It("are listed without a window manager, and one dead is not believed", func(ctx context.Context) {
		d := open(ctx, s)
		xterm(s, "allein")
		w := appears(ctx, d, "allein")
		Expect(w.Bounds.X).To(BeNumerically("~", 50, 2))
		Expect(d.Raise(ctx, w.ID)).To(Succeed())
		Expect(d.FocusedWindow(ctx)).To(HaveField("Title", "allein"))

		wm := s.Openbox()
		Eventually(func() bool { return d.ProbeWindowManager(ctx).OK }).Should(BeTrue())
		wm.Kill()
		Eventually(func() ([]string, error) {
			windows, err := d.Windows(ctx)
			return titles(windows), err
		}).Should(ContainElement("allein"))
		Expect(d.ProbeWindowManager(ctx).OK).To(BeFalse())
	}, NodeTimeout(time.Minute))

	It("say their changes", func(ctx context.Context) {
		s.Openbox()
		d := open(ctx, s)
		xterm(s, "vorher")
		w := appears(ctx, d, "vorher")
		Eventually(func() (*x11.Window, error) { return d.FocusedWindow(ctx) }).ShouldNot(BeNil())
		quiet := func() bool {
			select {
			case <-d.Changes():
				return false
			case <-time.After(200 * time.Millisecond):
				return true
			}
		}
		Eventually(quiet).Should(BeTrue())
		rename := exec.Command("xdotool", "set_window", "--name", "nachher", strconv.Itoa(int(w.ID)))
		rename.Env = []string{"DISPLAY=" + s.Display, "PATH=/usr/bin"}
		Expect(rename.Run()).To(Succeed())
		Eventually(d.Changes()).Should(Receive())
		Expect(d.Windows(ctx)).To(ContainElement(HaveField("Title", "nachher")))
	}, NodeTimeout(time.Minute))

	It("knows menus, which no window manager manages", func(ctx context.Context) {
		s.Openbox()
		d := open(ctx, s)
		xterm(s, "mit Menü")
		w := appears(ctx, d, "mit Menü")
		Expect(d.Raise(ctx, w.ID)).To(Succeed())
		menu := exec.Command("xdotool", "mousemove", strconv.Itoa(w.Bounds.Centre().X), strconv.Itoa(w.Bounds.Centre().Y),
			"keydown", "ctrl", "mousedown", "1")
		menu.Env = []string{"DISPLAY=" + s.Display, "PATH=/usr/bin"}
		Expect(menu.Run()).To(Succeed())
		Eventually(func() ([]x11.Window, error) { return d.Windows(ctx) }).Should(HaveLen(2))
		windows, err := d.Windows(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(windows[0].Override).To(BeTrue(), "the menu is in front")
		Expect(windows[0].App.PID).To(Equal(w.App.PID))
	}, NodeTimeout(time.Minute))
})
