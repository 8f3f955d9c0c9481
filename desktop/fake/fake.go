// Package fake is an in-memory desktop.Desktop for fast tests: trees built
// from literals, an action log, changes scripted on the nth call or after a
// time, and faults on the nth call of any method.
//
// A test builds its applications, then hands the desktop to the code under
// test. What happens later is written as a function for On, After or Change;
// those run it under the desktop's lock, as they do a node's OnPress and its
// like, so it may change nodes and windows and call Add, Install, Remove,
// Focus, FocusNode, On, After, FailNth and DelayNth, and nothing else.
package fake

import (
	"context"
	"fmt"
	"image"
	"reflect"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// Desktop implements desktop.Desktop. Its exported fields and the methods that
// build it are for the time before the code under test runs, and for functions
// given to On, After and Change.
type Desktop struct {
	// Picture is what Capture takes pictures of; nil is a white screen.
	Picture image.Image
	// ClipboardText is the content of the clipboard.
	ClipboardText string

	mu         sync.Mutex // guards what follows, and every node and window
	screen     desktop.Rect
	apps       []*App
	installed  []*App
	closedApps map[string]bool
	exited     map[string]string // how applications ended, by name
	last       string            // the application that was opened last, and not closed
	focus      *Window
	focused    *Node
	pointer    desktop.Point
	log        []string
	calls      map[string]int
	broken     map[desktop.Part]string
	nextID     uint32
	closed     bool

	changes chan struct{}

	scriptMu sync.Mutex // guards what follows; taken after mu
	scripts  []script
	timers   []*time.Timer
}

// script is what happens on one call of a method.
type script struct {
	method string
	nth    int // 0 for every call
	err    error
	delay  time.Duration
	do     func()
}

// New makes an empty desktop of that size, in pixels.
func New(width, height int) *Desktop {
	return &Desktop{
		screen:     desktop.Rect{Width: width, Height: height},
		exited:     map[string]string{},
		closedApps: map[string]bool{},
		calls:      map[string]int{},
		broken:     map[desktop.Part]string{},
		changes:    make(chan struct{}, 1),
		nextID:     1,
	}
}

var _ desktop.Desktop = (*Desktop)(nil)

// FailNth makes the nth call of the method from the start (1 is the first, 0
// is every call) return the error and do nothing. It panics where
// desktop.Desktop has no such method. Probe and Changes cannot fail.
func (d *Desktop) FailNth(method string, nth int, err error) {
	d.addScript(script{method: method, nth: nth, err: err})
}

// DelayNth makes the nth call of the method (0 is every call) wait that long,
// or until its context is done, before it does anything.
func (d *Desktop) DelayNth(method string, nth int, delay time.Duration) {
	d.addScript(script{method: method, nth: nth, delay: delay})
}

// On runs do after the nth successful call of the method (0 is every call),
// under the desktop's lock, and reports a change.
func (d *Desktop) On(method string, nth int, do func()) {
	d.addScript(script{method: method, nth: nth, do: do})
}

func (d *Desktop) addScript(s script) {
	if _, ok := reflect.TypeFor[desktop.Desktop]().MethodByName(s.method); !ok {
		panic(fmt.Sprintf("fake: desktop.Desktop has no method %s", s.method))
	}
	d.scriptMu.Lock()
	defer d.scriptMu.Unlock()
	d.scripts = append(d.scripts, s)
}

// After runs do once that time has passed, under the desktop's lock, and
// reports a change. Close cancels it.
func (d *Desktop) After(delay time.Duration, do func()) {
	d.scriptMu.Lock()
	defer d.scriptMu.Unlock()
	d.timers = append(d.timers, time.AfterFunc(delay, func() { d.Change(do) }))
}

// Change runs do under the desktop's lock and reports a change.
func (d *Desktop) Change(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	do()
	d.notify()
}

// Break makes Probe report the part as not answering; with an empty detail it
// answers again.
func (d *Desktop) Break(part desktop.Part, detail string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if detail == "" {
		delete(d.broken, part)
		return
	}
	d.broken[part] = detail
}

// Log lists what was done to the desktop, one line for each action; calls
// that only read, and calls that failed, are not in it.
func (d *Desktop) Log() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.log...)
}

// Calls is how often the method was called, failures included.
func (d *Desktop) Calls(method string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[method]
}

// call is the frame of every method: it counts the call, applies delays and
// faults, runs body under the lock, and then what was scripted for after it.
func (d *Desktop) call(ctx context.Context, method string, body func() error) error {
	d.mu.Lock()
	d.calls[method]++
	nth := d.calls[method]
	d.mu.Unlock()
	delay, after, fault := d.scripted(method, nth)
	if err := pause(ctx, delay); err != nil {
		return err
	}
	if fault != nil {
		return fault
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := body(); err != nil {
		return err
	}
	for _, do := range after {
		do()
		d.notify()
	}
	return nil
}

// scripted is all that was scripted for the nth call of the method.
func (d *Desktop) scripted(method string, nth int) (delay time.Duration, after []func(), fault error) {
	d.scriptMu.Lock()
	defer d.scriptMu.Unlock()
	for _, s := range d.scripts {
		if s.method != method || s.nth != 0 && s.nth != nth {
			continue
		}
		delay += s.delay
		if s.err != nil && fault == nil {
			fault = s.err
		}
		if s.do != nil {
			after = append(after, s.do)
		}
	}
	return delay, after, fault
}

// pause waits for delay or the context, whichever ends first.
func pause(ctx context.Context, delay time.Duration) error {
	if err := ctx.Err(); err != nil || delay == 0 {
		return err
	}
	t := time.NewTimer(delay)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// did logs an action and reports a change.
func (d *Desktop) did(format string, args ...any) {
	d.log = append(d.log, fmt.Sprintf(format, args...))
	d.notify()
}

func (d *Desktop) notify() {
	select {
	case d.changes <- struct{}{}:
	default:
	}
}

// Changes implements desktop.Desktop.
func (d *Desktop) Changes() <-chan struct{} { return d.changes }

// Probe implements desktop.Prober.
func (d *Desktop) Probe(context.Context) desktop.Health {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls["Probe"]++
	var h desktop.Health
	for _, part := range desktop.Parts {
		detail, broken := d.broken[part]
		h = append(h, desktop.Probe{Part: part, OK: !broken, Detail: detail})
	}
	return h
}

// Close implements desktop.Desktop.
func (d *Desktop) Close() error {
	return d.call(context.Background(), "Close", func() error {
		d.closed = true
		d.scriptMu.Lock()
		defer d.scriptMu.Unlock()
		for _, t := range d.timers {
			t.Stop()
		}
		return nil
	})
}
