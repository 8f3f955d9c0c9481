package record

import (
	"strings"

	"github.com/opendesk/opendesk/trajectory"
)

// filter leaves out what is about the recording itself.
type filter struct {
	// own are the processes whose windows the recording was started from.
	own map[int]bool
	// entered is set after a text that was left out: the key that sends it off
	// goes with it.
	entered bool
}

// command is how people begin what they tell the recorder in the app itself.
const command = "/learn"

// keeps reports whether the action is a part of the task.
func (f *filter) keeps(a *action) bool {
	if w := a.seen.window; w != nil && f.own[w.App.PID] {
		return false
	}
	sent := f.entered && a.kind == trajectory.Key && (a.key == "return" || a.key == "KP_Enter")
	f.entered = a.kind == trajectory.Type && isCommand(a.text)
	return !sent && !f.entered
}

func isCommand(text string) bool {
	rest, is := strings.CutPrefix(strings.TrimLeft(text, " "), command)
	return is && (rest == "" || rest[0] == ' ')
}
