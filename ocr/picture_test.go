package ocr

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

func fill(img draw.Image, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// Every ground becomes white and every text on it dark, also side by side.
func TestFlatten(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 300, 60))
	grounds := []color.RGBA{{255, 255, 255, 255}, {32, 32, 32, 255}, {0, 0, 255, 255}}
	texts := []color.RGBA{{0, 0, 0, 255}, {208, 208, 208, 255}, {255, 255, 0, 255}}
	for i := range grounds {
		fill(img, image.Rect(i*100, 0, i*100+100, 60), grounds[i])
		fill(img, image.Rect(i*100+40, 20, i*100+42, 30), texts[i])
	}
	f := flatten(img)
	if len(f.boxes) != 3 {
		t.Fatalf("areas %v", f.boxes)
	}
	for i := range grounds {
		if v := f.ink.GrayAt(i*100+41, 25).Y; v > 40 {
			t.Errorf("text %d is %d", i, v)
		}
		if v := f.ink.GrayAt(i*100+60, 25).Y; v != 255 {
			t.Errorf("ground %d is %d", i, v)
		}
		if a := f.area[25*300+i*100+41]; int(a) != i {
			t.Errorf("text %d lies on area %d", i, a)
		}
	}
}

// A slow gradient is one area.
func TestFlattenGradient(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 100, 40))
	for y := range 40 {
		fill(img, image.Rect(0, y, 100, y+1), color.RGBA{uint8(200 - 2*y), uint8(200 - 2*y), 250, 255})
	}
	fill(img, image.Rect(50, 10, 52, 24), color.Black)
	f := flatten(img)
	if len(f.boxes) != 1 || f.ink.GrayAt(10, 20).Y != 255 || f.ink.GrayAt(51, 15).Y > 60 {
		t.Errorf("areas %v, ground %d, text %d", f.boxes, f.ink.GrayAt(10, 20).Y, f.ink.GrayAt(51, 15).Y)
	}
}

func TestSegment(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 400, 200))
	fill(img, img.Rect, color.White)
	line := func(x, y, letters int) {
		for i := range letters {
			fill(img, image.Rect(x+i*6, y, x+i*6+3, y+10), color.Black)
			fill(img, image.Rect(x+i*6+1, y+2, x+i*6+3, y+8), color.White)
		}
	}
	line(20, 20, 10)
	fill(img, image.Rect(82, 28, 84, 30), color.Black) // a full stop
	fill(img, image.Rect(87, 18, 94, 32), color.Black) // a cursor
	line(200, 20, 5)                                   // another column
	line(20, 35, 8)                                    // the next line
	fill(img, image.Rect(10, 60, 390, 61), color.Black)
	fill(img, image.Rect(10, 190, 390, 191), color.Black)
	fill(img, image.Rect(10, 60, 11, 191), color.Black)
	fill(img, image.Rect(389, 60, 390, 191), color.Black) // a frame
	line(30, 100, 12)                                     // in the frame
	s := segment(flatten(img))
	want := []image.Rectangle{
		image.Rect(20, 20, 84, 30), image.Rect(200, 20, 227, 30), image.Rect(20, 35, 65, 45), image.Rect(30, 100, 99, 110),
	}
	if len(s.strips) != len(want) {
		t.Fatalf("%d lines: %+v", len(s.strips), s.strips)
	}
	for i, st := range s.strips {
		if st.box != want[i] {
			t.Errorf("line %d is at %v, want %v", i, st.box, want[i])
		}
	}
	cut, at := s.cut(s.strips[0])
	if at != image.Pt(20-sideMargin, 20-lineMargin) || cut.Rect.Dx() != 64+2*sideMargin || cut.Rect.Dy() != 10+2*lineMargin {
		t.Errorf("cut %v at %v", cut.Rect, at)
	}
}

func TestEnlarge(t *testing.T) {
	src := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(src.Pix, []uint8{10, 10, 10, 10, 10, 10})
	for n := 1; n <= 4; n++ {
		out := enlarge(src, n)
		if out.Rect != image.Rect(0, 0, 3*n, 2*n) {
			t.Fatalf("%d times: %v", n, out.Rect)
		}
		for i, v := range out.Pix {
			if v != 10 {
				t.Fatalf("%d times: an even image has %d at %d", n, v, i)
			}
		}
	}
	edge := image.NewGray(image.Rect(0, 0, 8, 1))
	for x := 4; x < 8; x++ {
		edge.Pix[x] = 200
	}
	out := enlarge(edge, 2)
	for x := 1; x < 6; x++ {
		if out.GrayAt(x, 0).Y > 0 && x < 6 {
			t.Errorf("dark side has %d at %d", out.GrayAt(x, 0).Y, x)
		}
	}
	if a, b := out.GrayAt(7, 0).Y, out.GrayAt(8, 0).Y; int(a)+int(b) < 195 || int(a)+int(b) > 205 {
		t.Errorf("the edge is not in the middle: %d and %d", a, b)
	}
	soft := soften(edge)
	if soft.GrayAt(3, 0).Y != 50 || soft.GrayAt(4, 0).Y != 150 || soft.GrayAt(0, 0).Y != 0 {
		t.Errorf("softened %v", soft.Pix)
	}
}

// FuzzSegment holds that any picture can be cut into lines that lie in it.
func FuzzSegment(f *testing.F) {
	f.Add([]byte("some pixels of some picture, more or less at random"), uint8(7))
	f.Fuzz(func(t *testing.T, pix []byte, width uint8) {
		w := int(width%64) + 1
		img := image.NewGray(image.Rect(0, 0, w, len(pix)/w))
		copy(img.Pix, pix)
		s := segment(flatten(img))
		for _, st := range s.strips {
			if !st.box.In(img.Rect) || len(st.marks) == 0 {
				t.Errorf("line %+v in %v", st, img.Rect)
			}
			s.cut(st)
		}
	})
}
