package ocr

import "image"

// A block is a rectangle of solid ink, such as a terminal's cursor, a slider
// or a bar. It is higher than minBlock and wider, for its height, than the
// stem of any letter.
const (
	minBlock   = 9
	blockRatio = 0.45 // a block's width in heights; bold stems have up to 0.4
)

// eraseBlocks makes solid blocks white, also where they touch a letter: the
// engine would read them as one with it.
func eraseBlocks(ink *image.Gray) {
	w, h := ink.Rect.Dx(), ink.Rect.Dy()
	var open, next []image.Rectangle // blocks that reach up to the last column
	var blocks []image.Rectangle
	closeBlock := func(r image.Rectangle) {
		if float64(r.Dx()) > blockRatio*float64(r.Dy()) {
			blocks = append(blocks, r)
		}
	}
	for x := range w {
		next = next[:0]
		for y := 0; y < h; {
			if !inked(ink.Pix[y*ink.Stride+x]) {
				y++
				continue
			}
			top := y
			for y < h && inked(ink.Pix[y*ink.Stride+x]) {
				y++
			}
			if y-top < minBlock {
				continue
			}
			run := image.Rect(x, top, x+1, y)
			for i, r := range open {
				if r.Min.Y == top && r.Max.Y == y {
					run.Min.X = r.Min.X
					open[i] = image.Rectangle{}
				}
			}
			next = append(next, run)
		}
		for _, r := range open {
			if !r.Empty() {
				closeBlock(r)
			}
		}
		open, next = next, open
	}
	for _, r := range open {
		closeBlock(r)
	}
	for _, r := range blocks {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				ink.Pix[y*ink.Stride+x] = 0xff
			}
		}
	}
}
