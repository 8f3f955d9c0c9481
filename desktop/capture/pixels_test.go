package capture

import (
	"image"
	"image/color"
	"testing"

	"github.com/jezek/xgb/xproto"
)

func screen(depth, bits, order byte, red, green, blue uint32) (*xproto.SetupInfo, *xproto.ScreenInfo) {
	setup := &xproto.SetupInfo{
		ImageByteOrder: order,
		PixmapFormats:  []xproto.Format{{Depth: depth, BitsPerPixel: bits}},
	}
	return setup, &xproto.ScreenInfo{RootDepth: depth, RootVisual: 7, AllowedDepths: []xproto.DepthInfo{{
		Depth:   depth,
		Visuals: []xproto.VisualInfo{{VisualId: 7, RedMask: red, GreenMask: green, BlueMask: blue}},
	}}}
}

func TestLayouts(t *testing.T) {
	area := image.Rect(3, 4, 4, 5)
	want := color.RGBA{0x11, 0x22, 0x33, 0xff}
	for _, c := range []struct {
		name             string
		order            byte
		red, green, blue uint32
		data             []byte
	}{
		{"usual", xproto.ImageOrderLSBFirst, 0xff0000, 0xff00, 0xff, []byte{0x33, 0x22, 0x11, 0}},
		{"BGR", xproto.ImageOrderLSBFirst, 0xff, 0xff00, 0xff0000, []byte{0x11, 0x22, 0x33, 0}},
		{"big-endian", xproto.ImageOrderMSBFirst, 0xff0000, 0xff00, 0xff, []byte{0, 0x11, 0x22, 0x33}},
	} {
		l, err := layoutOf(screen(24, 32, c.order, c.red, c.green, c.blue))
		if err != nil {
			t.Fatal(c.name, err)
		}
		img, err := l.image(c.data, area)
		if err != nil || img.Bounds() != area || img.RGBAAt(3, 4) != want {
			t.Errorf("%s: got %v %v %v", c.name, img.Bounds(), img.RGBAAt(3, 4), err)
		}
		if _, err := l.image(c.data[:3], area); err == nil {
			t.Errorf("%s: a short answer is no error", c.name)
		}
	}
	for _, c := range []struct{ depth, bits byte }{{16, 16}, {8, 8}, {30, 32}, {24, 24}} {
		if _, err := layoutOf(screen(c.depth, c.bits, 0, 0xff0000, 0xff00, 0xff)); err == nil {
			t.Errorf("depth %d at %d bits is no error", c.depth, c.bits)
		}
	}
}
