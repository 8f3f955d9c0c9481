package capture

import (
	"encoding/binary"
	"fmt"
	"image"
	"math/bits"

	"github.com/jezek/xgb/xproto"
)

// layout says how a screen's pixels lie in memory: 32 bits each.
type layout struct {
	order            binary.ByteOrder
	red, green, blue uint // shifts
}

func layoutOf(setup *xproto.SetupInfo, screen *xproto.ScreenInfo) (layout, error) {
	depth := screen.RootDepth
	if depth != 24 && depth != 32 {
		return layout{}, fmt.Errorf("the screen has a depth of %d bits; 24 or 32 are needed", depth)
	}
	for _, f := range setup.PixmapFormats {
		if f.Depth == depth && f.BitsPerPixel != 32 {
			return layout{}, fmt.Errorf("the screen has %d bits a pixel; 32 are needed", f.BitsPerPixel)
		}
	}
	l := layout{order: binary.LittleEndian}
	if setup.ImageByteOrder == xproto.ImageOrderMSBFirst {
		l.order = binary.BigEndian
	}
	for _, d := range screen.AllowedDepths {
		for _, v := range d.Visuals {
			if v.VisualId != screen.RootVisual {
				continue
			}
			l.red, l.green, l.blue = shift(v.RedMask), shift(v.GreenMask), shift(v.BlueMask)
			return l, nil
		}
	}
	return layout{}, fmt.Errorf("the screen's visual 0x%x is not among its visuals", screen.RootVisual)
}

func shift(mask uint32) uint { return uint(bits.TrailingZeros32(mask)) }

// image turns the pixels of the area into an opaque image.
func (l layout) image(data []byte, area image.Rectangle) (*image.RGBA, error) {
	img := image.NewRGBA(area)
	if len(data) < len(img.Pix) {
		return nil, fmt.Errorf("the X server sent %d bytes of a %d×%d image", len(data), area.Dx(), area.Dy())
	}
	data = data[:len(img.Pix)]
	if l == (layout{binary.LittleEndian, 16, 8, 0}) { // nearly every server
		for i := 0; i+3 < len(data); i += 4 {
			p := img.Pix[i : i+4 : i+4]
			s := data[i : i+4 : i+4]
			p[0], p[1], p[2], p[3] = s[2], s[1], s[0], 0xff
		}
		return img, nil
	}
	for i := 0; i+3 < len(data); i += 4 {
		v := l.order.Uint32(data[i:])
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = byte(v>>l.red), byte(v>>l.green), byte(v>>l.blue), 0xff
	}
	return img, nil
}
