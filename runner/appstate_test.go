package runner_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/results"
)

// A step that names no app acts on the one that was opened: that it has ended
// explains the failure, also where it ended well.
func TestFailureTellsOfTheAppThatWasOpenedLast(t *testing.T) {
	const open = `{"id":"s1","tool":"app","params":{"action":"open","name":"Numbers"}},`
	const typing = `{"id":"s2","tool":"keyboard","params":{"action":"press","key":"a"},
		"postcondition":{"kind":"window_title_contains","value":"nothing","timeout_ms":100}}`
	for _, row := range []struct {
		name   string
		before string
		how    string
		detail string
		kind   results.FailureKind
	}{
		{"ended well", "", "exit status 0", "app 'Numbers' has ended (exit status 0)", results.PostconditionNotMet},
		{"crashed", "", "signal: aborted", "app 'Numbers' has ended (signal: aborted)", results.AppDied},
		{"closed on purpose", `{"id":"c","tool":"app","params":{"action":"close","name":"Numbers"}},`, "", "", results.PostconditionNotMet},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := newNumbers()
			if row.how != "" {
				n.desktop.On("Chord", 1, func() { n.desktop.Remove(n.app, row.how) })
			}
			o := run(t, n.desktop, `{"name":"t","version":1,"steps":[`+open+row.before+typing+`]}`)
			f := o.step("s2").Failure
			if f == nil || f.Kind != row.kind || strings.Join(f.Details, "\n") != row.detail {
				t.Fatalf("%s, failure %+v", o.Status, f)
			}
		})
	}
}

// An app that ends leaves the accessibility bus before its windows go: it has
// ended, and is not one that has no tree.
func TestAnAppThatIsEndingHasEnded(t *testing.T) {
	n := newNumbers()
	n.app.NoTree = true
	n.desktop.On("AppState", 2, func() { n.desktop.Remove(n.app, "exit status 0") })
	o := run(t, n.desktop, `{"name":"t","version":1,"steps":[{"id":"s1","tool":"app","params":{"action":"open","name":"Numbers"}},
		{"id":"s2","tool":"ui","params":{"action":"click"},"target":{"app":"Numbers","title":"PDF"},"resolve_timeout_ms":50}]}`)
	f := o.step("s2").Failure
	if f == nil || f.Kind != results.AppDied || !slices.Contains(f.Details, "app 'Numbers' has ended (exit status 0)") {
		t.Fatalf("%s, failure %+v", o.Status, f)
	}
}

// What is known of an app without a window stands in the failure.
func TestFailureHoldsTheEvidence(t *testing.T) {
	n := newNumbers()
	facts := &desktop.AppFacts{Command: []string{"/usr/bin/numbers"}, PID: 7, Output: "no moon"}
	n.desktop.FailNth("OpenApp", 1, &desktop.NoWindowError{Name: "Numbers", After: 15 * time.Second, Facts: facts})
	o := run(t, n.desktop, exportReport)
	f := o.step("s1").Failure
	if f == nil || f.Kind != results.AppNotOpened || f.Reason != "app 'Numbers' showed no window within 15000 ms" {
		t.Fatalf("%s, failure %+v", o.Status, f)
	}
	if want := []string{"started /usr/bin/numbers as process 7", "its last output: no moon"}; !slices.Equal(f.Evidence, want) {
		t.Errorf("evidence %q, want %q", f.Evidence, want)
	}
}
