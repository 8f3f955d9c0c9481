//go:build linux && cgo

package tess

import (
	"context"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/ocr"
)

const screens = "../../fixtures/screens"

// A phrase that is not there costs most: every line is read.
func BenchmarkFind(b *testing.B) {
	screen := recorded(b, "xterm-three")
	window := screen.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(image.Rect(0, 0, 400, 370))
	reader := ocr.Reader{Engine: openEngine(b)}
	for _, c := range []struct {
		name   string
		img    image.Image
		phrase string
		found  bool
	}{
		{"window400x370/absent", window, "nothing of the sort", false},
		{"window400x370/last line", window, "Kind regards", true},
		{"screen1280x800/absent", screen, "nothing of the sort", false},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if r, err := reader.Find(context.Background(), c.img, c.phrase); err != nil || r.Found != c.found {
					b.Fatalf("%v, found %v\n%s", err, r.Found, r.Text)
				}
			}
		})
	}
}

// BenchmarkAgainstCommand reads whole screens full of text, by turns with the
// tesseract command on one thread, and reports how many times its CPU time that
// takes.
func BenchmarkAgainstCommand(b *testing.B) {
	reader := ocr.Reader{Engine: openEngine(b)}
	for _, name := range []string{"full-light", "full-dark"} {
		b.Run(name, func(b *testing.B) {
			img := recorded(b, name)
			var ours, theirs time.Duration
			for b.Loop() {
				start := cpuTime(b, syscall.RUSAGE_SELF)
				if r, err := reader.Find(context.Background(), img, "nothing of the sort"); err != nil || r.Found {
					b.Fatalf("found %v, %v", r.Found, err)
				}
				ours += cpuTime(b, syscall.RUSAGE_SELF) - start

				command := exec.Command("tesseract", filepath.Join(screens, name+".png"), "-", "--psm", "11")
				command.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
				if err := command.Run(); err != nil {
					b.Fatal(err)
				}
				theirs += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
			}
			b.ReportMetric(float64(ours)/float64(theirs), "of-command")
			b.ReportMetric(ours.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

func cpuTime(tb testing.TB, who int) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// recorded is a picture of the fixtures.
func recorded(tb testing.TB, name string) image.Image {
	tb.Helper()
	f, err := os.Open(filepath.Join(screens, name+".png"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		tb.Fatal(err)
	}
	return img
}
