package inventory

import (
	"os"
	"strings"
)

// Kernel is the release of the running kernel, "" where it cannot be told.
func Kernel() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Distribution is what the operating system calls itself, with its release;
// "" where it does not say.
func Distribution() string {
	for _, file := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if text, err := os.ReadFile(file); err == nil {
			return prettyName(string(text))
		}
	}
	return ""
}

// prettyName reads PRETTY_NAME of an os-release file.
func prettyName(text string) string {
	name := ""
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			name = strings.Trim(value, `"'`)
		}
	}
	return name
}
