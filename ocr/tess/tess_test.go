//go:build linux && cgo

package tess

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/ocr"
)

func TestTess(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "ocr/tess")
}

// shown is what the terminals show.
var shown = []string{
	"Export complete: 12 files written",
	"",
	"  Total 1284 EUR      open",
	"The quick brown fox jumps over the lazy dog.",
	"2024-11-30 18:06:09 INFO started",
	"PASS FAIL SKIP",
}

// openEngine opens an engine that is closed with the test.
func openEngine(t testing.TB) ocr.Engine {
	t.Helper()
	e, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

var _ = Describe("a terminal on a screen of its own", func() {
	find := func(e ocr.Engine, img image.Image, phrase string) ocr.Result {
		GinkgoHelper()
		r, err := ocr.Reader{Engine: e}.Find(context.Background(), img, phrase)
		Expect(err).NotTo(HaveOccurred())
		return r
	}

	DescribeTable("is read", func(args ...string) {
		s := newScreen(GinkgoTB(), 700, 400)
		s.xterm("60x16+40+30", shown, args...)
		e, img := openEngine(GinkgoTB()), s.capture()

		for _, phrase := range []string{
			"Export complete: 12 files written", "export  COMPLETE", "brown fox jumps over the lazy",
			"1284 EUR", "2024-11-30 18:06:09", "fail skip", "started",
		} {
			r := find(e, img, phrase)
			Expect(r.Found).To(BeTrue(), "%q: %+v\n%s", phrase, r.Match, r.Text)
		}
		for phrase, closest := range map[string]string{
			"Export completes":           "Export complete:",
			"Expert complete":            "Export complete:",
			"brown f0x":                  "brown fox",
			"Total 1294 EUR":             "Total 1284 EUR",
			"2024-11-30 18:06:08":        "2024-11-30 18:06:09",
			"PASS FAlL":                  "PASS FAIL",
			"The quick brown fox jum ps": "The quick brown fox jumps",
		} {
			r := find(e, img, phrase)
			Expect(r.Found).To(BeFalse(), "%q: %+v\n%s", phrase, r.Match, r.Text)
			Expect(r.Text).To(ContainSubstring("Export complete: 12 files written\n"))
			Expect(r.Match.Text).To(Equal(closest), "for %q", phrase)
			Expect(r.Distance).To(Equal(1), "for %q: %+v", phrase, r.Match)
		}
		for _, phrase := range []string{"Segmentation fault", "written Total", "EUR open"} {
			r := find(e, img, phrase)
			Expect(r.Found).To(BeFalse(), "%q: %+v\n%s", phrase, r.Match, r.Text)
		}

		want := s.cells(60, 16, 3, 10, 25) // brown fox jumps
		box := find(e, img, "brown fox jumps").Box
		Expect(near(box, want, 4)).To(BeTrue(), "found at %v, stands at %v", box, want)

		By("in a part of the screen, whose positions are the screen's")
		part := img.SubImage(want.Inset(-20).Union(want.Add(image.Pt(150, 0))))
		box = find(e, part, "fox jumps").Box
		want = s.cells(60, 16, 3, 16, 25)
		Expect(near(box, want, 4)).To(BeTrue(), "found at %v, stands at %v", box, want)
	},
		Entry("light, 9 point", "-fa", "Monospace", "-fs", "9"),
		Entry("light, bitmap font"),
		Entry("dark", "-fa", "Monospace", "-fs", "9", "-bg", "#202020", "-fg", "#d0d0d0"),
		Entry("white on blue", "-fa", "Monospace", "-fs", "9", "-bg", "blue", "-fg", "white"),
		Entry("white on blue, bitmap font", "-bg", "blue", "-fg", "white"),
		Entry("red on green", "-fa", "Monospace", "-fs", "9", "-bg", "#50a050", "-fg", "#a00000"),
		Entry("faint", "-fa", "Monospace", "-fs", "9", "-bg", "#f0f0f0", "-fg", "#a0a0a0"),
		Entry("large", "-fa", "Monospace", "-fs", "12", "-bg", "#202020", "-fg", "#d0d0d0"),
	)

	It("is not mixed up with its neighbour", func() {
		s := newScreen(GinkgoTB(), 900, 300)
		s.xterm("30x8+10+20", []string{"Reports of the week are ready"}, "-fa", "Monospace", "-fs", "9")
		s.xterm("40x8+260+20", []string{"Exported by night"}, "-fa", "Monospace", "-fs", "9", "-bg", "#202020", "-fg", "#d0d0d0")
		e, img := openEngine(GinkgoTB()), s.capture()
		exported, ready := find(e, img, "Exported by night"), find(e, img, "week are ready")
		Expect(exported.Found).To(BeTrue())
		Expect(ready.Found).To(BeTrue())
		Expect(exported.Box.Min.X - ready.Box.Max.X).To(BeNumerically("<", 25))
		Expect(exported.Box.Min.Y).To(BeNumerically("~", ready.Box.Min.Y, 3))
		Expect(find(e, img, "ready Exported").Found).To(BeFalse())
	})
})

// near reports whether no edge of the box is more than slack away from where
// the characters' cells are; ink may begin inside of a cell.
func near(box, cells image.Rectangle, slack int) bool {
	return box.In(cells.Inset(-slack)) && cells.Inset(slack).In(box.Inset(-slack))
}

var _ = Describe("the engine", func() {
	It("reads nothing on blank and empty images", func() {
		e := openEngine(GinkgoTB())
		for _, img := range []image.Image{
			image.NewGray(image.Rect(0, 0, 300, 40)), image.NewNRGBA(image.Rect(0, 0, 1, 1)), image.NewRGBA(image.Rectangle{}),
		} {
			Expect(e.Words(context.Background(), img)).To(BeEmpty())
			r, err := ocr.Reader{Engine: e}.Find(context.Background(), img, "text")
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Found).To(BeFalse())
		}
	})

	It("ends with its context and after its end", func() {
		e := openEngine(GinkgoTB())
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := e.Words(ctx, image.NewGray(image.Rect(0, 0, 300, 40)))
		Expect(err).To(MatchError(context.Canceled))
		Expect(e.Close()).To(Succeed())
		Expect(e.Close()).To(Succeed())
		img := image.NewGray(image.Rect(0, 0, 300, 40))
		img.Pix[0] = 0xff
		_, err = e.Words(context.Background(), img)
		Expect(err).To(MatchError(errClosed))
	})

	It("reads on two lanes what it reads on one", func(ctx SpecContext) {
		both := openEngine(GinkgoTB()).(*engine)
		both.lanes = 2 // also where there is one processor
		one := openEngine(GinkgoTB()).(*engine)
		one.lanes = 1
		img := recorded(GinkgoTB(), "xterm-three").(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(0, 0, 400, 370))
		for _, phrase := range []string{"nothing of the sort", "Kind regards"} {
			want, err := ocr.Reader{Engine: one}.Find(ctx, img, phrase)
			Expect(err).NotTo(HaveOccurred())
			got, err := ocr.Reader{Engine: both}.Find(ctx, img, phrase)
			Expect(err).NotTo(HaveOccurred())
			got.Took = want.Took
			Expect(got).To(Equal(want))
		}
		Expect(both.open).To(Equal(2))
		Expect(one.open).To(Equal(1))
		Expect(both.Close()).To(Succeed())
		_, err := both.Words(ctx, img)
		Expect(err).To(MatchError(errClosed))
	}, NodeTimeout(time.Minute))

	It("can be opened several times at once", func() {
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() { errs[i] = Check(nil) })
		}
		wg.Wait()
		Expect(errs).To(HaveEach(BeNil()))
	})

	It("names what is missing", func() {
		Expect(Installed(nil, "")).To(Succeed())
		Expect(Installed([]string{"eng", "tlh_old"}, "")).To(MatchError(ContainSubstring("apt-get install tesseract-ocr-tlh-old")))
		_, err := Open([]string{"eng", "tlh_old"})
		var missing *ocr.UnavailableError
		Expect(errors.As(err, &missing)).To(BeTrue())
		Expect(err).To(MatchError(`tesseract language data "tlh_old" not found (Debian/Ubuntu: apt-get install tesseract-ocr-tlh-old)`))

		dir := GinkgoT().TempDir()
		Expect(Installed(nil, dir)).To(MatchError(ContainSubstring(dir + " (TESSDATA_PREFIX) not found")))
		GinkgoT().Setenv("TESSDATA_PREFIX", dir)
		Expect(Check([]string{"eng"})).To(MatchError(`tesseract language data "eng" in ` + dir + ` (TESSDATA_PREFIX) not found`))
		Expect(Languages()).To(BeEmpty())

		damaged := filepath.Join(dir, "eng.traineddata")
		Expect(os.WriteFile(damaged, []byte(strings.Repeat("no data ", 100)), 0o600)).To(Succeed())
		err = Check([]string{"eng"})
		Expect(errors.As(err, &missing)).To(BeTrue())
		Expect(errors.Unwrap(missing)).To(MatchError(ContainSubstring("is damaged")))
		Expect(Check([]string{"../eng"})).NotTo(Succeed())
		Expect(Installed([]string{"eng"}, "")).To(MatchError(ContainSubstring(`"eng"`)))
	})

	It("knows its version and languages", func() {
		Expect(Version()).To(MatchRegexp(`^[45]\.`))
		openEngine(GinkgoTB())
		Expect(Languages()).To(ContainElement("eng"))
	})
})
