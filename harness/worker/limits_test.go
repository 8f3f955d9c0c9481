//go:build unix

package worker

import (
	"os"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
)

// memory is a limit that was reached, as a session tells.
func memory(times int64) ReachedLimit {
	return ReachedLimit{Name: "memory", Times: times, Brief: "the limit was reached", Text: "The limit was reached: raise it."}
}

func TestLimitsAreNamedInFailures(t *testing.T) {
	step := func(status results.StepStatus, f *results.Failure) results.Event {
		return results.Event{Type: results.EventStepFinished, Step: &results.Step{ID: "s1", Status: status, Failure: f}}
	}
	ended := func(status results.Status, reason string) results.Event {
		return results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{Status: status, Reason: reason}}
	}
	var h *host
	h = newHost(t, func(_ string, events *os.File) {
		h.reached = []ReachedLimit{memory(2)}
		tell(t, events, step(results.StepFailed, &results.Failure{Kind: results.AppDied, Reason: "app 'x' ended",
			Details: []string{"more"}, SelfHeal: &results.SelfHeal{Reason: "app 'x' ended"}}), ended(results.Failed, "app 'x' ended"))
	})
	h.reached = []ReachedLimit{memory(1)} // by an earlier program in the session
	d := launch(t, t.Context(), h)
	const want = "app 'x' ended (the limit was reached)"
	for _, e := range d.events {
		switch e.Type {
		case results.EventStepFinished:
			f := e.Step.Failure
			if f.Reason != want || f.SelfHeal.Reason != want || f.Kind != results.AppDied || strings.Join(f.Details, "|") != "The limit was reached: raise it.|more" {
				t.Errorf("failure %+v", f)
			}
		case results.EventAttemptFinished:
			if e.Attempt.Reason != want || e.Attempt.Status != results.Failed {
				t.Errorf("attempt %+v", e.Attempt)
			}
		case results.EventWarning:
			t.Errorf("warning %+v beside a failure", e.Warning)
		}
	}

	// A program that passes all the same gets a note; one that reached nothing
	// gets none, whatever an earlier one did.
	for _, during := range []int64{1, 2} {
		h := newHost(t, nil)
		h.reached = []ReachedLimit{memory(1)}
		h.work = func(_ string, events *os.File) {
			h.reached = []ReachedLimit{memory(during)}
			tell(t, events, step(results.StepPassed, nil), ended(results.Passed, ""))
		}
		types := launch(t, t.Context(), h).types()
		if strings.Contains(types, "warning") != (during == 2) {
			t.Errorf("reached %d times: %s", during, types)
		}
	}
}

func TestLimitsAreNamedWhereTheWorkerDied(t *testing.T) {
	h := newHost(t, nil)
	h.how = "signal: killed"
	h.work = func(string, *os.File) { h.reached = []ReachedLimit{memory(1)} }
	f := launch(t, t.Context(), h).failure
	if f == nil || f.Kind != results.WorkerCrashed || !strings.HasSuffix(f.Reason, "(signal: killed) (the limit was reached)") ||
		len(f.Details) == 0 || f.Details[0] != "The limit was reached: raise it." {
		t.Errorf("failure %+v", f)
	}
}

func TestBlameOfAWorkerThatCrashed(t *testing.T) {
	for _, c := range []struct {
		limit  string
		during int64
		want   results.FailureKind
	}{
		{"processes", 2, results.LimitReached},
		{"processes", 1, results.WorkerCrashed}, // by an earlier program
		{"memory", 2, results.WorkerCrashed},
	} {
		h := newHost(t, nil)
		h.reached = []ReachedLimit{{Name: c.limit, Times: 1}}
		watch := watchLimits(h)
		h.reached = []ReachedLimit{{Name: c.limit, Times: c.during}}
		if f := watch.blame(&results.Failure{Kind: results.WorkerCrashed}); f.Kind != c.want {
			t.Errorf("%+v: %s", c, f.Kind)
		}
		if f := watch.blame(&results.Failure{Kind: results.HostCrashed}); f.Kind != results.HostCrashed {
			t.Errorf("%+v: the host's crash is %s", c, f.Kind)
		}
	}
}
