//go:build linux && cgo

package input_test

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

const mixed = "The quick Brown fox: 0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ " +
	"Zażółć gęślą jaźń ZAŻÓŁĆ äöüß ÀÉÎ€ Αθήνα ΔΩ Москва ЖЩ 漢字かなカナ 한글 😀🎉 aabbccAABBCC"

var _ = Describe("typing", func() {
	var s *xvfbtest.Server
	var d *x11.Display
	BeforeEach(func(ctx context.Context) {
		s = xvfbtest.Start(GinkgoTB())
		s.Openbox()
		var err error
		d, err = x11.Open(ctx, s.Display)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(d.Close)
	})
	for _, toolkit := range []string{"gtk3", "gtk4", "qt5"} {
		It("is exact in "+toolkit, func(ctx context.Context) {
			f := showField(ctx, s, d, toolkit)
			h := startHand(s)
			h.must(order{Do: "type", Text: mixed})
			Eventually(f.text).Should(Equal(mixed))

			By("typing the same characters again")
			h.must(order{Do: "type", Text: " żółw"})
			Eventually(f.text).Should(Equal(mixed + " żółw"))

			By("typing on other layouts")
			want := mixed + " żółw"
			for _, l := range []string{"de", "it", "fr", "ru", "us"} {
				useLayout(s, l)
				h.must(order{Do: "type", Text: l + ": [@€#^~] zyäжΩ漢😀; "})
				want += l + ": [@€#^~] zyäжΩ漢😀; "
				Eventually(f.text).Should(Equal(want), func() string { return l + ": " + f.text() })
			}
			h.end()
		}, NodeTimeout(2*time.Minute))

		It("is exact with more characters than there are keys, in "+toolkit, func(ctx context.Context) {
			var many strings.Builder
			for r := rune(0x4e00); r < 0x4e00+600; r++ {
				many.WriteRune(r)
			}
			f := showField(ctx, s, d, toolkit)
			h := startHand(s)
			h.must(order{Do: "type", Text: many.String()})
			Eventually(f.text).Should(Equal(many.String()))
		}, NodeTimeout(2*time.Minute))

		It("is fast and keeps lines in "+toolkit, func(ctx context.Context) {
			f := showField(ctx, s, d, toolkit, "multiline")
			h := startHand(s)
			text := strings.Repeat("Lorem ipsum DOLOR sit amet,\tconsectetur (adipiscing) elit.\n", 50)
			r := h.must(order{Do: "type", Text: text})
			Eventually(f.text).Should(Equal(text))
			Expect(float64(len(text))/r.Took.Seconds()).To(BeNumerically(">", 1000), "characters a second (%v)", r.Took)
			AddReportEntry("characters a second", float64(len(text))/r.Took.Seconds())
		}, NodeTimeout(2*time.Minute))
	}

	It("is exact in xterm", func(ctx context.Context) {
		file := GinkgoT().TempDir() + "/typed"
		s.Run("xterm", "-u8", "-T", "term", "-e", "sh", "-c", "cat > "+file)
		Eventually(func() (*x11.Window, error) { return d.FocusedWindow(ctx) }).Should(
			And(Not(BeNil()), HaveField("Title", "term")))
		h := startHand(s)
		text := mixed + "\nsecond line\n"
		h.must(order{Do: "type", Text: text})
		Eventually(func() string { return read(file) }).Should(Equal(text))
	}, NodeTimeout(time.Minute))

	It("is exact with Caps Lock on and leaves it on", func(ctx context.Context) {
		f := showField(ctx, s, d, "gtk3")
		h := startHand(s)
		h.must(order{Do: "chord", Text: "Caps_Lock"})
		h.must(order{Do: "type", Text: "aB ж"})
		Eventually(f.text).Should(Equal("aB ж"))
		h.must(order{Do: "chord", Text: "c"})
		Eventually(f.text).Should(Equal("aB жC"))
	}, NodeTimeout(time.Minute))

	It("puts the layout back", func(ctx context.Context) {
		before := keyboard(s)
		f := showField(ctx, s, d, "gtk3")
		h := startHand(s)
		h.must(order{Do: "type", Text: mixed})
		Eventually(f.text).Should(Equal(mixed))
		Expect(keyboard(s)).NotTo(Equal(before))
		h.end()
		Expect(keyboard(s)).To(Equal(before))
	}, NodeTimeout(time.Minute))

	It("refuses control characters before it types anything", func(ctx context.Context) {
		f := showField(ctx, s, d, "gtk3")
		h := startHand(s)
		Expect(h.do(order{Do: "type", Text: "abc\x1b"}).Error).To(ContainSubstring("character 3 of the text (U+001B) cannot be typed"))
		h.must(order{Do: "type", Text: "x"})
		Eventually(f.text).Should(Equal("x"))
	}, NodeTimeout(time.Minute))
})
