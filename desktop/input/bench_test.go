//go:build linux && cgo

package input_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

// BenchmarkType types 1,000 characters into xterm, which only reads them, and
// counts the time until it has: of the layout, outside of it with as many
// different ones as have a key at one time, and with more of them.
func BenchmarkType(b *testing.B) {
	RegisterFailHandler(func(message string, _ ...int) { b.Fatal(message) })
	var more strings.Builder
	for r := rune(0x4e00); r < 0x4e00+1000; r++ {
		more.WriteRune(r)
	}
	for _, c := range []struct{ name, text string }{
		{"layout", strings.Repeat("The quick Brown Fox. ", 48)[:1000]},
		{"others", strings.Repeat("Zażółć gęślą jaźń 漢字 😀 ЖΩ. ", 36)},
		{"ever-new-others", more.String()},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := xvfbtest.Start(b)
			s.Openbox()
			d, err := x11.Open(b.Context(), s.Display)
			Expect(err).NotTo(HaveOccurred())
			defer d.Close()
			s.Run("xterm", "-u8", "-T", "term", "-e", "cat > /dev/null")
			Eventually(func() (*x11.Window, error) { return d.FocusedWindow(b.Context()) }).Should(
				And(Not(BeNil()), HaveField("Title", "term")))
			b.Setenv(childVariable, "1")
			h := newHand(s)
			count := 0
			for b.Loop() {
				Expect(h.do(order{Do: "type", Text: c.text}).Error).To(BeEmpty())
				count += len([]rune(c.text))
			}
			b.ReportMetric(float64(count)/b.Elapsed().Seconds(), "characters/s")
			Expect(h.Stdin.Close()).To(Succeed())
			Expect(h.Wait()).To(Succeed())
		})
	}
}
