package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// poll is how often the daemon looks at the clock and at the store in any case:
// a timer does not see that the machine slept, or that somebody set the clock.
const poll = 5 * time.Second

// Daemon runs the schedules of a store at their times.
type Daemon struct {
	Store *Store
	// Run runs a schedule and says what came of it: StatusOK or a sentence. When
	// ctx ends, so does the run, in good order.
	Run func(ctx context.Context, e Entry) (status string)
	// Parallel is how many schedules run at the same time, 1 where it is less.
	// The others wait.
	Parallel int
	// Log is told what happens, a line at a time, from one goroutine.
	Log func(format string, args ...any)

	tasks   map[string]*task
	queue   []*task // due and waiting, the first one first
	ended   chan ending
	running int
	trouble string // with the store, "" for none
	poll    time.Duration
}

// task is what the daemon knows of a schedule.
type task struct {
	entry Entry
	when  Timing
	zone  *time.Location
	// next is when it is due; zero for never.
	next time.Time
	// looked is when the clock was looked at last.
	looked  time.Time
	running bool
	waiting bool
	// refused says that its timing cannot be read, gone that it is in the store
	// no longer.
	refused, gone bool
}

// ending is the end of a run.
type ending struct {
	key, status string
	release     func() error
}

// Serve runs schedules until ctx ends, and then waits for those under way. The
// caller holds the store (see Store.Hold). The error says that the store cannot
// be read at the start.
func (d *Daemon) Serve(ctx context.Context) error {
	d.tasks, d.ended = map[string]*task{}, make(chan ending)
	d.poll = cmp.Or(d.poll, poll)
	entries, err := d.Store.Load()
	if err != nil {
		return err
	}
	d.takeOver(entries)
	for {
		next := d.look(ctx)
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
			timer.Stop()
			d.finish()
			return nil
		case end := <-d.ended:
			d.end(end)
		case <-timer.C:
		}
		timer.Stop()
	}
}

// takeOver says of runs that nobody runs any more that they were cut short.
func (d *Daemon) takeOver(entries []Entry) {
	for i := range entries {
		e := &entries[i]
		if e.LastStatus != StatusRunning {
			continue
		}
		if pid, err := d.Store.Running(e); pid != 0 || err != nil {
			continue
		}
		d.Log("%s: its last run was cut short: the process that ran it was ended", e.Name)
		d.note(d.Store.Ended(e.Name, "interrupted: the process that ran it was ended"))
	}
}

// look reads the store, begins what is due, and says how long to wait.
func (d *Daemon) look(ctx context.Context) time.Duration {
	d.reload()
	now := d.Store.Now()
	wait := d.poll
	for _, t := range d.sorted() {
		d.check(t, now)
	}
	d.begin(ctx, now)
	for _, t := range d.tasks {
		if !t.next.IsZero() {
			wait = min(wait, max(t.next.Sub(now), time.Millisecond))
		}
	}
	return wait
}

// sorted lists the tasks, the one that is due first first.
func (d *Daemon) sorted() []*task {
	list := make([]*task, 0, len(d.tasks))
	for _, t := range d.tasks {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *task) int {
		return cmp.Or(a.next.Compare(b.next), cmp.Compare(a.entry.Name, b.entry.Name))
	})
	return list
}

// reload brings the tasks up to what the store says. A store that cannot be read
// leaves them as they are.
func (d *Daemon) reload() {
	entries, err := d.Store.Load()
	if err != nil {
		if d.trouble != err.Error() {
			d.trouble = err.Error()
			d.Log("%v: what was read before stays in force", err)
		}
		return
	}
	if d.trouble != "" {
		d.trouble = ""
		d.Log("the store can be read again")
	}
	there := map[string]bool{}
	var remembered memory
	for _, e := range entries {
		if !e.Enabled {
			continue
		}
		key := e.key()
		there[key] = true
		t, known := d.tasks[key]
		if known && !t.gone && t.entry.timing() == e.timing() {
			t.entry = e
			continue
		}
		if remembered == nil {
			remembered = d.Store.remembered()
		}
		fresh := d.plan(e, remembered)
		if known {
			fresh.running = t.running
		}
		d.tasks[key] = fresh
	}
	for key, t := range d.tasks {
		if !there[key] && t.running {
			t.next, t.gone = time.Time{}, true // until its run has ended
		} else if !there[key] {
			delete(d.tasks, key)
		}
	}
	d.queue = slices.DeleteFunc(d.queue, func(t *task) bool { return d.tasks[t.entry.key()] != t })
}

