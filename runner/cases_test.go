package runner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
	"github.com/opendesk/opendesk/runner/wait"
)

// What OCR read is shown: the closest text and its place in the reason, all of
// it as a file.
func TestWhatWasReadIsShown(t *testing.T) {
	read := &reader{text: "sum 12 Build finishes today"}
	o := run(t, terminal(), showsText, func(r *runner.Request) { r.Reader = read })
	s := o.step("s1")
	const want = "postcondition text_visible='Build finished' not met within 50 ms " +
		"(no element shows that text; the closest text read from the windows of Terminal is 'Build finishes' at (210,20))"
	if o.Status != results.Failed || o.Reason != want {
		t.Errorf("%s: %s\nwant %s", o.Status, o.Reason, want)
	}
	seen := s.Postcondition.OCR
	if seen == nil || seen.Found || seen.Text != "Build finishes" || seen.Box == nil || seen.Distance != 1 {
		t.Errorf("OCR %+v", seen)
	}
	if text := string(o.files["s1-ocr.txt"]); strings.TrimSpace(text) != read.text {
		t.Errorf("the file holds %q", text)
	}
	if len(s.Artifacts) != 2 || s.Artifacts[0].Kind != "ocr-text" {
		t.Errorf("artifacts %+v", s.Artifacts)
	}
}

// Upstream's fixed pauses are bounds: nothing is waited for but wait_ms.
func TestNoPauseButWaitMS(t *testing.T) {
	var steps []string
	for i := range 40 {
		steps = append(steps, fmt.Sprintf(`{"id":"k%d","tool":"keyboard","params":{"action":"press","key":"a","settle_ms":2000}},
			{"id":"m%d","tool":"mouse","params":{"action":"click","x":5,"y":5,"duration":2,"settle_ms":2000}}`, i, i))
	}
	program := func(wait string) string {
		return `{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait"` + wait + `},` + strings.Join(steps, ",") + `]}`
	}
	for _, row := range []struct {
		wait     string
		from, to time.Duration
	}{
		{``, 0, 2 * time.Second}, {`,"wait_ms":300`, 300 * time.Millisecond, 2300 * time.Millisecond},
	} {
		start := time.Now()
		o := run(t, newNumbers().desktop, program(row.wait))
		if took := time.Since(start); o.Status != results.Passed || took < row.from || took > row.to {
			t.Errorf("%q: %s %s after %v", row.wait, o.Status, o.Reason, took)
		}
		if got, want := o.step("s1").Timing.WaitMS, row.from.Milliseconds(); got < want || got > want+200 {
			t.Errorf("%q: waited %d ms", row.wait, got)
		}
	}
}

// What changes is seen at once where the desktop tells of it, and by the next
// look where it does not.
func TestChangesAreSeenAtOnce(t *testing.T) {
	const after = 30 * time.Millisecond
	const source = `{"name":"w","version":1,"steps":[{"id":"s1","tool":"wait",
		"postcondition":{"kind":"window_title_contains","value":"Export","timeout_ms":5000}}]}`
	atOnce := false
	for range 5 { // a busy machine may be late once
		n := newNumbers()
		n.desktop.Add(n.app)
		n.desktop.After(after, func() { n.window.Title = "Export" })
		o := run(t, n.desktop, source)
		pc := o.step("s1").Postcondition
		if o.Status != results.Passed || pc.Vacuous {
			t.Fatalf("%s: %s", o.Status, o.Reason)
		}
		atOnce = o.step("s1").Timing.CheckMS < (wait.Floor / 2).Milliseconds()
		if atOnce {
			break
		}
	}
	if !atOnce {
		t.Error("a change was not seen before the next look was due")
	}
	n := newNumbers()
	n.desktop.Add(n.app)
	n.desktop.On("FocusedWindow", 3, func() { n.window.Title = "Export" }) // nobody tells
	if o := run(t, n.desktop, source); o.Status != results.Passed || o.step("s1").Timing.CheckMS > (4*wait.Floor).Milliseconds() {
		t.Errorf("%s: %s, seen after %d ms", o.Status, o.Reason, o.step("s1").Timing.CheckMS)
	}
}
