//go:build linux && cgo

package record

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
	"github.com/opendesk/opendesk/trajectory"
)

// Available says whether this build can record.
const Available = true

// Run records until ctx ends, which is no error. *desktop.EnvironmentError
// where the display cannot be recorded, or has gone.
func Run(ctx context.Context, o Options) (err error) {
	stream, err := openStream(o.Display)
	if err != nil {
		return err
	}
	closeStream := sync.OnceValue(stream.close)
	defer closeStream() //nolint:errcheck // nothing is written through it
	keys, err := openKeyboard(ctx, o.Display, o.Locale)
	if err != nil {
		return err
	}
	defer keys.close()
	r := &recorder{
		options: o, keys: keys, inputs: make(chan Input, 4096), over: make(chan *action, 1024),
		names: names{app: o.App, title: o.Title, password: o.Password}, filter: filter{own: map[int]bool{}},
	}
	for _, pid := range o.Own {
		r.filter.own[pid] = true
	}
	r.watcher = newWatcher(o.Desktop)
	r.grouper = newGrouper(func(in Input) *sighting { return r.see(context.WithoutCancel(ctx), in) })
	return r.run(ctx, stream, closeStream)
}

// recorder is one recording that runs.
type recorder struct {
	options Options
	keys    *keyboard
	inputs  chan Input
	over    chan *action
	watcher *watcher
	grouper *grouper
	names   names
	filter  filter
}

func (r *recorder) run(ctx context.Context, stream *stream, closeStream func() error) error {
	// What looks and what writes ends after what records.
	working, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()
	var looking sync.WaitGroup
	defer looking.Wait()
	defer done()
	looking.Go(func() { r.watcher.listen(working) })
	first := r.watcher.look(working, r.startPoint(working))
	if err := r.options.Tell(Message{Started: &Started{At: seconds(time.Now()), Scene: r.names.scene(first)}}); err != nil {
		return err
	}
	looking.Go(func() { r.watcher.run(working) })

	streaming := make(chan error, 1)
	go func() { streaming <- stream.run(func(in Input) { r.inputs <- in }) }()
	writing := make(chan error, 1)
	go func() { writing <- r.write(working, first) }()

	err := r.group(ctx, streaming, writing)
	for _, a := range r.grouper.finish() {
		r.hand(a)
	}
	close(r.over)
	_ = closeStream()
	if told := <-writing; err == nil {
		err = told
	}
	return err
}

// startPoint is where the pointer is as the recording begins.
func (r *recorder) startPoint(ctx context.Context) desktop.Point {
	at, err := xconn.Do(ctx, r.keys.conn, "asking for the pointer", func() (desktop.Point, error) {
		reply, err := xproto.QueryPointer(r.keys.conn.X, r.keys.conn.Root).Reply()
		if err != nil {
			return desktop.Point{}, err
		}
		return desktop.Point{X: int(reply.RootX), Y: int(reply.RootY)}, nil
	})
	if err == nil {
		r.watcher.move(at)
	}
	return at
}

// group makes actions of inputs until ctx ends or something fails.
func (r *recorder) group(ctx context.Context, streaming, writing chan error) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if due := r.grouper.due(); due.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(max(time.Millisecond, time.Until(due)))
		}
		select {
		case in := <-r.inputs:
			r.take(ctx, in)
		case now := <-timer.C:
			for _, a := range r.grouper.expire(now) {
				r.hand(a)
			}
		case err := <-streaming:
			return fault(errors.Join(errors.New("the recording has ended"), err))
		case err := <-writing:
			writing <- err // who waits for its end gets it again
			return err
		case <-ctx.Done():
			for { // what is here already was done before
				select {
				case in := <-r.inputs:
					r.take(context.WithoutCancel(ctx), in)
				default:
					return nil
				}
			}
		}
	}
}

// take takes one input.
func (r *recorder) take(ctx context.Context, in Input) {
	switch in.Kind {
	case Motion:
		r.watcher.move(in.Point)
	case KeyDown:
		in.Stroke = r.keys.stroke(ctx, in)
		if in.Stroke.Key != "" {
			r.watcher.urge()
		}
	case ButtonUp:
		r.watcher.urge()
	}
	open := r.grouper.open
	for _, a := range r.grouper.take(in) {
		r.hand(a)
	}
	if now := r.grouper.open; in.Kind == KeyDown && in.Stroke.Text != "" && now == open && now != nil {
		r.watcher.wishes <- wish{in: in, s: now.seen}
	}
}

// see has the watcher say what is there as an action begins.
func (r *recorder) see(ctx context.Context, in Input) *sighting {
	q := wish{in: in, first: true, s: newSighting()}
	if in.Kind == ButtonDown {
		q.windows = windowsAt(ctx, r.keys.conn, in.Point)
	}
	r.watcher.wishes <- q
	return q.s
}

// hand hands on an action that is over. Where a text went is looked at once
// more.
func (r *recorder) hand(a *action) {
	if a.kind == trajectory.Type {
		a.checked = make(chan struct{})
		r.watcher.wishes <- wish{in: Input{Kind: KeyDown, At: a.ended}, s: a.seen, last: a.checked}
	}
	r.over <- a
}

// write tells of the actions in their order, and of the last one again when
// what came of it is known.
func (r *recorder) write(ctx context.Context, first *view) error {
	var last *action
	var told trajectory.Event
	amend := func(later *view) error {
		if last == nil {
			return nil
		}
		if told.After = r.names.change(last, later); told.After == nil {
			return nil
		}
		return r.options.Tell(Message{Amend: &told})
	}
	var failed error
	for a := range r.over {
		<-a.seen.done
		if a.checked != nil {
			<-a.checked
		}
		if failed != nil || !r.filter.keeps(a) {
			continue
		}
		failed = amend(a.seen.view)
		if failed == nil {
			e := r.names.event(a)
			a.seen.settled = a.seen.fresh || a.seen.view != nil && last != nil && a.seen.view.forest.began.After(last.ended.Add(quietAfter))
			last, told = a, e
			failed = r.options.Tell(Message{Append: &e})
		}
		if failed != nil {
			return failed
		}
	}
	if last == nil {
		return nil
	}
	r.watcher.settle(ctx)
	return amend(r.watcher.lookNow(ctx))
}

// windowsAt are the ids of the windows at the point, from the root's child
// down.
func windowsAt(ctx context.Context, c *xconn.Conn, at desktop.Point) []uint32 {
	ids, _ := xconn.Do(ctx, c, "asking what is at a point", func() (ids []uint32, err error) {
		for in := c.Root; ; {
			reply, err := xproto.TranslateCoordinates(c.X, c.Root, in, int16(at.X), int16(at.Y)).Reply()
			if err != nil || reply.Child == 0 || len(ids) >= maxNesting {
				return ids, nil
			}
			in = reply.Child
			ids = append(ids, uint32(in))
		}
	})
	return ids
}

// maxNesting bounds how deep windows are looked into.
const maxNesting = 16
