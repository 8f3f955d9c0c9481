//go:build linux && cgo

package tess

import (
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/ocr"
)

// Four checks in two workers: the library's own threads would make them slower
// than one after the other.
var _ = Describe("reading in parallel", func() {
	It("is no slower than in turn", func(ctx SpecContext) {
		s := newScreen(GinkgoTB(), 420, 140)
		s.xterm("36x6+20+20", shown, "-fa", "Monospace", "-fs", "9")
		img := s.capture()
		read := func(e ocr.Engine, times int) {
			GinkgoHelper()
			for range times {
				_, err := ocr.Reader{Engine: e}.Find(ctx, img, "no such text")
				Expect(err).NotTo(HaveOccurred())
			}
		}
		both := []ocr.Engine{openEngine(GinkgoTB()), openEngine(GinkgoTB())}
		for _, e := range both {
			e.(*engine).lanes = 1
			read(e, 1)
		}
		Eventually(func() float64 { // a busy machine may be late
			start := time.Now()
			read(both[0], 4)
			inTurn := time.Since(start)
			start = time.Now()
			var done sync.WaitGroup
			for _, e := range both {
				done.Go(func() {
					defer GinkgoRecover()
					read(e, 2)
				})
			}
			done.Wait()
			return float64(time.Since(start)) / float64(inTurn)
		}).WithTimeout(time.Minute).Should(BeNumerically("<", 1.1))
	})
})
