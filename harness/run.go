package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/results"
)

// loop is one run under way. Everything in it belongs to the goroutine that
// called Run: there is one event loop, and it is the caller. Programs run in
// goroutines of their own and send it their events.
type loop struct {
	Options
	acc  *results.Accumulator
	err  error // the sink's, which ends the run
	end  context.CancelCauseFunc
	pool *pool
	// stopping ends when nothing more is to be begun: with the run's context,
	// or before it.
	stopping context.Context

	items    []Item // what has not been begun, in order
	events   chan results.Event
	ended    chan struct{} // a program has come to its end
	running  int
	failures int    // programs that failed or broke
	stopped  string // why no more is begun, "" where more is
}

var errBudget = errors.New("the run's time budget is used up")

// Run runs the plan. start is the run as known at the beginning; the result is
// complete whatever happened. The error is the sink's, or that of an event
// that does not fit: both are internal faults. When ctx ends, the run is
// interrupted at once, when Options.Stop is closed, after the steps under way
// (for which Options.StopGrace is the limit):
// what had finished stays, the rest is skipped.
func Run(ctx context.Context, start results.Run, plan Plan, opts Options) (*results.Run, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stopping, stop := stoppedBy(ctx, opts.Stop)
	defer stop()
	l := &loop{
		Options: opts, acc: results.NewAccumulator(), end: end, stopping: stopping, pool: newPool(stopping, opts.Leaser),
		items: plan.Items, events: make(chan results.Event), ended: make(chan struct{}),
	}
	begun := time.Now()
	for _, item := range plan.Items {
		start.Programs = append(start.Programs, item.describe())
	}
	l.emit(results.Event{Type: results.EventRunStarted, Run: &start})
	l.programs(ctx)
	if err := l.pool.close(); err != nil {
		l.emit(results.Event{Type: results.EventWarning, Warning: &results.Warning{
			Kind: results.WarnNote, Message: fmt.Sprintf("a session that was not used could not be ended cleanly: %v", err),
		}})
	}
	l.finish(begun)
	return l.acc.Run(), l.err
}

// stoppedBy gives a context that ends with ctx, and when stop is closed.
func stoppedBy(ctx context.Context, stop <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// programs runs what there is to run, as many at a time as there are workers.
func (l *loop) programs(ctx context.Context) {
	var budget <-chan time.Time
	if l.Budget > 0 {
		timer := time.NewTimer(l.Budget)
		defer timer.Stop()
		budget = timer.C
	}
	stop, facts := l.Stop, l.Facts
	var late <-chan time.Time
	for {
		l.begin(ctx)
		if l.running == 0 {
			break
		}
		select {
		case e := <-l.events:
			l.emit(e)
		case e, more := <-facts:
			if !more {
				facts = nil
				continue
			}
			l.emit(e)
		case <-l.ended:
			l.running--
		case <-stop:
			stop = nil
			timer := time.NewTimer(cmp.Or(l.StopGrace, DefaultStopGrace))
			defer timer.Stop()
			late = timer.C
		case <-late:
			l.end(context.Canceled)
		case <-budget:
			l.stopped = fmt.Sprintf("not run: the run's time budget of %v is used up", l.Budget)
			l.end(errBudget)
		}
	}
	if facts != nil {
		for e := range facts {
			l.emit(e)
		}
	}
}

// begin begins programs as long as there are free workers, and skips the rest
// once the run has been stopped. After an interrupt nothing is begun, and the
// results say of what is left that it was interrupted.
func (l *loop) begin(ctx context.Context) {
	for len(l.items) > 0 {
		switch {
		case l.stopped != "":
			l.skip(l.items[0])
		case l.stopping.Err() != nil || l.running >= max(l.Workers, 1):
			return
		default:
			l.running++
			p := &task{Options: l.Options, item: l.items[0], pool: l.pool, stopping: l.stopping}
			l.pool.expect(l.items[1:])
			p.emit = func(e results.Event) { l.events <- e }
			go func() {
				p.run(ctx)
				l.ended <- struct{}{}
			}()
		}
		l.items = l.items[1:]
	}
}

// skip tells of a program that it is not run.
func (l *loop) skip(item Item) {
	described := item.describe()
	l.emit(item.about(results.Event{Type: results.EventProgramStarted, Program: &described}))
	l.emit(item.about(results.Event{Type: results.EventProgramFinished, Program: &results.Program{
		Path: item.Path, Status: results.Skipped, Reason: l.stopped,
	}}))
}

// emit applies an event to the results and hands it to the sink. After the
// first error nothing more is told, and the run ends.
func (l *loop) emit(e results.Event) {
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	err := l.acc.Apply(e)
	if err == nil && l.err == nil && l.Sink != nil {
		err = l.Sink(e)
	}
	if err != nil && l.err == nil {
		l.err = err
		l.end(err)
	}
	if e.Type == results.EventProgramFinished {
		l.count(e.Program.Status)
	}
}

// count counts failures, and stops the run after the last one allowed.
func (l *loop) count(status results.Status) {
	if status != results.Failed && status != results.Broken {
		return
	}
	l.failures++
	if l.failures == l.MaxFailures && l.stopped == "" {
		l.stopped = fmt.Sprintf("not run: %d did not pass, and no more were to be begun after that (--max-failures)", l.failures)
		if l.failures == 1 {
			l.stopped = "not run: one did not pass, and no more were to be begun after that (--max-failures 1)"
		}
	}
}

// finish ends the run's events.
func (l *loop) finish(begun time.Time) {
	interrupted := l.stopping.Err() != nil
	review := l.review(interrupted)
	closing := l.acc.Closing(interrupted, l.PassWithNoPrograms)
	closing.Notes = append(closing.Notes, review.Notes...)
	if l.err != nil && closing.ExitCode != results.ExitFailed {
		closing.ExitCode = results.ExitBroken // nobody interrupted it: it could not go on
	}
	if errors.Is(context.Cause(l.stopping), errBudget) {
		closing.Notes = append(closing.Notes, fmt.Sprintf("the run was ended: its time budget of %v is used up", l.Budget))
	}
	if notes := results.FailOn(l.acc.Run().Programs, l.FailOn); len(notes) > 0 {
		closing.ExitCode = results.ExitFailed
		closing.Notes = append(closing.Notes, notes...)
	}
	l.emit(results.Event{Type: results.EventRunFinished, Run: &results.Run{
		SchemaVersion: results.SchemaVersion,
		Status:        closing.Status, ExitCode: closing.ExitCode, Interrupted: closing.Interrupted,
		Notes: closing.Notes, News: review.News, DurationMS: time.Since(begun).Milliseconds(),
	}})
}

// review has the run looked at in the light of earlier ones, and tells of what
// that gave about programs.
func (l *loop) review(interrupted bool) Review {
	if l.Review == nil || l.err != nil {
		return Review{}
	}
	run := l.acc.Ending(interrupted)
	review := l.Review(run)
	for _, p := range run.Programs {
		for _, w := range review.Warnings[p.Path] {
			l.emit(results.Event{Type: results.EventWarning, Path: p.Path, Repeat: p.Repeat, Warning: &w})
		}
	}
	return review
}
