//go:build linux

package linux

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// The graces for a window without a tree, counted from the window's first
// appearance. A toolkit with accessibility is loaded, and connects to the
// accessibility bus, before or about when it shows its first window: who has
// neither is not going to publish a tree.
const (
	plainGrace      = 500 * time.Millisecond // no such toolkit, no connection
	emptyGrace      = 3 * time.Second        // registered, its windows are empty
	toolkitGrace    = 4 * time.Second        // a toolkit, no connection yet
	connectedGrace  = 6 * time.Second        // connected, not registered yet
	focusGrace      = time.Second            // until the window manager gives it the focus, or does not
	handOverTime    = 5 * time.Second        // from a launcher to a running instance
	sameWindowTime  = time.Second            // until it is taken to have made no window of its own
	graceForTimeout = openTime               // the timeout that these belong to
)

// grace is how long the application may go on without a tree, given whether it
// is in the registry.
func (o *opening) grace(ctx context.Context, registered bool) (time.Duration, error) {
	if registered {
		return o.scaled(emptyGrace), nil
	}
	connected, err := o.d.clients.connected(ctx)
	if err != nil {
		return 0, &desktop.EnvironmentError{Part: desktop.PartA11yBus, Err: err}
	}
	pids := o.d.opened.family(o.app)
	if pid := o.window.info.PID; pid != 0 {
		pids[pid] = true
	}
	grace := plainGrace
	for pid := range pids {
		switch {
		case connected[pid]:
			return o.scaled(connectedGrace), nil
		case hasAccessibleToolkit(pid):
			grace = toolkitGrace
		}
	}
	return o.scaled(grace), nil
}

// scaled lengthens a grace where a longer timeout says that the machine is
// slow.
func (o *opening) scaled(grace time.Duration) time.Duration {
	if o.launch.Timeout <= graceForTimeout {
		return grace
	}
	return time.Duration(float64(grace) * float64(o.launch.Timeout) / float64(graceForTimeout))
}

// accessibleToolkits are libraries that publish accessibility trees.
var accessibleToolkits = []string{
	"/libatk-bridge-2.0.so", "/libgtk-3.so", "/libgtk-4.so", "/libatk-wrapper.so",
	"/libQt5Gui.so", "/libQt5Widgets.so", "/libQt6Gui.so", "/libQt6Widgets.so",
}

// hasAccessibleToolkit reports whether a toolkit that publishes trees is
// loaded in the process and was not told to keep quiet.
func hasAccessibleToolkit(pid int) bool {
	b, err := os.ReadFile(procPath(pid, "maps"))
	if err != nil {
		return false
	}
	maps := string(b)
	for _, library := range accessibleToolkits {
		if strings.Contains(maps, library) {
			return !toldToKeepQuiet(pid)
		}
	}
	return false
}

// toldToKeepQuiet reports whether the process's environment switches
// accessibility off: GTK 3 or GTK 4.
func toldToKeepQuiet(pid int) bool {
	bridge, gtk4 := variable(pid, "NO_AT_BRIDGE"), variable(pid, "GTK_A11Y")
	return bridge != "" && bridge != "0" || gtk4 == "none"
}
