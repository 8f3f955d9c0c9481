package atspi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop"
)

// How an action that is not answered is found to be under way: the
// application answers reads all the same.
const (
	livenessEvery = 60 * time.Millisecond
	livenessTimes = 3
)

// Act performs the element's native action of that sort, picked by name.
//
// An answer says that the action was accepted, not that it has had an effect:
// GTK 3 accepts it for an insensitive button too. Actions travel over a private
// connection where the application offers one, since GTK 3 serves nothing else
// on their connection while a modal dialog that they opened is up.
//
// Errors are *desktop.NoActionError, *desktop.UnansweredError (sent, and
// perhaps under way), *desktop.GoneError, *desktop.HungError and
// *desktop.EnvironmentError.
func (b *Bus) Act(ctx context.Context, e *desktop.Element, kind desktop.ActionKind) error {
	h, ok := handleOf(e)
	if !ok {
		return &desktop.NoActionError{Action: kind}
	}
	start := time.Now()
	names, err := b.actionNames(ctx, h)
	if err != nil {
		if refused(err) {
			return b.noAction(ctx, e, kind)
		}
		return b.fault(ctx, *h.app, err, time.Since(start))
	}
	index := pickAction(names, kind, desktop.SameRole(e.Role, "label"))
	if index < 0 {
		return &desktop.NoActionError{Action: kind, Have: names}
	}
	return b.doAction(ctx, e, h, index, names[index])
}

// actionNames asks for the names of the object's actions, in index order.
func (b *Bus) actionNames(ctx context.Context, h *handle) ([]string, error) {
	body, err := callOne(ctx, b.conn, b.timeout, request{dest: h.dest, path: h.path, method: getProperty,
		args: []any{actionInterface, "NActions"}})
	if err != nil {
		return nil, err
	}
	requests := make([]*request, actionCount(body))
	for i := range requests {
		requests[i] = &request{dest: h.dest, path: h.path, method: actionName, args: []any{int32(i)}}
	}
	if err := firstError(batch(ctx, b.conn, b.timeout, requests), requests); err != nil {
		return nil, err
	}
	names := make([]string, len(requests))
	for i, q := range requests {
		names[i] = stringOf(q.body)
	}
	return names, nil
}

// noAction tells an element without actions from one that has gone.
func (b *Bus) noAction(ctx context.Context, e *desktop.Element, kind desktop.ActionKind) error {
	h := e.Handle.(*handle)
	start := time.Now()
	_, err := callOne(ctx, b.conn, b.timeout, request{dest: h.dest, path: h.path, method: accessible + ".GetRole"})
	switch {
	case err == nil:
		return &desktop.NoActionError{Action: kind}
	case refused(err):
		return &desktop.GoneError{What: describe(e)}
	}
	return b.fault(ctx, *h.app, err, time.Since(start))
}

func (b *Bus) doAction(ctx context.Context, e *desktop.Element, h *handle, index int, name string) error {
	conn, private := b.actionConn(ctx, h.dest)
	start := time.Now()
	// The call outlives this function where it is not answered, so that it is
	// known when it is.
	done := make(chan *dbus.Call, 1)
	conn.Object(h.dest, h.path).GoWithContext(context.WithoutCancel(ctx), actionInterface+".DoAction",
		dbus.FlagNoAutoStart, done, int32(index))

	limit := time.NewTimer(b.timeout)
	defer limit.Stop()
	live := b.liveness(ctx, h.dest)
	defer live.stop()
	var err error
	select {
	case call := <-done:
		if private {
			b.answered(conn)
		}
		return b.actionResult(ctx, e, call, name, time.Since(start))
	case <-live.c:
		err = &desktop.UnansweredError{After: time.Since(start)}
	case <-limit.C:
		err = &desktop.UnansweredError{After: time.Since(start)}
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if private {
		go func() {
			<-done // answered, or closed with the bus
			b.answered(conn)
		}()
	}
	return err
}

func (b *Bus) actionResult(ctx context.Context, e *desktop.Element, call *dbus.Call, name string, after time.Duration) error {
	h := e.Handle.(*handle)
	if call.Err != nil {
		if connectionLost(call.Err) && b.conn.Connected() {
			// The private connection broke: the application has gone, or is
			// on its way.
			return &desktop.GoneError{What: "app '" + h.app.label() + "'"}
		}
		if refused(call.Err) {
			var de dbus.Error
			errors.As(call.Err, &de)
			if mayBeGone(de) {
				return &desktop.GoneError{What: describe(e)}
			}
			return fmt.Errorf("action %q of %s: %w", name, describe(e), call.Err)
		}
		return b.fault(ctx, *h.app, call.Err, after)
	}
	if did, ok := first(call.Body).(bool); ok && !did {
		return fmt.Errorf("action %q of %s: refused by the application", name, describe(e))
	}
	return nil
}

// prober finds out that an application answers reads.
type prober struct {
	c    chan struct{}
	stop context.CancelFunc
}

// liveness sends on c once the application has answered several reads over
// the bus, one after the other.
func (b *Bus) liveness(ctx context.Context, dest string) prober {
	ctx, cancel := context.WithCancel(ctx)
	p := prober{c: make(chan struct{}, 1), stop: cancel}
	go func() {
		defer cancel()
		tick := time.NewTicker(livenessEvery)
		defer tick.Stop()
		for range livenessTimes {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if _, err := callOne(ctx, b.conn, b.timeout, request{dest: dest, path: rootPath, method: accessible + ".GetRole"}); err != nil {
				return
			}
		}
		p.c <- struct{}{}
	}()
	return p
}

func describe(e *desktop.Element) string {
	return fmt.Sprintf("%s '%s'", e.Role, e.Name)
}
