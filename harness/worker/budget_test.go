//go:build unix

package worker

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

// launchWithin launches an attempt that may take so long.
func launchWithin(t *testing.T, h *host, budget time.Duration) told {
	t.Helper()
	p, err := setupProgram([]string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	d := told{runDir: t.TempDir()}
	l := &Launcher{RunDir: d.runDir, TimeoutScale: 1}
	d.failure = l.Launch(t.Context(), h, harness.Attempt{Program: p, Number: 1, ArtifactDir: "a", Settings: project.Settings{Budget: budget}},
		func(e results.Event) { d.events = append(d.events, e) })
	return d
}

// A program over its time budget is ended, and the environment is asked.
func TestAProgramOverItsTimeBudget(t *testing.T) {
	h := newHost(t, nil)
	h.how = "signal: killed"
	h.work = func(_ string, events *os.File) {
		tell(t, events, stepDone)
		<-h.killed
	}
	h.health = append(h.health, desktop.Probe{Part: desktop.PartWindowManager, Detail: "silent"})
	d := launchWithin(t, h, 50*time.Millisecond)
	if d.failure == nil || d.failure.Kind != results.TimeBudgetExceeded || !strings.Contains(d.failure.Reason, "its time budget of 50ms") {
		t.Fatalf("failure %+v", d.failure)
	}
	if len(d.failure.Probes) != 2 || d.types() != "step_finished artifact" {
		t.Errorf("probes %v, events %s", d.failure.Probes, d.types())
	}
}

// Where something else ended the attempt, the budget is not to blame.
func TestOtherEndsWithinTheTimeBudget(t *testing.T) {
	h := newHost(t, func(_ string, events *os.File) { tell(t, events, stepDone, passed) })
	if d := launchWithin(t, h, time.Minute); d.failure != nil {
		t.Errorf("a verdict in time: %+v", d.failure)
	}
	h = newHost(t, func(_ string, events *os.File) { tell(t, events, stepDone) })
	h.how = "signal: segmentation fault"
	if d := launchWithin(t, h, time.Minute); d.failure == nil || d.failure.Kind != results.WorkerCrashed {
		t.Errorf("a crash in time: %+v", d.failure)
	}
	h = newHost(t, nil)
	h.how, h.ended = "signal: killed", "signal: killed"
	h.work = func(string, *os.File) { <-h.killed }
	if d := launchWithin(t, h, 50*time.Millisecond); d.failure == nil || d.failure.Kind != results.HostCrashed {
		t.Errorf("a host that died: %+v", d.failure)
	}
}
