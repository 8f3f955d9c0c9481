package runner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/runner/wait"
)

// How long a step is left to itself before the environment is asked meanwhile,
// and how often then. Hardly a step that passes takes so long.
const (
	watchAfter = 500 * time.Millisecond
	watchEvery = time.Second
)

// tooSlow is the answer of a part that steps cannot rely on: whatever a step
// has asked of it meanwhile may have run into its own timeout.
const tooSlow = 2 * time.Second

// watch asks the parts of the environment while a step takes long. One that is
// silent for a while and answers again when the step has failed because of it
// would leave the blame with the app.
type watch struct {
	over   chan struct{} // the step has come to its end
	cancel context.CancelFunc
	done   chan struct{}
	seen   desktop.Health // faults, the first of each part; to be read after done
}

func (r *run) watch(ctx context.Context) *watch {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &watch{over: make(chan struct{}), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for pause := watchAfter; w.goesOn(ctx, pause); pause = watchEvery {
			health := r.Desktop.Probe(ctx)
			if ctx.Err() != nil {
				return
			}
			w.note(health)
		}
	}()
	return w
}

// goesOn waits, and tells whether the step is still under way then.
func (w *watch) goesOn(ctx context.Context, pause time.Duration) bool {
	if wait.Change(ctx, w.over, pause) != nil {
		return false
	}
	select {
	case <-w.over:
		return false
	default:
		return true
	}
}

// note keeps what is wrong with an answer.
func (w *watch) note(health desktop.Health) {
	for _, p := range health {
		if !p.OK || slow(p) {
			w.seen = append(w.seen, p)
		}
	}
}

func slow(p desktop.Probe) bool { return time.Duration(p.Millis)*time.Millisecond >= tooSlow }

// correct adds to the answers after a step what was wrong while it was under
// way. What is still being asked is waited for.
func (w *watch) correct(health desktop.Health) desktop.Health {
	close(w.over)
	<-w.done
	corrected := slices.Clone(health)
	for i := range corrected {
		p := &corrected[i]
		if !p.OK {
			continue
		}
		seen := *p
		if at := slices.IndexFunc(w.seen, func(s desktop.Probe) bool { return s.Part == p.Part }); at >= 0 {
			seen = w.seen[at]
		}
		switch {
		case !seen.OK:
			p.OK, p.Detail = false, fmt.Sprintf("while the step was under way: %s (it answers again)", seen.Detail)
		case slow(seen):
			p.OK, p.Detail = false, fmt.Sprintf("it took %.1f s to answer", float64(seen.Millis)/1000)
		}
	}
	return corrected
}

// end ends the watching of a step whose end is clear.
func (w *watch) end() {
	w.cancel()
	<-w.done
}