// timing is everything that says when an entry is due.
func (e *Entry) timing() string {
	return fmt.Sprintf("%s|%s|%g|%s", e.Timing, e.Cron, e.Interval, e.Timezone)
}

// plan says when a schedule that was not known is due.
func (d *Daemon) plan(e Entry, remembered memory) *task {
	now := d.Store.Now()
	t := &task{entry: e, looked: now}
	var err error
	if t.when, err = e.When(); err == nil {
		t.zone, err = e.Zone()
	}
	if err != nil {
		t.refused = true
		d.Log("%s: %v: it is not run", e.Name, err)
		return t
	}
	from := now
	if s, ok := remembered[e.key()]; ok && s.Timing == e.timing() && s.Until.Before(now) {
		from = s.Until // what was due meanwhile is made up for, once
	} else {
		d.settle(t, now)
	}
	t.next = t.when.Next(from, t.zone)
	d.Log("%s: %s, next at %s", e.Name, t.when.Text, said(t.next, t.zone))
	return t
}

// check puts the task in the queue where it is due.
func (d *Daemon) check(t *task, now time.Time) {
	if t.refused || t.next.IsZero() {
		return
	}
	if now.Before(t.looked.Add(-time.Minute)) { // the clock was put back
		t.next = t.when.Next(now, t.zone)
		d.Log("%s: the clock was put back, next at %s", t.entry.Name, said(t.next, t.zone))
	}
	t.looked = now
	if now.Before(t.next) {
		return
	}
	due := t.next
	t.next = t.following(due, now)
	switch {
	case t.running:
		d.Log("%s: was due at %s, but is still being run: left out", t.entry.Name, said(due, t.zone))
		d.settle(t, now)
	case t.waiting:
	default:
		if late := now.Sub(due); late > time.Minute {
			d.Log("%s: was due at %s: made up for, once", t.entry.Name, said(due, t.zone))
		}
		t.waiting = true
		d.queue = append(d.queue, t)
	}
}

// following is when the task is due after now. Intervals keep their rhythm.
func (t *task) following(due, now time.Time) time.Time {
	if every := t.when.Interval; every > 0 {
		return due.Add((now.Sub(due)/every + 1) * every)
	}
	return t.when.Next(now, t.zone)
}

// begin begins what is waiting, as far as there is room.
func (d *Daemon) begin(ctx context.Context, now time.Time) {
	for len(d.queue) > 0 && d.running < max(d.Parallel, 1) && ctx.Err() == nil {
		t := d.queue[0]
		d.queue = d.queue[1:]
		t.waiting = false
		d.settle(t, now)
		release, err := d.Store.HoldTask(&t.entry)
		if err != nil {
			d.Log("%s: %v: left out", t.entry.Name, err)
			continue
		}
		d.note(d.Store.Began(t.entry.Name, now))
		d.Log("%s: begins (%s)", t.entry.Name, t.entry.Task)
		t.running = true
		d.running++
		go func(e Entry) {
			d.ended <- ending{e.key(), d.Run(ctx, e), release}
		}(t.entry)
	}
}

// end notes the end of a run.
func (d *Daemon) end(e ending) {
	d.running--
	t := d.tasks[e.key]
	t.running = false
	d.note(d.Store.Ended(t.entry.Name, e.status))
	d.note(e.release())
	d.Log("%s: %s", t.entry.Name, e.status)
}

// finish waits for what is under way.
func (d *Daemon) finish() {
	if d.running > 0 {
		d.Log("ends when what is under way has ended (%d)", d.running)
	}
	for d.running > 0 {
		d.end(<-d.ended)
	}
}

func (d *Daemon) settle(t *task, now time.Time) {
	d.note(d.Store.remember(t.entry.key(), settled{now, t.entry.timing()}))
}

// note tells what of the store could not be written. That of a store that is
// broken is told already.
func (d *Daemon) note(err error) {
	var broken *BrokenError
	var unknown *UnknownError
	if err != nil && !errors.As(err, &broken) && !errors.As(err, &unknown) {
		d.Log("%v", err)
	}
}

// said is a time for people.
func said(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "no time"
	}
	return t.In(zone).Format("Mon 2006-01-02 15:04:05 MST")
}
