package session

import (
	"path/filepath"
	"slices"
	"strings"
)

// The variables that mark what belongs to a session. The folder's name is
// unique on the machine, so that MarkerDir is what processes are known by.
const (
	MarkerID  = "OPENDESK_SESSION_ID"
	MarkerDir = "OPENDESK_SESSION_DIR"
)

// fixedEnvironment is the same in every session.
var fixedEnvironment = []string{
	// X11 and nothing else.
	"XDG_SESSION_TYPE=x11", "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb",
	// Software rendering, one thread for OCR.
	"GSK_RENDERER=cairo", "LIBGL_ALWAYS_SOFTWARE=1", "OMP_THREAD_LIMIT=1",
	// Accessibility everywhere; GTK 2 needs its modules named.
	"NO_AT_BRIDGE=0", "GTK_MODULES=gail:atk-bridge", "GNOME_ACCESSIBILITY=1",
	"QT_ACCESSIBILITY=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
	"ATSPI_DBUS_IMPLEMENTATION=dbus-daemon",
	// No services that a private bus cannot start.
	"GSETTINGS_BACKEND=keyfile", "GTK_USE_PORTAL=0", "GIO_USE_VFS=local", "GIO_USE_VOLUME_MONITOR=unix",
	// The system's data and configuration, whoever runs this.
	"XDG_DATA_DIRS=/usr/local/share:/usr/share", "XDG_CONFIG_DIRS=/etc/xdg",
	"SHELL=/bin/sh",
}

// baseEnvironment is the environment of a session before its display and
// buses are known. Of the caller's variables only PATH gets in; whatever else
// an application needs (a proxy, a library path) is asked for in
// Options.Environment.
func baseEnvironment(o Options, dir, path, user string) []string {
	home := homeOf(dir)
	env := append(slices.Clone(fixedEnvironment),
		"PATH="+path, "USER="+user, "LOGNAME="+user,
		"HOME="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"XDG_DATA_HOME="+filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME="+filepath.Join(home, ".local", "state"),
		"XDG_CACHE_HOME="+filepath.Join(home, ".cache"),
		"XDG_RUNTIME_DIR="+runtimeDirOf(dir),
		"TMPDIR="+tempDirOf(dir),
		"XAUTHORITY="+xauthorityOf(dir),
		"DBUS_SESSION_BUS_ADDRESS="+sessionBusOf(dir),
		"LANG="+o.Locale, "LC_ALL="+o.Locale, "LANGUAGE="+language(o.Locale),
		"TZ="+o.Timezone,
	)
	env = mergeEnvironment(env, o.Environment)
	// Not for Options.Environment to change: the session is found by them.
	return mergeEnvironment(env, []string{MarkerID + "=" + o.ID, MarkerDir + "=" + dir})
}

// language is the value of LANGUAGE for a locale: "de_DE:de" for
// "de_DE.UTF-8", "en" for "C.UTF-8".
func language(locale string) string {
	name, _, _ := strings.Cut(locale, ".")
	name, _, _ = strings.Cut(name, "@")
	if name == "C" || name == "POSIX" || name == "" {
		return "en"
	}
	if short, _, cut := strings.Cut(name, "_"); cut {
		return name + ":" + short
	}
	return name
}

// mergeEnvironment lays more over env: of pairs with one name the last one
// stays. The result is sorted; what is not NAME=VALUE is left out.
func mergeEnvironment(env, more []string) []string {
	values := map[string]string{}
	for _, pair := range slices.Concat(env, more) {
		if name, value, ok := cutPair(pair); ok {
			values[name] = value
		}
	}
	merged := make([]string, 0, len(values))
	for name, value := range values {
		merged = append(merged, name+"="+value)
	}
	slices.Sort(merged)
	return merged
}

// Where things are in a session's folder.

func homeOf(dir string) string { return filepath.Join(dir, "home") }

// homeFilesOf is what the host copies into a home that is empty at first.
func homeFilesOf(dir string) string  { return filepath.Join(dir, "home-files") }
func runtimeDirOf(dir string) string { return filepath.Join(dir, "run") }
func tempDirOf(dir string) string    { return filepath.Join(dir, "tmp") }
func xauthorityOf(dir string) string { return filepath.Join(dir, "xauthority") }
func busConfigOf(dir string) string  { return filepath.Join(dir, "bus.conf") }
func openboxOf(dir string) string    { return filepath.Join(dir, "openbox.xml") }
func busSocketOf(dir string) string  { return filepath.Join(dir, "bus") }
func sessionBusOf(dir string) string { return "unix:path=" + busSocketOf(dir) }
func ownerOf(dir string) string      { return filepath.Join(dir, "owner") }
func displayOf(dir string) string    { return filepath.Join(dir, "display") }

// valueOf is the variable's value, "" where it is not set.
func valueOf(env []string, variable string) string {
	for _, pair := range env {
		if name, value, ok := cutPair(pair); ok && name == variable {
			return value
		}
	}
	return ""
}

// cutPair splits NAME=VALUE.
func cutPair(pair string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(pair, "=")
	return name, value, ok && name != ""
}
