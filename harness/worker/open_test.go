package worker

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/results"
)

// An environment that is gone before the worker is there is named, and is no
// crash of the worker.
func TestDesktopThatCannotBeOpened(t *testing.T) {
	job := &Job{Path: "p.program.json", Source: []byte(`{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait","params":{"ms":1}}]}`), Spool: t.TempDir()}
	open := func(err error) (events []results.Event, ended error) {
		var out bytes.Buffer
		ended = Main(context.Background(), job, &out, Parts{OpenDesktop: func(context.Context, *Job) (desktop.Desktop, error) { return nil, err }})
		for reader := results.NewEventReader(&out, "events"); ; {
			e, err := reader.Next()
			if err != nil {
				return events, ended
			}
			events = append(events, e)
		}
	}
	events, err := open(&desktop.EnvironmentError{Part: desktop.PartA11yBus, Err: errors.New("connection refused")})
	if err != nil || len(events) != 1 || events[0].Type != results.EventAttemptFinished {
		t.Fatalf("%v, %+v", err, events)
	}
	a := events[0].Attempt
	if a.Status != results.Broken || a.Fault == nil || a.Fault.Kind != results.EnvironmentFault ||
		a.Reason != a.Fault.Reason || a.Reason != "accessibility bus: connection refused" {
		t.Errorf("%s: %s, %+v", a.Status, a.Reason, a.Fault)
	}
	if events, err = open(errors.New("no such file")); err == nil || len(events) != 0 {
		t.Errorf("%v, %+v", err, events)
	}
}
