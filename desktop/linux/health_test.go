//go:build linux

package linux

import (
	"errors"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

var _ = Describe("the environment", func() {
	var (
		s *testSession
		d *Desktop
	)
	BeforeEach(func(ctx SpecContext) {
		var err error
		s, err = startSession()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() {
			s.stop()
			Eventually(s.leftovers).WithTimeout(seconds(10)).Should(BeEmpty())
		})
		o := s.options()
		o.NoInput = true
		d, err = Open(ctx, o)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { _ = d.Close() })
	})

	parts := func(h desktop.Health) []desktop.Part {
		var parts []desktop.Part
		for _, p := range h {
			parts = append(parts, p.Part)
		}
		return parts
	}

	DescribeTable("names the part that has gone", func(ctx SpecContext, process string, want desktop.Part, sig syscall.Signal) {
		health := d.Probe(ctx)
		Expect(parts(health)).To(Equal(desktop.Parts))
		Expect(health.OK()).To(BeTrue(), "%+v", health)
		Expect(s.parts[process].Process.Signal(sig)).To(Succeed())
		Eventually(func() desktop.Part {
			health = d.Probe(ctx)
			if fault := health.FirstFault(); fault != nil {
				return fault.Part
			}
			return ""
		}).WithTimeout(seconds(10)).Should(Equal(want))
		Expect(parts(health)).To(Equal(desktop.Parts))
		_ = s.parts[process].Process.Signal(syscall.SIGCONT)
	},
		Entry("X server", "Xvfb", desktop.PartDisplay, syscall.SIGKILL),
		Entry("window manager", "window manager", desktop.PartWindowManager, syscall.SIGKILL),
		Entry("window manager, silent", "window manager", desktop.PartWindowManager, syscall.SIGSTOP),
		Entry("session bus, silent", "session bus", desktop.PartSessionBus, syscall.SIGSTOP),
		Entry("registry", "registry", desktop.PartRegistry, syscall.SIGKILL),
		Entry("registry, silent", "registry", desktop.PartRegistry, syscall.SIGSTOP),
	)

	It("makes every call an environment error once the X server has gone", func(ctx SpecContext) {
		Expect(s.parts["Xvfb"].Process.Kill()).To(Succeed())
		isFault := func(err error) {
			GinkgoHelper()
			var fault *desktop.EnvironmentError
			Expect(errors.As(err, &fault)).To(BeTrue(), "%v", err)
			Expect(fault.Part).To(Equal(desktop.PartDisplay))
		}
		_, err := d.Windows(ctx)
		isFault(err)
		_, err = d.Snapshot(ctx, "", 0)
		isFault(err)
		_, err = d.OpenApp(ctx, launch("xterm"))
		isFault(err)
		_, err = d.Capture(ctx, desktop.Rect{})
		isFault(err)
	})

	It("says early that the window manager is silent, not that an application shows no window", func(ctx SpecContext) {
		Expect(s.parts["window manager"].Process.Signal(syscall.SIGSTOP)).To(Succeed())
		began := time.Now()
		l := launch("xterm")
		l.Timeout = seconds(40)
		_, err := d.OpenApp(ctx, l)
		var fault *desktop.EnvironmentError
		Expect(errors.As(err, &fault)).To(BeTrue(), "%v", err)
		Expect(fault.Part).To(Equal(desktop.PartWindowManager))
		Expect(time.Since(began)).To(BeNumerically("<", seconds(20)))

		Expect(s.parts["window manager"].Process.Signal(syscall.SIGCONT)).To(Succeed())
		_, err = d.OpenApp(ctx, launch("xterm"))
		Expect(err).NotTo(HaveOccurred())
		_, err = d.CloseApp(ctx, "xterm", seconds(5))
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("is refused by name of the part", func(ctx SpecContext, change func(*Options), want desktop.Part) {
		o := s.options()
		o.NoInput = true
		change(&o)
		_, err := Open(ctx, o)
		var fault *desktop.EnvironmentError
		Expect(errors.As(err, &fault)).To(BeTrue(), "%v", err)
		Expect(fault.Part).To(Equal(want))
	},
		Entry("another X server's id", func(o *Options) { o.SessionID = "other" }, desktop.PartDisplay),
		Entry("no display", func(o *Options) { o.Display = "" }, desktop.PartDisplay),
		Entry("a display that does not exist", func(o *Options) { o.Display = ":9999" }, desktop.PartDisplay),
		Entry("no session bus", func(o *Options) { o.SessionBus, o.A11yBus = "unix:path=/nonexistent", "" }, desktop.PartSessionBus),
		Entry("no accessibility bus", func(o *Options) { o.A11yBus = "unix:path=/nonexistent" }, desktop.PartA11yBus),
	)

	It("finds the accessibility bus by the session bus and wakes up on changes", func(ctx SpecContext) {
		o := s.options()
		o.NoInput, o.A11yBus = true, ""
		other, err := Open(ctx, o)
		Expect(err).NotTo(HaveOccurred())
		defer other.Close()
		Expect(other.Move(ctx, desktop.Point{})).To(MatchError(errNoInput))
		_, err = d.OpenApp(ctx, launch("xterm"))
		Expect(err).NotTo(HaveOccurred())
		Eventually(other.Changes()).WithTimeout(seconds(2)).Should(Receive())
	})
})
