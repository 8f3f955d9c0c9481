package cli

import (
	"context"
	"os"
	"time"
)

// lastGrace is how long a command may take to end once it was told so for the
// second time. The sessions' keepers clear up what is left when it has gone.
const lastGrace = 5 * time.Second

// interrupts gives what the signals that end a process mean: the first one ends
// the context, the second one closes again, and giveUp is called lastGrace after
// that or at the third. release ends the watching.
func interrupts(told <-chan os.Signal, giveUp func()) (ctx context.Context, again <-chan struct{}, release func()) {
	ctx, cancel := context.WithCancel(context.Background())
	twice, over := make(chan struct{}), make(chan struct{})
	next := func() bool {
		select {
		case <-told:
			return true
		case <-over:
			return false
		}
	}
	go func() {
		if !next() {
			return
		}
		cancel()
		if !next() {
			return
		}
		close(twice)
		timer := time.NewTimer(lastGrace)
		defer timer.Stop()
		select {
		case <-told:
		case <-timer.C:
		case <-over:
			return
		}
		giveUp()
	}()
	return ctx, twice, func() { cancel(); close(over) }
}

// twoStages splits a command's context, which ends at the first interrupt: stop
// is closed then, and the context that it gives ends at the second one.
func (st *State) twoStages(ctx context.Context) (hard context.Context, stop <-chan struct{}, cancel context.CancelFunc) {
	hard, cancel = context.WithCancel(context.WithoutCancel(ctx))
	if st.Again == nil {
		return hard, ctx.Done(), cancel
	}
	go func() {
		select {
		case <-st.Again:
			cancel()
		case <-hard.Done():
		}
	}()
	return hard, ctx.Done(), cancel
}
