package atspi

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
)

// part chooses which children are read of an object that has more than are
// read, by their places: of a table with columns, the cells on the screen;
// else a run of children around the one in the middle of the screen, or from
// the first on.
func (r *reader) part(ctx context.Context, n ref, count int) []int {
	box, known := parseExtents(r.call(ctx, n, getExtents, coordScreen))
	if !known {
		return run(0, count)
	}
	middle, found := r.placeAt(ctx, n, box.Centre())
	if !found {
		return run(0, count)
	}
	columns, _ := variantOf([]any{r.call(ctx, n, getProperty, "org.a11y.atspi.Table", "NColumns")}).(int32)
	if columns > 1 {
		from, hasFrom := r.placeAt(ctx, n, desktop.Point{X: box.X + 1, Y: box.Y + 1})
		to, hasTo := r.placeAt(ctx, n, desktop.Point{X: box.X + box.Width - 2, Y: box.Y + box.Height - 2})
		if cells := cellsBetween(from, middle, to, int(columns)); hasFrom && hasTo && cells != nil {
			return cells
		}
	}
	return run(middle-maxPart/2, count)
}

// placeAt tells the place among n's children of the one at a point.
func (r *reader) placeAt(ctx context.Context, n ref, at desktop.Point) (place int, found bool) {
	child := parseRef(r.call(ctx, n, "org.a11y.atspi.Component.GetAccessibleAtPoint", int32(at.X), int32(at.Y), coordScreen))
	if child.null() {
		return 0, false
	}
	index, ok := r.call(ctx, child, accessible+".GetIndexInParent").(int32)
	return int(index), ok && index >= 0
}

// call makes one call and gives the first value of its answer, nil for none.
func (r *reader) call(ctx context.Context, of ref, method string, args ...any) any {
	body, err := callOne(ctx, r.bus.conn, r.bus.timeout, request{dest: of.dest, path: of.path, method: method, args: args})
	if err != nil {
		return nil
	}
	return first(body)
}

// run is the places of at most maxPart children from one on, or of the last
// ones.
func run(from, count int) []int {
	from = max(0, min(from, count-maxPart))
	places := make([]int, 0, maxPart)
	for place := from; place < min(from+maxPart, count); place++ {
		places = append(places, place)
	}
	return places
}

// cellsBetween is the places of the cells between two corners, row by row, as far
// as maxPart allows; nil where the cell in the middle is not between them.
func cellsBetween(first, middle, last, columns int) []int {
	rows := func(place int) int { return place / columns }
	column := func(place int) int { return place % columns }
	if rows(middle) < rows(first) || rows(middle) > rows(last) ||
		column(middle) < column(first) || column(middle) > column(last) {
		return nil
	}
	var places []int
	for row := rows(first); row <= rows(last); row++ {
		for at := column(first); at <= column(last); at++ {
			if len(places) == maxPart {
				return places
			}
			places = append(places, row*columns+at)
		}
	}
	return places
}
