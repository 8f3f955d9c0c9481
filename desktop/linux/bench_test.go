//go:build linux

package linux

import (
	"context"
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

// benchDesktop is a Desktop on a session of its own.
func benchDesktop(b *testing.B) *Desktop {
	b.Helper()
	s, err := startSession()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.stop)
	o := s.options()
	o.NoInput = true
	d, err := Open(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = d.Close() })
	return d
}

func BenchmarkSnapshot(b *testing.B) {
	d := benchDesktop(b)
	for _, name := range []string{"mousepad", "gnome-calculator", "kcalc"} {
		if _, err := d.OpenApp(context.Background(), launch(name)); err != nil {
			b.Fatal(err)
		}
		for what, need := range map[string]desktop.Need{"tree": 0, "bounds": desktop.NeedBounds} {
			b.Run(name+"/"+what, func(b *testing.B) {
				for b.Loop() {
					if _, err := d.Snapshot(context.Background(), name, need); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkFocusedWindow(b *testing.B) {
	d := benchDesktop(b)
	if _, err := d.OpenApp(context.Background(), launch("mousepad")); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if w, err := d.FocusedWindow(context.Background()); err != nil || w == nil {
			b.Fatal(w, err)
		}
	}
}

func BenchmarkOpenAndClose(b *testing.B) {
	for _, name := range []string{"mousepad", "gnome-calculator", "kcalc", "xterm"} {
		b.Run(name, func(b *testing.B) {
			d := benchDesktop(b)
			for b.Loop() {
				if _, err := d.OpenApp(context.Background(), launch(name)); err != nil {
					b.Fatal(err)
				}
				if _, err := d.CloseApp(context.Background(), name, seconds(10)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
