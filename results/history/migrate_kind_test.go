package history

import (
	"context"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
)

// TestKindIsAdded: a history from before runs told on whose behalf they were is
// brought up to date, keeps what it has, and takes new runs.
func TestKindIsAdded(t *testing.T) {
	ctx := context.Background()
	h, err := Open(ctx, oldHistory(t, 1, `INSERT INTO runs (id, suite, started_at, duration_ms, status, interrupted, part, tool, environment, counts)
		VALUES ('old', 's', 1000, 5, 'passed', 0, '', '', '', '')`))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close() //nolint:errcheck // it was only a test
	run := &results.Run{ID: "new", Suite: "s", Kind: "schedule", StartedAt: time.UnixMilli(2000)}
	if err := h.Record(ctx, run, nil); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for info, err := range h.All(ctx, "s").Runs() {
		if err != nil {
			t.Fatal(err)
		}
		kinds[info.ID] = info.Kind
	}
	if len(kinds) != 2 || kinds["old"] != "" || kinds["new"] != "schedule" {
		t.Errorf("%q", kinds)
	}
}
