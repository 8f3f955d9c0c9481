//go:build linux && cgo

package input_test

import (
	"context"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

var _ = Describe("what a killed process leaves", func() {
	var s *xvfbtest.Server
	var f field
	BeforeEach(func(ctx context.Context) {
		s = xvfbtest.Start(GinkgoTB())
		s.Openbox()
		d, err := x11.Open(ctx, s.Display)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(d.Close)
		f = showField(ctx, s, d, "gtk3")
	})

	It("is put back by the next: lent keys, keys that are down", func(ctx context.Context) {
		before := keyboard(s)
		first := startHand(s)
		first.must(order{Do: "type", Text: mixed})
		Eventually(f.text).Should(Equal(mixed))
		Expect(first.orders.Encode(order{Do: "hold", Text: "Shift_L", Duration: time.Hour})).To(Succeed())
		Eventually(func() uint16 { return buttons(s) }).ShouldNot(BeZero())
		first.Kill()
		Expect(keyboard(s)).NotTo(Equal(before))

		second := startHand(s)
		Expect(keyboard(s)).To(Equal(before))
		Expect(buttons(s)).To(BeZero())
		second.must(order{Do: "type", Text: " aż"})
		Eventually(f.text).Should(Equal(mixed + " aż"))
		second.end()
		Expect(keyboard(s)).To(Equal(before))
	}, NodeTimeout(time.Minute))

	It("is left alone where somebody has loaded another layout since", func(ctx context.Context) {
		first := startHand(s)
		first.must(order{Do: "type", Text: "漢字"})
		first.Kill()
		useLayout(s, "de")
		loaded := keyboard(s)
		startHand(s)
		Expect(keyboard(s)).To(Equal(loaded))
	}, NodeTimeout(time.Minute))

	It("is not touched while its process lives, which alone may lend keys", func(ctx context.Context) {
		first := startHand(s)
		first.must(order{Do: "type", Text: "漢字"})
		lent := keyboard(s)
		second := startHand(s)
		Expect(keyboard(s)).To(Equal(lent))
		r := second.do(order{Do: "type", Text: "かな"})
		Expect(r.Error).To(ContainSubstring("another process of opendesk types on this display"))
		Expect(r.Environment).To(BeTrue())
		second.must(order{Do: "type", Text: "plain"})
		first.end()
		second.must(order{Do: "type", Text: "かな"})
		Eventually(f.text).Should(Equal("漢字plainかな"))
	}, NodeTimeout(time.Minute))

	It("is put back where keys that are lent are changed by somebody else", func(ctx context.Context) {
		before := keyboard(s)
		h := startHand(s)
		h.must(order{Do: "type", Text: "漢字"})
		Eventually(f.text).Should(Equal("漢字"))
		code := ""
		for line := range strings.Lines(keyboard(s)) {
			if strings.Contains(line, "U6F22") {
				code = strings.Fields(line)[1]
			}
		}
		Expect(code).NotTo(BeEmpty())
		run(s, "xmodmap", "-e", "keycode "+code+" = x X")
		h.must(order{Do: "type", Text: "漢字かな"})
		Eventually(f.text).Should(Equal("漢字漢字かな"))
		h.end()
		Expect(keyboard(s)).To(Equal(before))
	}, NodeTimeout(time.Minute))
})

var _ = Describe("an application that does not take its keys", func() {
	It("gets no other meaning for those that it has not looked up", func(ctx context.Context) {
		s := xvfbtest.Start(GinkgoTB())
		s.Openbox()
		d, err := x11.Open(ctx, s.Display)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(d.Close)
		f := showField(ctx, s, d, "qt5")
		h := startHand(s)
		var many []rune
		for r := rune(0x4e00); r < 0x4e00+300; r++ {
			many = append(many, r)
		}
		f.Signal(syscall.SIGSTOP)
		r := h.do(order{Do: "type", Text: string(many), Timeout: 2 * time.Second})
		Expect(r.Error).To(ContainSubstring("waiting for"))
		Expect(r.Environment).To(BeFalse())
		f.Signal(syscall.SIGCONT)
		Eventually(f.text).ShouldNot(BeEmpty())
		Eventually(func() int { return len(f.text()) }).Should(BeNumerically(">", 300))
		Consistently(f.text, "300ms").Should(Satisfy(func(text string) bool { return strings.HasPrefix(string(many), text) }))
	}, NodeTimeout(time.Minute))
})
