// Package wait is the one way in which a run waits: for something to hold, as
// soon as the desktop says that anything changed, and at least every Floor in
// any case. There are no fixed sleeps.
package wait

import (
	"context"
	"time"
)

// Floor is the longest time between two looks: an event that was never sent
// costs at most this.
const Floor = 250 * time.Millisecond

// Result says how a wait ended.
type Result struct {
	// Looks counts the evaluations.
	Looks int
	// Took is the time from the first look to the end.
	Took time.Duration
}

// Until calls look at once, then whenever changes gets a value, and at least
// every Floor, until it reports true or an error, the timeout is over, or ctx
// ends. The last look happens at the deadline, never before it: what holds
// within the timeout is seen. A timeout is no error: held is then false.
func Until(ctx context.Context, changes <-chan struct{}, timeout time.Duration,
	look func(context.Context) (bool, error)) (held bool, r Result, err error) {
	start := time.Now()
	deadline := start.Add(timeout)
	defer func() { r.Took = time.Since(start) }()
	for {
		last := !time.Now().Before(deadline)
		r.Looks++
		held, err = look(ctx)
		if held || err != nil || last {
			return held, r, err
		}
		if err := Change(ctx, changes, min(Floor, time.Until(deadline))); err != nil {
			return false, r, err
		}
	}
}

// Change returns when changes gets a value or the time is over, with an error
// only when ctx ends.
func Change(ctx context.Context, changes <-chan struct{}, atMost time.Duration) error {
	if atMost <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changes:
	case <-timer.C:
	}
	return nil
}

// Pause waits for the time that a program asks for (wait_ms, the wait tool).
func Pause(ctx context.Context, d time.Duration) error {
	return Change(ctx, nil, d)
}
