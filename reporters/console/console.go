// Package console tells people about a run while it goes on and when it ends.
//
// On a terminal one line at the bottom says what is going on and is rewritten
// in place; elsewhere there are plain lines without control characters.
// Programs that pass take one line each, a failure is shown complete. Texts
// from programs and applications are printed so that they cannot drive the
// terminal.
package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/opendesk/opendesk/results"
)

// Console reports a run to people. Its methods are for one goroutine.
type Console struct {
	opts Options
	acc  *results.Accumulator

	mu   sync.Mutex // guards what follows, for the clock of the progress line
	w    io.Writer
	err  error
	live progress

	began    bool
	done     int
	planned  int
	dots     int               // how many were written
	later    []results.Program // what is told once the dots have ended
	name     int               // columns of the longest program name
	block    bool              // the last line is empty, or there is none
	stop     chan struct{}
	stopOnce sync.Once
	stopped  sync.WaitGroup
}

// New makes a console on w. Finish must be called in the end.
func New(w io.Writer, opts Options) *Console {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	c := &Console{opts: opts, acc: results.NewAccumulator(), w: w, block: true, stop: make(chan struct{})}
	if opts.Live {
		c.stopped.Go(c.redraw)
	}
	return c
}

// Event tells about one event. Errors are kept for Finish.
func (c *Console) Event(ev results.Event) {
	err := c.acc.Apply(ev)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.fail(err)
		return
	}
	switch ev.Type {
	case results.EventRunStarted:
		c.began = true
		c.header(ev.Run)
	case results.EventProgramStarted:
		c.live.programStarted(ev)
	case results.EventAttemptStarted:
		c.live.attemptStarted(ev)
	case results.EventStepStarted:
		c.live.stepStarted(ev)
	case results.EventProgramFinished:
		c.done++
		c.live.programFinished(ev)
		if p, ok := c.acc.Program(ev); ok {
			c.tell(&p)
		}
	default:
		return
	}
	c.draw()
}

// Finish ends the progress line and writes the summary. It returns the first
// error that occurred.
func (c *Console) Finish(run *results.Run) error {
	c.stopOnce.Do(func() { close(c.stop) })
	c.stopped.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live = progress{}
	if !c.began { // a run that was over when it was first told of
		c.header(run)
		for i := range run.Programs {
			c.tell(&run.Programs[i])
		}
	}
	c.endDots()
	c.summary(run)
	return c.err
}

// header is the first line of a run.
func (c *Console) header(run *results.Run) {
	c.planned = len(run.Programs)
	for i := range run.Programs {
		c.name = max(c.name, columns(programName(&run.Programs[i])))
	}
	c.name = min(c.name, maxNameColumns)
	if c.opts.Verbosity < Normal {
		return
	}
	parts := []string{c.paint(bold, clean(strings.TrimSpace(run.Tool.Name+" "+run.Tool.Version))), clean(run.Suite)}
	if c.planned > 0 {
		parts = append(parts, plural(c.planned, "program"))
	}
	env := run.Environment
	if env.Display == "virtual" {
		env.Display = "virtual display"
	}
	parts = append(parts, clean(strings.TrimSpace(env.Display+" "+env.Geometry)))
	if env.Isolation != "" && env.Isolation != "auto" {
		parts = append(parts, "isolation "+clean(env.Isolation))
	}
	if env.Workers > 1 {
		parts = append(parts, plural(env.Workers, "worker"))
	}
	if run.Plan != nil && run.Plan.Shard != "" {
		parts = append(parts, "shard "+clean(run.Plan.Shard))
	}
	if env.TimeoutScale != 0 && env.TimeoutScale != 1 {
		parts = append(parts, fmt.Sprintf("timeouts x%g", env.TimeoutScale))
	}
	c.line(strings.Join(parts, "  "))
	c.gap()
}

// line writes one line above the progress line. Its text must be clean.
func (c *Console) line(text string) {
	c.write(c.live.erase() + noCommand(strings.TrimRight(text, " ")) + "\n")
	c.block = false
}

// gap writes an empty line, unless the last line is one.
func (c *Console) gap() {
	if !c.block {
		c.line("")
		c.block = true
	}
}

func (c *Console) write(s string) {
	if _, err := io.WriteString(c.w, s); err != nil {
		c.fail(err)
	}
}

// fail keeps the first error.
func (c *Console) fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("console: %w", err)
	}
}
