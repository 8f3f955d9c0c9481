//go:build unix

package worker

import (
	"os"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// Actions that workers tell of are kept with what they were done for, and are
// no events of the run. The one that a worker died at is kept, too.
func TestActionsAreKept(t *testing.T) {
	p, problems := program.Parse("p.program.json", []byte(`{"name":"p","version":1,"steps":[
		{"id":"s1","tool":"keyboard","params":{"action":"press","key":"a"}},
		{"id":"s2","tool":"keyboard","params":{"action":"type","text":"hunter2"}}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	h := newHost(t, func(_ string, events *os.File) {
		tell(t, events,
			results.Event{Type: results.EventStepStarted, Step: &results.Step{ID: "s1", Index: 0}},
			results.Event{Type: results.EventAction, Action: &results.AuditEntry{Action: "keyboard_press", Step: "s1", SessionID: "x"}},
			results.Event{Type: results.EventStepFinished, Step: &results.Step{ID: "s1", Index: 0, Status: results.StepPassed}},
			results.Event{Type: results.EventStepStarted, Step: &results.Step{ID: "s2", Index: 1}},
		)
	})
	h.how = "signal: killed"
	var kept []results.AuditEntry
	l := &Launcher{RunDir: t.TempDir(), TimeoutScale: 1, Audit: func(e results.AuditEntry) { kept = append(kept, e) }}
	l.Launch(t.Context(), h, harness.Attempt{Program: p, Number: 2, ArtifactDir: "a"}, func(e results.Event) {
		if e.Type == results.EventAction {
			t.Error("an action was passed on as an event")
		}
	})
	if len(kept) != 2 {
		t.Fatalf("kept %+v", kept)
	}
	for i, want := range []string{"keyboard_press", "keyboard_type"} {
		if e := kept[i]; e.Action != want || e.Program != "p.program.json" || e.Attempt != 2 {
			t.Errorf("kept %+v", e)
		}
	}
	if last := kept[1]; !strings.Contains(last.Error, "ended before") || last.Params["text"] == "hunter2" {
		t.Errorf("the action that the worker died at: %+v", last)
	}
}
