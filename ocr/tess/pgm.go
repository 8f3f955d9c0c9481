package tess

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
)

// encodePGM writes the image as a binary PGM, which the library reads without
// decompressing anything. blank says that all pixels are alike, or that there
// are none.
func encodePGM(img image.Image) (pgm []byte, blank bool) {
	b := img.Bounds()
	gray, ok := img.(*image.Gray)
	if !ok {
		gray = image.NewGray(b)
		draw.Draw(gray, b, img, b.Min, draw.Src)
	}
	pgm = fmt.Appendf(make([]byte, 0, b.Dx()*b.Dy()+32), "P5\n%d %d\n255\n", b.Dx(), b.Dy())
	pixels := len(pgm)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		at := gray.PixOffset(b.Min.X, y)
		pgm = append(pgm, gray.Pix[at:at+b.Dx()]...)
	}
	p := pgm[pixels:]
	return pgm, len(p) == 0 || bytes.Count(p, p[:1]) == len(p)
}
