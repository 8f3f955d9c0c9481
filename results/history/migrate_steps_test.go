package history

import (
	"context"
	"reflect"
	"testing"

	"github.com/opendesk/opendesk/results/compare"
)

// TestStepsAreGathered: a history from before the steps of a program were one row
// keeps them.
func TestStepsAreGathered(t *testing.T) {
	ctx := context.Background()
	h, err := Open(ctx, oldHistory(t, 4, `INSERT INTO runs (n, id, suite, started_at, duration_ms, status, interrupted, part, tool, environment, counts)
		VALUES (3, 'old', 's', 1000, 5, 'passed', 0, '', '{}', '{}', '{}');
		INSERT INTO programs VALUES (7, 'a'), (8, 'b');
		INSERT INTO outcomes VALUES (7, 3, 0, 'passed', 0, '', 9, 9, 'x', '', ''), (8, 3, 0, 'passed', 0, '', 9, 9, 'x', '', '');
		INSERT INTO steps VALUES (7, 3, 0, 2, 'say "three"', 'passed', 12, 'title', 'keys', 'ocr'), (7, 3, 0, 0, 's1', 'passed', 5, '', '', ''),
			(7, 3, 0, 3, 's4', '', 0, '', '', '')`))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close() //nolint:errcheck // it was only a test
	want := []compare.StepOutcome{
		{StepRef: compare.StepRef{ID: "s1", Index: 0}, Status: "passed", DurationMS: 5},
		{StepRef: compare.StepRef{ID: `say "three"`, Index: 2}, Status: "passed", DurationMS: 12, Target: "title", ActedBy: "keys", Held: "ocr"},
		{StepRef: compare.StepRef{ID: "s4", Index: 3}},
	}
	past := h.All(ctx, "s")
	for path, want := range map[string][]compare.StepOutcome{"a": want, "b": nil} {
		for o, err := range past.Outcomes(path) {
			if err != nil {
				t.Fatal(err)
			}
			if steps, err := past.Steps(o); err != nil || !reflect.DeepEqual(steps, want) {
				t.Errorf("%s: %+v, %v", path, steps, err)
			}
		}
	}
	var gone int
	if err := h.db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%one_by_one%'").Scan(&gone); gone != 0 || err != nil {
		t.Error("the old table is left", err)
	}
}
