package record

import (
	"os"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
)

func TestParentIn(t *testing.T) {
	for stat, want := range map[string]int{
		"12 (mousepad) S 7 12 12 0": 7, "12 (a) b) (c) R 9 1 1": 9, "": 0, "12 (x)": 0, "12 (x) S": 0,
	} {
		if got := parentIn(stat); got != want {
			t.Errorf("%q: got %d, want %d", stat, got, want)
		}
	}
}

func TestStartedBy(t *testing.T) {
	if len(ancestors(os.Getpid())) == 0 {
		t.Skip("this system does not tell of processes")
	}
	me, above := os.Getpid(), os.Getppid()
	window := func(pid int, opened string) *desktop.Window {
		return &desktop.Window{App: desktop.AppInfo{PID: pid, OpenedAs: opened}}
	}
	for name, test := range map[string]struct {
		from, now *desktop.Window
		there     []desktop.Window
		want      string
	}{
		"by the app":           {from: window(above, ""), now: window(me, ""), want: trajectory.StartedByApp},
		"by a command":         {from: window(me, ""), now: window(above, "Numbers"), want: trajectory.StartedByCommand},
		"by somebody":          {from: window(me, ""), now: window(above, "")},
		"before":               {from: window(above, ""), now: window(me, "Numbers"), there: []desktop.Window{*window(me, "Numbers")}},
		"from nowhere":         {now: window(me, "")},
		"nothing is in front":  {from: window(above, "")},
		"by the app, a script": {from: window(above, "Launcher"), now: window(me, "Launcher"), want: trajectory.StartedByApp},
	} {
		a := &action{seen: &sighting{window: test.from, view: &view{windows: test.there}}}
		if got := startedBy(a, &view{front: test.now}); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
