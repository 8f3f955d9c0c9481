package record

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// sighting is what was to be seen as an action began. It is the watcher's until
// done is closed.
type sighting struct {
	done chan struct{}
	// view is what the desktop was like, nil where nothing could be seen.
	view *view
	// window is where it was done, element what it was done to; nil for unknown.
	window  *desktop.Window
	element *desktop.Element
	// late says that the element was looked up after the action had begun, fresh
	// that nothing had changed between the view's look at applications and then.
	late, fresh bool
	// settled says that what came of the action before was seen already.
	settled bool

	mu sync.Mutex
	// secret says that something of it went into a password field.
	secret bool
}

func newSighting() *sighting { return &sighting{done: make(chan struct{})} }

func (s *sighting) hide() {
	s.mu.Lock()
	s.secret = true
	s.mu.Unlock()
}

func (s *sighting) hidden() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.secret
}

// looker is a desktop, as far as it is only looked at.
type looker interface {
	desktop.Windows
	Snapshot(ctx context.Context, app string, need desktop.Need) (*desktop.Snapshot, error)
	Fill(ctx context.Context, elements []*desktop.Element, need desktop.Need) error
	Changes() <-chan struct{}
}

// focusAsker is a desktop that can ask one element alone whether it has the
// keyboard focus, which is cheap.
type focusAsker interface {
	IsFocused(ctx context.Context, e *desktop.Element) (bool, error)
}

// watcher looks at the desktop ahead of what is done.
type watcher struct {
	desktop looker
	wishes  chan wish
	moved   chan struct{}

	mu     sync.Mutex
	views  []*view // the last few, oldest first
	newest *forest // the last one, complete or not
	at     desktop.Point
	urged  time.Time // when the pointer was moved last, or something was done that is no typing
	hinted time.Time // when a change was heard of last
}

// wish is a question of the recorder.
type wish struct {
	in Input
	// windows are the ids of the windows that the pointer was in, outermost
	// first, when the input got here: a menu may be gone when this is answered.
	windows []uint32
	// first is set for the first input of an action; otherwise it is one more
	// key of a text.
	first bool
	s     *sighting
	// last is closed when the wish is fulfilled; nil where nobody waits.
	last chan struct{}
	// look wants nothing but a fresh view.
	look chan *view
}

// How often to look.
const (
	keptViews = 8
	// glancePause is the least time between two glances.
	glancePause = 120 * time.Millisecond
	// lookPause is the least time between two looks, and lookShare which part
	// of the time looking may take where it takes long.
	lookPause = 120 * time.Millisecond
	lookShare = 6
	longPause = 500 * time.Millisecond
	// failedPause is how long an app that did not tell everything is left alone.
	failedPause = time.Second
	// quietAfter is how long nothing must have changed for a look that nothing
	// urges, and noQuiet when it is taken all the same.
	quietAfter = 300 * time.Millisecond
	noQuiet    = 1200 * time.Millisecond
)

func newWatcher(d looker) *watcher {
	return &watcher{desktop: d, wishes: make(chan wish, 4096), moved: make(chan struct{}, 1)}
}

// listen notes when something changes, until ctx ends.
func (w *watcher) listen(ctx context.Context) {
	changes := w.desktop.Changes()
	for {
		select {
		case <-changes:
			now := time.Now()
			w.mu.Lock()
			w.hinted = now
			for _, v := range w.views {
				v.forest.change(now)
			}
			if w.newest != nil {
				w.newest.change(now)
			}
			w.mu.Unlock()
			w.poke()
		case <-ctx.Done():
			return
		}
	}
}

// change notes when something changed first.
func (f *forest) change(at time.Time) {
	if f.stale.IsZero() {
		f.stale = at
	}
}

func (w *watcher) poke() {
	select {
	case w.moved <- struct{}{}:
	default:
	}
}

// move tells where the pointer is.
func (w *watcher) move(to desktop.Point) {
	w.mu.Lock()
	w.at, w.urged = to, time.Now()
	w.mu.Unlock()
	w.poke()
}

// mark has a forest hear of changes that is not complete yet.
func (w *watcher) mark(f *forest) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.newest = f
}

// lastView is the one that was added last, nil for none.
func (w *watcher) lastView() *view {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.views); n > 0 {
		return w.views[n-1]
	}
	return nil
}

