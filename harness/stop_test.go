package harness_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/results"
)

// A run that is told to stop lets what is under way come to its end, tells
// attempts of it, begins nothing more and does not try again.
func TestStopLetsStepsComeToTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(map[string]string{"p01": "failed,passed", "p02": "broken,passed"})
		stop := make(chan struct{})
		time.AfterFunc(500*time.Millisecond, func() { close(stop) })
		d.launch = func(string) { time.Sleep(time.Second) }
		begun := time.Now()
		got := run(t, d, plan(t, names(6)...), harness.Options{Workers: 3, Retries: 1, EnvRetries: 1, Stop: stop})
		if took := time.Since(begun); took != time.Second {
			t.Errorf("took %v", took)
		}
		if want := "passed failed broken skipped skipped skipped"; statuses(got) != want {
			t.Errorf("%s, want %s", statuses(got), want)
		}
		for _, p := range got.Programs[3:] {
			if p.Reason != results.Interrupted {
				t.Errorf("%s: %q", p.Path, p.Reason)
			}
		}
		if !got.Interrupted || got.ExitCode != results.ExitFailed {
			t.Errorf("interrupted %t, exit code %d", got.Interrupted, got.ExitCode)
		}
	})
}

// Attempts are told, and what ends because of it is skipped.
func TestStopReachesAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(map[string]string{"p00": "until stopped"})
		stop := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(stop) })
		got := run(t, d, plan(t, names(2)...), harness.Options{Stop: stop})
		if want := "skipped skipped"; statuses(got) != want || got.ExitCode != results.ExitInterrupted {
			t.Errorf("%s, exit code %d", statuses(got), got.ExitCode)
		}
		if r := got.Programs[0].Reason; r != results.Interrupted {
			t.Errorf("reason %q", r)
		}
	})
}

// A step can be a wait of many minutes: it does not keep a stopped run.
func TestStopWaitsForNoLongStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for grace, want := range map[time.Duration]time.Duration{0: harness.DefaultStopGrace, time.Second: time.Second} {
			d := newDesk(map[string]string{"p00": "hang"})
			stop := make(chan struct{})
			begun := time.Now()
			time.AfterFunc(time.Second, func() { close(stop) })
			got := run(t, d, plan(t, names(2)...), harness.Options{Stop: stop, StopGrace: grace})
			if took := time.Since(begun); took != want+time.Second {
				t.Errorf("grace %v: took %v", grace, took)
			}
			if want := "skipped skipped"; statuses(got) != want || got.ExitCode != results.ExitInterrupted {
				t.Errorf("grace %v: %s, exit code %d", grace, statuses(got), got.ExitCode)
			}
		}
	})
}
