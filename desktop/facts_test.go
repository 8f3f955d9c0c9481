package desktop

import (
	"slices"
	"testing"
	"time"
)

func TestAppFactsLines(t *testing.T) {
	facts := &AppFacts{
		Command: []string{"/usr/bin/numbers", "-x"}, PID: 7, Running: 15 * time.Second, Exited: "exit status 0",
		Processes: []ProcessFacts{
			{PID: 8, Parent: 7, Name: "helper", State: "S", WaitsIn: "do_poll", WaitsFor: []string{"socket to /run/bus"}, ConnectedTo: []string{"/run/bus", "/x"}, Threads: 3, CPU: 70 * time.Millisecond},
			{PID: 9, Parent: 1, Name: "lost", State: "?"},
		},
		Left: 2, Remarks: []string{"it has no window"}, Output: "no moon",
	}
	want := []string{
		"started /usr/bin/numbers -x as process 7 15000 ms before, which has ended (exit status 0)",
		"process 8 helper (child of 7) is sleeping in do_poll for socket to /run/bus, connected to /run/bus and /x, 3 threads, 70 ms of processor time",
		"process 9 lost (child of 1) is state ?, 0 ms of processor time",
		"and 2 more processes",
		"it has no window",
		"its last output: no moon",
	}
	if got := facts.Lines(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var none *AppFacts
	if got := none.Lines(); got != nil {
		t.Errorf("facts of nothing: %q", got)
	}
}
