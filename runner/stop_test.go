package runner_test

import (
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

// An attempt that is to stop does so between two steps: the one under way comes
// to its end, those after it are blocked.
func TestStopBetweenSteps(t *testing.T) {
	for _, row := range []struct {
		after  int // steps
		steps  string
		status results.Status
	}{
		{0, "blocked blocked blocked", results.Skipped},
		{1, "passed blocked blocked", results.Skipped},
		{3, "passed passed passed", results.Passed},
	} {
		asked := 0
		o := run(t, newNumbers().desktop, `{"name":"t","version":1,"steps":[
			{"id":"s1","tool":"wait"},{"id":"s2","tool":"wait"},{"id":"s3","tool":"wait"}]}`,
			func(r *runner.Request) {
				r.Stop = func() bool { asked++; return asked > row.after }
			})
		var steps []string
		for _, s := range o.Steps {
			steps = append(steps, string(s.Status))
		}
		if got := strings.Join(steps, " "); got != row.steps || o.Status != row.status {
			t.Errorf("after %d steps: %s %q, %s", row.after, o.Status, o.Reason, got)
		}
		if o.Status == results.Skipped && o.Reason != results.Interrupted {
			t.Errorf("reason %q", o.Reason)
		}
	}
}
