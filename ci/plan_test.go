package ci_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPlanRefusesNumbers has the step say which of its settings is no number,
// before it does anything.
func TestPlanRefusesNumbers(t *testing.T) {
	for _, setting := range []string{"OPENDESK_PER_SHARD=0", "OPENDESK_PER_SHARD=x", "OPENDESK_MAX_SHARDS=-1", "OPENDESK_MAX_SHARDS=010"} {
		step := exec.Command("bash", "steps/plan.sh")
		step.Env = append(os.Environ(), setting, "OPENDESK_RESULTS="+t.TempDir())
		out, err := step.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "whole numbers") {
			t.Errorf("%s: %v: %s", setting, err, out)
		}
	}
}
