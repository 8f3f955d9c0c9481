package harness_test

import (
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/results"
)

// A program that cannot be run whatever the session gets none, and no second
// attempt.
func TestWhatIsNotReadyIsBrokenAtOnce(t *testing.T) {
	d := newDesk(nil)
	got := run(t, d, plan(t, "unready", "p"), harness.Options{EnvRetries: 2})
	p := got.Programs[0]
	if p.Status != results.Broken || p.Reason != "the variable A is not set" || len(p.Attempts) != 1 ||
		p.Attempts[0].Fault == nil || p.Attempts[0].Fault.Kind != results.VariableUnset {
		t.Errorf("%s %q, %d attempts", p.Status, p.Reason, len(p.Attempts))
	}
	if got.Programs[1].Status != results.Passed || d.attempts["unready"] != 0 || got.ExitCode != results.ExitBroken {
		t.Errorf("%s, exit code %d", statuses(got), got.ExitCode)
	}
}
