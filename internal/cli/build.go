package cli

import (
	"runtime"

	"github.com/opendesk/opendesk/desktop/input"
)

// buildLacks says what this build lacks for running programs, "" for nothing.
func buildLacks() string {
	switch {
	case runtime.GOOS != "linux":
		return "running programs works on Linux only; this is a build for " + runtime.GOOS
	case !input.Available:
		return "it was built without cgo (CGO_ENABLED=1 and a C compiler are needed for pointer, keyboard and OCR)"
	}
	return ""
}
