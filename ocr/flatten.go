package ocr

import (
	"image"
	"image/draw"
)

// A user interface is made of areas of one colour, or of a slow gradient, with
// text on them. flatten finds those areas and draws every pixel by its
// difference from the area that it lies on: dark text on white, whatever the
// colours were and however many areas of different colours there are.

const (
	// gradientStep is the largest difference of a colour channel between two
	// neighbouring pixels of one area. Edges of letters are steeper.
	gradientStep = 5
	// An area that is smaller than this is part of a letter or a line.
	minArea, minAreaWidth, minAreaHeight = 500, 14, 8
	// maxGain bounds how much the contrast of faint text is raised.
	maxGain = 3
)

// flat is an image with its areas told from what stands on them.
type flat struct {
	// ink is the image as dark text on white, with bounds from (0,0).
	ink *image.Gray
	// area is, for each pixel, the number of the area that it lies on, from 0;
	// -1 in an image without any.
	area []int32
	// boxes are the areas' boxes, by number.
	boxes []image.Rectangle
}

// flatten separates text from the areas that it stands on.
func flatten(img image.Image) *flat {
	src := toRGBA(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	f := &flat{ink: image.NewGray(image.Rect(0, 0, w, h))}
	f.area, f.boxes = areas(src)
	nearest := nearestGround(f.area, w, h)
	diff := make([]uint8, w*h)
	most := make([]uint8, len(f.boxes))
	for i := range diff {
		from := int(nearest[i])
		if from < 0 {
			diff[i] = 255 - luminance(src.Pix[4*i:])
			continue
		}
		f.area[i] = f.area[from]
		diff[i] = difference(src.Pix[4*i:], src.Pix[4*from:])
		most[f.area[i]] = max(most[f.area[i]], diff[i])
	}
	for i, d := range diff {
		v := int(d)
		if a := f.area[i]; a >= 0 && most[a] > 0 {
			v = min(255, min(v*255/int(most[a]), v*maxGain))
		}
		f.ink.Pix[i] = uint8(255 - v)
	}
	return f
}

// toRGBA gives the image with bounds from (0,0) and no gaps between rows.
func toRGBA(img image.Image) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	return out
}

// difference of two colours is that of the channel that differs most.
func difference(a, b []uint8) uint8 {
	return max(apart(a[0], b[0]), apart(a[1], b[1]), apart(a[2], b[2]))
}

func apart(a, b uint8) uint8 {
	if a > b {
		return a - b
	}
	return b - a
}

func luminance(p []uint8) uint8 {
	return uint8((299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])) / 1000)
}

// areas labels the pixels of large areas with the area's number, all others
// with -1, and gives the areas' boxes.
func areas(src *image.RGBA) (label []int32, boxes []image.Rectangle) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	same := newSets(w * h)
	for y := range h {
		for x := range w {
			i := y*w + x
			p := src.Pix[4*i:]
			if x > 0 && difference(p, src.Pix[4*(i-1):]) <= gradientStep {
				same.join(int32(i-1), int32(i))
			}
			if y > 0 && difference(p, src.Pix[4*(i-w):]) <= gradientStep {
				same.join(int32(i-w), int32(i))
			}
		}
	}
	size := make([]int32, w*h)
	box := map[int32]image.Rectangle{}
	for i := range same {
		same[i] = same.find(int32(i))
		size[same[i]]++
	}
	for y := range h {
		for x := range w {
			if r := same[y*w+x]; size[r] >= minArea {
				box[r] = box[r].Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	number := map[int32]int32{}
	label = make([]int32, w*h)
	for i := range label {
		label[i] = -1
		r := same[i]
		b := box[r]
		if size[r] < minArea || b.Dx() < minAreaWidth || b.Dy() < minAreaHeight {
			continue
		}
		n, ok := number[r]
		if !ok {
			n = int32(len(boxes))
			number[r] = n
			boxes = append(boxes, b)
		}
		label[i] = n
	}
	return label, boxes
}

// nearestGround gives, for each pixel, the index of about the nearest pixel
// that has a label; -1 where there is none at all.
func nearestGround(label []int32, w, h int) []int32 {
	const far = 1 << 29
	from := make([]int32, w*h)
	dist := make([]int32, w*h)
	for i, l := range label {
		from[i], dist[i] = int32(i), 0
		if l < 0 {
			from[i], dist[i] = -1, far
		}
	}
	step := func(i, j int, d int32) {
		if dist[j]+d < dist[i] {
			dist[i], from[i] = dist[j]+d, from[j]
		}
	}
	for y := range h {
		for x := range w {
			i := y*w + x
			if x > 0 {
				step(i, i-1, 2)
			}
			if y > 0 {
				step(i, i-w, 2)
				if x > 0 {
					step(i, i-w-1, 3)
				}
				if x+1 < w {
					step(i, i-w+1, 3)
				}
			}
		}
	}
	for y := h - 1; y >= 0; y-- {
		for x := w - 1; x >= 0; x-- {
			i := y*w + x
			if x+1 < w {
				step(i, i+1, 2)
			}
			if y+1 < h {
				step(i, i+w, 2)
				if x+1 < w {
					step(i, i+w+1, 3)
				}
				if x > 0 {
					step(i, i+w-1, 3)
				}
			}
		}
	}
	return from
}
