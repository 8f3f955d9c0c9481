//go:build linux

package capture_test

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/capture"
	"github.com/opendesk/opendesk/desktop/xconn"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

func TestCapture(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "capture")
}

var orange = color.RGBA{0xff, 0x80, 0x10, 0xff}

// paint shows an orange rectangle without any frame.
func paint(ctx context.Context, t testing.TB, display string, at image.Rectangle) {
	c, err := xconn.Dial(ctx, display, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w, err := xproto.NewWindowId(c.X)
	if err != nil {
		t.Fatal(err)
	}
	xproto.CreateWindow(c.X, 0, w, c.Root, int16(at.Min.X), int16(at.Min.Y), uint16(at.Dx()), uint16(at.Dy()), 0,
		xproto.WindowClassInputOutput, 0, xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{0xff8010, 1})
	xproto.MapWindow(c.X, w)
	if err := c.Sync(ctx); err != nil {
		t.Fatal(err)
	}
}

var _ = Describe("screenshots", func() {
	var s *xvfbtest.Server
	var c *capture.Capturer
	BeforeEach(func(ctx context.Context) {
		s = xvfbtest.Start(GinkgoTB())
		var err error
		c, err = capture.Open(ctx, s.Display)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Close)
	})

	It("have the screen's colours at the screen's positions", func(ctx context.Context) {
		at := image.Rect(100, 50, 160, 90)
		paint(ctx, GinkgoTB(), s.Display, at)
		whole, err := c.Capture(ctx, desktop.Rect{})
		Expect(err).NotTo(HaveOccurred())
		Expect(whole.Bounds()).To(Equal(image.Rect(0, 0, xvfbtest.Width, xvfbtest.Height)))
		for _, p := range []image.Point{{100, 50}, {159, 89}} {
			Expect(whole.RGBAAt(p.X, p.Y)).To(Equal(orange), p.String())
		}
		for _, p := range []image.Point{{99, 50}, {100, 49}, {160, 89}, {159, 90}} {
			Expect(whole.RGBAAt(p.X, p.Y)).NotTo(Equal(orange), p.String())
		}

		part, err := c.Capture(ctx, desktop.Rect{X: 150, Y: 80, Width: 10000, Height: 20})
		Expect(err).NotTo(HaveOccurred())
		Expect(part.Bounds()).To(Equal(image.Rect(150, 80, xvfbtest.Width, 100)))
		Expect(part.RGBAAt(159, 89)).To(Equal(orange))
		Expect(part.RGBAAt(160, 89)).NotTo(Equal(orange))

		clipped, err := c.Capture(ctx, desktop.Rect{X: -20, Y: -5, Width: 30, Height: 10})
		Expect(err).NotTo(HaveOccurred())
		Expect(clipped.Bounds()).To(Equal(image.Rect(0, 0, 10, 5)))
		_, err = c.Capture(ctx, desktop.Rect{X: 5000, Width: 10, Height: 10})
		Expect(err).To(MatchError(ContainSubstring("outside the screen (1024×768)")))
	})

	It("are written as PNG, or not at all", func(ctx context.Context) {
		paint(ctx, GinkgoTB(), s.Display, image.Rect(0, 0, 10, 10))
		img, err := c.Capture(ctx, desktop.Rect{Width: 20, Height: 20})
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(GinkgoT().TempDir(), "a.png")
		Expect(capture.WritePNG(path, img)).To(Succeed())
		f, err := os.Open(path)
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		back, err := png.Decode(f)
		Expect(err).NotTo(HaveOccurred())
		Expect(back.Bounds().Size()).To(Equal(image.Pt(20, 20)))
		Expect(color.RGBAModel.Convert(back.At(9, 9))).To(Equal(orange))
		empty := filepath.Join(GinkgoT().TempDir(), "b.png")
		Expect(capture.WritePNG(empty, image.NewRGBA(image.Rectangle{}))).NotTo(Succeed())
		Expect(empty).NotTo(BeAnExistingFile())
	})

	It("do not wait for ever for a server that is silent or has gone", func(ctx context.Context) {
		s.Process.Signal(syscall.SIGSTOP)
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err := c.Capture(short, desktop.Rect{})
		Expect(err).To(MatchError(context.DeadlineExceeded))
		s.Process.Signal(syscall.SIGCONT)
		Expect(c.Capture(ctx, desktop.Rect{Width: 1, Height: 1})).NotTo(BeNil())
		s.Process.Kill()
		began := time.Now()
		_, err = c.Capture(ctx, desktop.Rect{})
		Expect(err).To(BeAssignableToTypeOf(&desktop.EnvironmentError{}))
		Expect(time.Since(began)).To(BeNumerically("<", time.Second))
	}, NodeTimeout(time.Minute))
})

func BenchmarkCapture(b *testing.B) {
	s := xvfbtest.Start(b)
	c, err := capture.Open(b.Context(), s.Display)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.Run("screen", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Capture(b.Context(), desktop.Rect{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	img, err := c.Capture(b.Context(), desktop.Rect{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("png", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "a.png")
		for b.Loop() {
			if err := capture.WritePNG(path, img); err != nil {
				b.Fatal(err)
			}
		}
	})
}
