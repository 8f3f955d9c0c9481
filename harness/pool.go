package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/opendesk/opendesk/results"
)

// Bounds of what is asked of a session: how long its end may take, and the
// answers of one that waited to be used.
const (
	returnTimeout = 10 * time.Second
	checkTimeout  = 5 * time.Second
)

// pool hands out sessions. It starts one ahead of the program that will need
// it, so that with the sessions in use there are never more than workers + 1.
// Every session is used once.
type pool struct {
	leaser Leaser
	ctx    context.Context // of sessions that are started ahead
	end    context.CancelFunc

	mu      sync.Mutex
	next    []Item // what has not been begun, in order
	spare   *spare
	trouble []error

	ending sync.WaitGroup // sessions that are ended beside everything else
}

// spare is a session that was started ahead. What it came to can be read once
// ready is closed.
type spare struct {
	kind    string
	ready   chan struct{}
	session Session
	failure *results.Failure
}

func newPool(ctx context.Context, leaser Leaser) *pool {
	p := &pool{leaser: leaser}
	p.ctx, p.end = context.WithCancel(ctx)
	return p
}

// expect says what will need a session after those that have been begun.
func (p *pool) expect(next []Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = next
}

// lease gives a session, one that waits where it is fit. warm says that it was
// there already.
func (p *pool) lease(ctx context.Context, item Item) (s Session, warm bool, failure *results.Failure) {
	defer p.startAhead()
	sp := p.take(p.leaser.Kind(item))
	if sp == nil {
		s, failure = p.leaser.Lease(ctx, item)
		return s, false, failure
	}
	select {
	case <-sp.ready:
		warm = true
	default:
		<-sp.ready // its start is bounded, and ends with the run
	}
	switch {
	case sp.session != nil && p.fit(ctx, sp.session):
		return sp.session, warm, nil
	case sp.session != nil:
		p.discard(sp)
	case !warm:
		return nil, false, sp.failure // the program has waited for just this
	}
	// What went wrong before anybody needed it costs no attempt.
	s, failure = p.leaser.Lease(ctx, item)
	return s, false, failure
}

// fit says whether a session that has waited can still be used.
func (p *pool) fit(ctx context.Context, s Session) bool {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return s.Check(ctx) == nil
}

// take takes the spare session, if there is one of this kind.
func (p *pool) take(kind string) *spare {
	p.mu.Lock()
	defer p.mu.Unlock()
	sp := p.spare
	if sp == nil || sp.kind != kind {
		return nil
	}
	p.spare = nil
	return sp
}

// startAhead starts the session that the next program will need, unless one
// waits already. One that nobody will need is ended.
func (p *pool) startAhead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return
	}
	var first *Item
	for i := range p.next {
		if p.next[i].Program == nil {
			continue
		}
		if first == nil {
			first = &p.next[i]
		}
		if p.spare != nil && p.leaser.Kind(p.next[i]) == p.spare.kind {
			return
		}
	}
	if p.spare != nil {
		p.discard(p.spare)
		p.spare = nil
	}
	if first == nil {
		return
	}
	item := *first
	sp := &spare{kind: p.leaser.Kind(item), ready: make(chan struct{})}
	p.spare = sp
	go func() {
		defer close(sp.ready)
		sp.session, sp.failure = p.leaser.Lease(p.ctx, item)
	}()
}

// discard ends a session that is not used, beside everything else.
func (p *pool) discard(sp *spare) {
	p.ending.Go(func() {
		<-sp.ready
		if sp.session == nil {
			return
		}
		if err := end(p.ctx, sp.session); err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.trouble = append(p.trouble, err)
		}
	})
}

// close ends what was not used. The error says what may be left behind.
func (p *pool) close() error {
	p.end()
	p.mu.Lock()
	if p.spare != nil {
		p.discard(p.spare)
		p.spare = nil
	}
	p.mu.Unlock()
	p.ending.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.trouble...)
}

// end ends a session, also when the run is interrupted.
func end(ctx context.Context, s Session) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTimeout)
	defer cancel()
	err := s.Return(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it did not end within %v", returnTimeout)
	}
	return err
}
