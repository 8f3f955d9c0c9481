package record

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
)

// startedBy says who started the application that is in front now, "" where it
// was there before the action, or where that cannot be told.
func startedBy(a *action, later *view) string {
	front := later.front
	if front == nil || front.App.PID == 0 {
		return ""
	}
	pid := front.App.PID
	if slices.ContainsFunc(a.seen.view.windows, func(w desktop.Window) bool { return w.App.PID == pid }) {
		return ""
	}
	switch from := a.seen.window; {
	case from != nil && from.App.PID != 0 && slices.Contains(ancestors(pid), from.App.PID):
		return trajectory.StartedByApp
	case front.App.OpenedAs != "":
		return trajectory.StartedByCommand
	}
	return ""
}

// maxAncestors bounds how far up the processes above one are looked for.
const maxAncestors = 64

// ancestors are the processes above a process, nearest first.
func ancestors(pid int) (pids []int) {
	for len(pids) < maxAncestors {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			break
		}
		if pid = parentIn(string(data)); pid <= 1 {
			break
		}
		pids = append(pids, pid)
	}
	return pids
}

// parentIn reads the parent out of a process's stat file. Its name, in brackets,
// may hold brackets and spaces itself.
func parentIn(stat string) (pid int) {
	var state string
	if n, _ := fmt.Sscan(stat[strings.LastIndexByte(stat, ')')+1:], &state, &pid); n != 2 {
		return 0
	}
	return pid
}
