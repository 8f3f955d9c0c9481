package record

import (
	"slices"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
)

func TestFilter(t *testing.T) {
	app := &desktop.Window{App: desktop.AppInfo{PID: 7}}
	terminal := &desktop.Window{App: desktop.AppInfo{PID: 8}}
	text := func(s string, w *desktop.Window) *action {
		return &action{kind: trajectory.Type, text: s, seen: &sighting{window: w}}
	}
	key := func(s string) *action {
		return &action{kind: trajectory.Key, key: s, seen: &sighting{window: app}}
	}
	f := filter{own: map[int]bool{8: true}}
	var kept []string
	for _, a := range []*action{
		text("hello", app), key("return"),
		text("/learn stop", app), key("return"), key("return"),
		text(" /learn", app), key("tab"),
		text("/learning is fun", app), key("return"),
		text("opendesk learn stop", terminal), {kind: trajectory.Click, seen: &sighting{window: terminal}},
		{kind: trajectory.Click, seen: &sighting{}},
	} {
		if f.keeps(a) {
			kept = append(kept, a.String())
		}
	}
	want := []string{`type "hello"`, "key return", "key return", "key tab", `type "/learning is fun"`, "key return", "click 0,0"}
	if !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}
