//go:build linux

package linux

import (
	"os"
	"strings"
)

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
