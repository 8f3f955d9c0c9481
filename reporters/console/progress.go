package console

import (
	"fmt"
	"slices"
	"time"

	"github.com/opendesk/opendesk/results"
)

// progress is what the progress line knows.
type progress struct {
	running []runningProgram // in the order in which they began
	drawn   bool
}

type runningProgram struct {
	path    string
	repeat  int
	since   time.Time
	attempt int
	steps   int
	step    string // what the step under way does
	index   int    // its place, from 1; 0 before the first
}

func (p *progress) programStarted(ev results.Event) {
	p.running = append(p.running, runningProgram{path: ev.Path, repeat: ev.Repeat, since: ev.Time})
}

func (p *progress) programFinished(ev results.Event) {
	p.running = slices.DeleteFunc(p.running, func(r runningProgram) bool { return r.is(ev) })
}

func (p *progress) attemptStarted(ev results.Event) {
	if r := p.find(ev); r != nil {
		r.attempt, r.steps, r.step, r.index = ev.AttemptNumber, len(ev.Attempt.Steps), "", 0
	}
}

func (p *progress) stepStarted(ev results.Event) {
	if r := p.find(ev); r != nil {
		r.step, r.index = ev.Step.ID+" "+ev.Step.Summary, ev.Step.Index+1
	}
}

// is says whether the event is about this program.
func (r *runningProgram) is(ev results.Event) bool { return r.path == ev.Path && r.repeat == ev.Repeat }

func (p *progress) find(ev results.Event) *runningProgram {
	for i := range p.running {
		if p.running[i].is(ev) {
			return &p.running[i]
		}
	}
	return nil
}

// erase is what takes the drawn line away.
func (p *progress) erase() string {
	if !p.drawn {
		return ""
	}
	p.drawn = false
	return "\r\x1b[2K"
}

// redraw keeps the clock of the progress line going until Finish.
func (c *Console) redraw() {
	tick := c.opts.Tick
	if tick == nil {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-c.stop:
			return
		case <-tick:
			c.mu.Lock()
			c.draw()
			c.mu.Unlock()
		}
	}
}

// draw writes the progress line anew, where there is one.
func (c *Console) draw() {
	if !c.opts.Live {
		return
	}
	text := c.live.erase()
	if len(c.live.running) > 0 {
		text += c.paint(dim, fit(c.progressText(), c.width()-1))
		c.live.drawn = true
	}
	if text != "" {
		c.write(text)
	}
}

// progressText is about the program that began last.
func (c *Console) progressText() string {
	r := c.live.running[len(c.live.running)-1]
	text := fmt.Sprintf("[%d/%d] %s", c.done+1, max(c.planned, c.done+1), displayName(r.path))
	if others := len(c.live.running) - 1; others > 0 {
		text += fmt.Sprintf(" and %d more", others)
	}
	if elapsed := c.opts.Now().Sub(r.since); elapsed >= time.Second {
		text += fmt.Sprintf("  %ds", int(elapsed.Seconds()))
	}
	if r.attempt > 1 {
		text += fmt.Sprintf("  attempt %d", r.attempt)
	}
	switch {
	case r.index > 0:
		text += fmt.Sprintf("  step %d/%d  %s", r.index, max(r.steps, r.index), clean(r.step))
	case r.attempt > 0:
		text += "  starting"
	}
	return text
}

func (c *Console) width() int {
	if c.opts.Width != nil {
		if w := c.opts.Width(); w > 0 {
			return w
		}
	}
	return 80
}
