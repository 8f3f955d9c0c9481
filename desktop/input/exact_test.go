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

// scripts has text of many scripts: combining marks, right to left, beyond the
// Basic Multilingual Plane, joined emoji.
const scripts = "The quick Brown fox: 0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ " +
	"Zażółć gęślą jaźń ÀÉÎ€ß äöüÄÖÜ ¿¡«»“”‘’–—… " +
	"Αθήνα ΔΩ ψυχή Москва ЖЩ ёїґ ქართული Հայերեն " +
	"שלום עולם السلام عليكم فارسی हिन्दी தமிழ் ไทย " +
	"漢字かなカナ 你好世界 한글 조선 " +
	"e\u0301 a\u0308 o\u0302\u0323 n\u0303 " +
	"😀🎉👍🏽👩‍👩‍👧🇩🇪❤️ 𝔘𝔫𝔦 𠮷 "

// longText is about n characters of mixed scripts, with more different ones
// than a keyboard has keys.
func longText(n int) string {
	var b strings.Builder
	count := 0
	for next := rune(0x4e00); count < n; {
		b.WriteString(scripts)
		count += len([]rune(scripts))
		for range 40 {
			b.WriteRune(next)
			next += 7
			count++
		}
	}
	return string([]rune(b.String())[:n])
}

var _ = Describe("2,000 characters of mixed scripts", func() {
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
	quick := map[string]string{"gtk3": "us", "gtk4": "de", "qt5": "it"}
	for _, toolkit := range []string{"gtk3", "gtk4", "qt5", "qt6"} {
		for _, layout := range []string{"us", "de", "it"} {
			It("come back equal from "+toolkit+" under "+layout, func(ctx context.Context) {
				if !full && quick[toolkit] != layout {
					Skip("takes long: set OPENDESK_FULL=1")
				}
				useLayout(s, layout)
				f := showField(ctx, s, d, toolkit, "multiline")
				h := startHand(s)
				text := longText(2000)
				h.must(order{Do: "type", Text: text})
				Eventually(f.text).Should(Equal(text))
				h.end()
			}, NodeTimeout(2*time.Minute))
		}
	}
})
