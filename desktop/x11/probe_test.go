//go:build linux

package x11_test

import (
	"context"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

var _ = Describe("probes", func() {
	It("find out a window manager that is there but stopped", func(ctx context.Context) {
		s := xvfbtest.Start(GinkgoTB())
		d := open(ctx, s)
		Expect(d.ProbeWindowManager(ctx)).To(And(
			HaveField("OK", false), HaveField("Detail", ContainSubstring("no window manager"))))
		wm := s.Openbox()
		Eventually(func() desktop.Probe { return d.ProbeWindowManager(ctx) }).Should(HaveField("OK", true))
		for range 20 {
			Expect(d.ProbeWindowManager(ctx)).To(And(HaveField("OK", true), HaveField("Detail", "Openbox answered")))
		}
		wm.Signal(syscall.SIGSTOP)
		began := time.Now()
		Expect(d.ProbeWindowManager(ctx)).To(And(
			HaveField("OK", false), HaveField("Detail", ContainSubstring("no answer within 5s"))))
		Expect(time.Since(began)).To(BeNumerically("<", 7*time.Second))
		Expect(d.ProbeDisplay(ctx).OK).To(BeTrue())
		wm.Signal(syscall.SIGCONT)
		Eventually(func() bool { return d.ProbeWindowManager(ctx).OK }).Should(BeTrue())
	}, NodeTimeout(time.Minute))

	It("find out a stopped and a killed X server", func(ctx context.Context) {
		s := xvfbtest.Start(GinkgoTB())
		s.Openbox()
		d := open(ctx, s)
		Expect(d.ProbeDisplay(ctx)).To(And(HaveField("OK", true), HaveField("Detail", ContainSubstring("1024×768"))))

		s.Process.Signal(syscall.SIGSTOP)
		began := time.Now()
		Expect(d.ProbeDisplay(ctx).OK).To(BeFalse())
		Expect(time.Since(began)).To(BeNumerically("<", 7*time.Second))
		short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		_, err := x11.Open(short, s.Display)
		Expect(err).To(BeAssignableToTypeOf(&desktop.EnvironmentError{}))
		s.Process.Signal(syscall.SIGCONT)
		Eventually(func() bool { return d.ProbeDisplay(ctx).OK }).Should(BeTrue())

		s.Process.Kill()
		began = time.Now()
		_, err = d.Windows(ctx)
		Expect(err).To(BeAssignableToTypeOf(&desktop.EnvironmentError{}))
		_, err = d.ReadClipboard(ctx)
		Expect(err).To(BeAssignableToTypeOf(&desktop.EnvironmentError{}))
		Expect(d.ProbeDisplay(ctx).OK).To(BeFalse())
		Expect(d.ProbeWindowManager(ctx).OK).To(BeFalse())
		Expect(time.Since(began)).To(BeNumerically("<", time.Second))
	}, NodeTimeout(time.Minute))

	It("refuse a display that is not named or not there", func(ctx context.Context) {
		for _, name := range []string{"", ":0987", "nonsense"} {
			_, err := x11.Open(ctx, name)
			Expect(err).To(BeAssignableToTypeOf(&desktop.EnvironmentError{}), name)
		}
	})

	It("know the server by its mark", func(ctx context.Context) {
		s := xvfbtest.Start(GinkgoTB())
		d, other := open(ctx, s), open(ctx, s)
		Expect(d.Identity(ctx)).To(BeEmpty())
		Expect(d.SetIdentity(ctx, "session-1")).To(Succeed())
		Expect(other.Identity(ctx)).To(Equal("session-1"))
		Expect(d.SetIdentity(ctx, "")).To(Succeed())
		Expect(other.Identity(ctx)).To(BeEmpty())
		Expect(d.Size(ctx)).To(Equal(desktop.Rect{Width: xvfbtest.Width, Height: xvfbtest.Height}))
	})
})