// add makes a view the last one.
func (w *watcher) add(v *view) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.views = append(w.views, v)
	if len(w.views) > keptViews {
		w.views = slices.Delete(w.views, 0, 1)
	}
}

// run fulfils wishes and looks ahead, until ctx ends.
func (w *watcher) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		glance, look := w.due()
		if glance.IsZero() && look.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(max(0, time.Until(earliest(glance, look))))
		}
		select {
		case q := <-w.wishes:
			w.fulfil(ctx, q)
		case <-w.moved:
		case now := <-timer.C:
			if !look.IsZero() && !look.After(now) {
				w.look(ctx, w.pointer())
				break
			}
			if was, is := w.lastView(), w.glance(ctx); was == nil || !was.alike(is) {
				w.look(ctx, w.pointer())
			}
		case <-ctx.Done():
			return
		}
	}
}

func (w *watcher) pointer() desktop.Point {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// due says when to glance and when to look next; zero is never: nothing has
// changed, and the pointer is over an app that is known.
func (w *watcher) due() (glance, look time.Time) {
	last := w.lastView()
	if last == nil {
		return time.Time{}, time.Now()
	}
	w.mu.Lock()
	at, stale, urged, hinted := w.at, last.forest.stale, w.urged, w.hinted
	w.mu.Unlock()
	if hinted.After(last.began) {
		glance = last.ended.Add(glancePause)
	}
	f := last.forest
	look = f.ended.Add(min(max(lookPause, lookShare*f.ended.Sub(f.began)), longPause))
	if f.failed {
		return glance, f.ended.Add(failedPause)
	}
	under := topAt(last.windows, at)
	switch known := under == nil || under.App.PID == 0 || f.trees[under.App.PID] != nil; {
	case known && stale.IsZero():
		return glance, time.Time{}
	case known && !urged.After(f.began):
		look = latest(look, earliest(hinted.Add(quietAfter), stale.Add(noQuiet)))
	}
	return glance, look
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// earliest takes zero for never.
func earliest(a, b time.Time) time.Time {
	if b.IsZero() || !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

// urge asks for a look soon: something is done that is no typing.
func (w *watcher) urge() {
	w.mu.Lock()
	w.urged = time.Now()
	w.mu.Unlock()
	w.poke()
}

// asOf is the freshest view of the desktop as it was at the time; fresh says
// that nothing had changed since its look at the applications.
func (w *watcher) asOf(t time.Time) (v *view, fresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range slices.Backward(w.views) {
		if f := v.forest; v.isOf(t) {
			return v, !f.ended.IsZero() && (f.stale.IsZero() || f.stale.After(t))
		}
	}
	return nil, false
}

// isOf reports whether the view shows what there was at the time: it was complete
// then, or under way while nothing changed.
func (v *view) isOf(t time.Time) bool {
	stale := v.forest.stale
	return !v.ended.After(t) || !v.began.After(t) && (stale.IsZero() || stale.After(v.ended))
}

// fulfil answers a wish.
func (w *watcher) fulfil(ctx context.Context, q wish) {
	if q.last != nil {
		defer close(q.last)
	}
	switch {
	case q.look != nil:
		q.look <- w.look(ctx, w.pointer())
	case q.first && (q.in.Kind == KeyDown || q.in.Kind == KeyUp):
		w.focused(ctx, q)
		close(q.s.done)
	case q.first:
		w.pointed(ctx, q)
		close(q.s.done)
	default:
		w.still(ctx, q)
	}
}

// pointed finds the element at the pointer.
func (w *watcher) pointed(ctx context.Context, q wish) {
	s := q.s
	v, fresh := w.asOf(q.in.At)
	if v != nil {
		s.view, s.fresh, s.window = v, fresh, windowOf(v, q.windows)
		menu := topAt(v.windows, q.in.Point)
		gone := menu != nil && menu.Override && !slices.Contains(q.windows, menu.ID)
		if gone { // the click has closed it before anybody could ask
			s.window, s.late = menu, !fresh
		}
		if s.window != nil {
			s.element = v.elementAt(s.window, q.in.Point)
		}
		if gone {
			return
		}
	}
	if s.window != nil && (fresh || w.isStill(ctx, s.element, q.in.Point)) {
		return
	}
	before := s.element
	now := w.look(ctx, q.in.Point)
	window := windowOf(now, q.windows)
	if window == nil {
		s.late = s.element != nil
		return
	}
	element := now.elementAt(window, q.in.Point)
	switch {
	case same(before, element) && before != nil:
		s.window = window
	case before != nil && s.window != nil && s.window.ID == window.ID:
		// It has changed, maybe because of the click: what was there is meant.
		s.late = !fresh
	default:
		s.window, s.element, s.late = window, element, true
	}
}

// isStill asks the element alone whether it is where it was: something has
// changed, but that need not have been there.
func (w *watcher) isStill(ctx context.Context, e *desktop.Element, at desktop.Point) bool {
	if e == nil {
		return false
	}
	now := *e
	err := w.desktop.Fill(ctx, []*desktop.Element{&now}, desktop.NeedBounds)
	return err == nil && isAt(&now, at) && now.Bounds == e.Bounds
}

// windowOf is the window among those at a point that the view knows.
func windowOf(v *view, ids []uint32) *desktop.Window {
	for _, id := range ids {
		if win := v.window(id); win != nil {
			return win
		}
	}
	return nil
}

// same reports whether two elements are one, as far as people can tell.
func same(a, b *desktop.Element) bool {
	return a != nil && b != nil && a.Role == b.Role && a.Name == b.Name && a.Identifier == b.Identifier && a.Ref == b.Ref
}

// focused finds the element that has the keyboard focus.
func (w *watcher) focused(ctx context.Context, q wish) {
	s := q.s
	v, fresh := w.asOf(q.in.At)
	if v != nil {
		s.view, s.fresh, s.window, s.element = v, fresh, v.front, v.focus
	}
	typing := q.in.Stroke.Text != ""
	if !fresh && !w.keepsFocus(ctx, s.element, typing) {
		w.focusNow(ctx, s, typing)
	}
	if s.element != nil && s.element.States.Has(desktop.Password) {
		s.hide()
	}
}

// keepsFocus reports whether the element is known to have the focus still.
// Where texts go is taken from elements that take texts only: others claim to
// have the focus beside them.
func (w *watcher) keepsFocus(ctx context.Context, e *desktop.Element, typing bool) bool {
	asker, can := w.desktop.(focusAsker)
	if !can || e == nil || typing && !takesText(e) || e.Role == "page tab" {
		return false
	}
	has, err := asker.IsFocused(ctx, e)
	return has && err == nil
}

// focusNow asks where the focus is now. Keys that are held down are not worth a
// look each.
func (w *watcher) focusNow(ctx context.Context, s *sighting, typing bool) {
	v := w.lastView()
	if typing || v == nil || time.Since(v.forest.ended) > lookPause {
		v = w.look(ctx, w.pointer())
	}
	if v.focus != nil && v.focus.States.Has(desktop.Password) {
		s.hide()
	}
	if s.element != nil && same(s.element, v.focus) {
		return
	}
	s.window, s.element, s.late = v.front, v.focus, true
}

// still looks whether what is typed still goes where it went.
func (w *watcher) still(ctx context.Context, q wish) {
	if w.keepsFocus(ctx, q.s.element, true) {
		return
	}
	v, fresh := w.asOf(time.Now())
	if q.last == nil && v != nil && time.Since(v.ended) < lookPause {
		fresh = true // the end of the text is looked at in any case
	}
	if !fresh {
		v = w.look(ctx, w.pointer())
	}
	if v.focus != nil && v.focus.States.Has(desktop.Password) {
		q.s.hide()
	}
}

// lookNow gives a view that begins after the call, nil where ctx ended.
func (w *watcher) lookNow(ctx context.Context) *view {
	answer := make(chan *view, 1)
	w.wishes <- wish{look: answer}
	select {
	case v := <-answer:
		return v
	case <-ctx.Done():
		return nil
	}
}

// settle waits until nothing has changed for a while, or changes do not end.
func (w *watcher) settle(ctx context.Context) {
	limit := time.NewTimer(endLimit)
	defer limit.Stop()
	for {
		w.mu.Lock()
		rest := time.Until(w.hinted.Add(endQuiet))
		w.mu.Unlock()
		if rest <= 0 {
			return
		}
		quiet := time.NewTimer(rest)
		select {
		case <-quiet.C:
		case <-limit.C:
			quiet.Stop()
			return
		case <-ctx.Done():
			quiet.Stop()
			return
		}
	}
}
