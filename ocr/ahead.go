package ocr

import (
	"context"
	"image"
	"sync"
)

// ahead reads the lines of a page before they are asked for, as many at a time
// as the engine can. What is read does not depend on it: lines are taken in
// their order, and what is not taken is forgotten.
type ahead struct {
	page   *Page
	ctx    context.Context
	cancel context.CancelFunc
	// lanes is how many lines can be read at a time; below 2, nothing is read
	// ahead.
	lanes   int
	begun   int // the lines before this one are being read, or were
	lines   map[int]chan said
	readers sync.WaitGroup
}

// said is what the engine says of a line, in the pixels of the drawn one.
type said struct {
	words []Word
	scale int
	at    image.Point
	err   error
}

func (pg *Page) ahead(ctx context.Context) *ahead {
	a := &ahead{page: pg, lines: map[int]chan said{}}
	a.ctx, a.cancel = context.WithCancel(ctx)
	if e, ok := pg.engine.(Parallel); ok {
		a.lanes = e.Lanes()
	}
	return a
}

// end forgets what was not taken. The page can be used by others then.
func (a *ahead) end() {
	a.cancel()
	a.readers.Wait()
}

// from begins to read the line and those that follow it. One more than there
// are lanes waits, so that no lane has to.
func (a *ahead) from(n int) {
	if a.lanes < 2 {
		return
	}
	for a.begun = max(a.begun, n); a.begun <= min(n+a.lanes, len(a.page.page.strips)-1); a.begun++ {
		if _, known := a.page.readings[reading{a.begun, soft.name}]; known {
			continue
		}
		line, answer := a.begun, make(chan said, 1)
		a.lines[line] = answer
		a.readers.Go(func() { answer <- a.page.hear(a.ctx, line, soft) })
	}
}

// take gives the line, drawn softly, as it was read ahead; ok is false for one
// that was not.
func (a *ahead) take(n int) (line said, ok bool) {
	answer, ok := a.lines[n]
	if !ok {
		return said{}, false
	}
	delete(a.lines, n)
	return <-answer, true
}

// hear has the engine read a line, drawn in that way. It changes nothing of the
// page.
func (pg *Page) hear(ctx context.Context, n int, d drawing) said {
	line, at := pg.page.cut(pg.page.strips[n])
	drawn, scale := d.draw(line)
	words, err := pg.engine.Words(ctx, drawn)
	return said{words, scale, at, err}
}
