package resolve

import (
	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// maxWindows bounds the windows that a Lookup names.
const maxWindows = 10

// Reach says in figures how far the target got.
func Reach(m *Miss, t program.Target) *results.Lookup {
	if m == nil || m.Snapshot == nil {
		return nil
	}
	reached := &results.Lookup{AppFound: len(m.Snapshot.Apps) > 0}
	for _, app := range m.Snapshot.Apps {
		for _, window := range app.Root.Children {
			if len(reached.Windows) < maxWindows && window.Window == window {
				reached.Windows = append(reached.Windows, Title(window))
			}
		}
	}
	w, v := Finder{}.prepare(t), judge()
	for _, tier := range w.tiers() {
		each(m.Snapshot, func(e *desktop.Element) {
			switch {
			case !tier.matches(e):
			case !v.present(e):
				reached.Hidden++
			case !Sensitive(e):
				reached.Insensitive++
			}
		})
		if reached.Hidden+reached.Insensitive > 0 {
			break
		}
	}
	return reached
}
