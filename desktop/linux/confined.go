package linux

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// The systems whose applications come with a sandbox of their own.
const (
	snap    = "snap"
	flatpak = "flatpak"
)

// confinedPlaces are where those systems put commands and .desktop files.
var confinedPlaces = map[string]struct{ bin, data string }{
	snap:    {"/snap/bin", "/var/lib/snapd/desktop"},
	flatpak: {"/var/lib/flatpak/exports/bin", "/var/lib/flatpak/exports/share"},
}

// confined says why a command cannot be started inside of bwrap: its sandbox
// needs a service of the system that is not there. Nil for any other command.
// It is the environment that cannot run it, and nobody's regression.
func confined(name string, args []string) error {
	for i, arg := range args {
		switch base := filepath.Base(arg); {
		case base == "env" || i > 0 && (isAssignment(arg) || strings.HasPrefix(arg, "-")):
			continue
		case base == flatpak && slices.Contains(args[i:], "run"), strings.Contains(arg, "/flatpak/exports/bin/"):
			return confinedError(name, flatpak, arg)
		case isSnap(arg):
			return confinedError(name, snap, arg)
		default:
			if system := scriptOf(arg); system != "" {
				return confinedError(name, system, arg)
			}
		}
		return nil
	}
	return nil
}

// confinedError is the error of a command of such a system.
func confinedError(name, system, command string) error {
	return &desktop.EnvironmentError{Part: desktop.PartIsolation, Err: &desktop.ConfinedAppError{Name: name, System: system, Command: command}}
}

// isSnap recognises snap itself, and the commands of snaps: links to it.
func isSnap(path string) bool {
	if strings.HasPrefix(path, confinedPlaces[snap].bin+"/") || strings.Contains(path, "/snapd/snap/bin/") {
		return true
	}
	target, err := filepath.EvalSymlinks(path)
	return filepath.Base(path) == snap || err == nil && filepath.Base(target) == snap
}

// maxScript bounds what is read of a script, which would be a short one.
const maxScript = 16 << 10

// handsOn is the line of a script that hands on to one of these systems, as
// packages have it whose program has become a snap.
var handsOn = regexp.MustCompile(`(?m)^[ \t]*exec[ \t]+(?:/snap/bin/|(?:/usr/bin/)?(snap|flatpak)[ \t]+run[ \t])`)

// scriptOf is the system that a script hands on to, "" for none and for what is
// no script.
func scriptOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // nothing is written
	text := make([]byte, maxScript)
	n, _ := f.Read(text)
	if n < 2 || string(text[:2]) != "#!" {
		return ""
	}
	switch found := handsOn.FindSubmatch(text[:n]); {
	case found == nil:
		return ""
	case string(found[1]) == flatpak:
		return flatpak
	}
	return snap
}

// refuseConfined gives the error of a command that cannot be started inside of
// bwrap, or of a name that only one of those systems knows. err is what looking
// for the command gave.
func refuseConfined(l desktop.Launch, c *command, err error, env environ) error {
	if err == nil {
		return confined(l.Name, c.args)
	}
	var notFound *desktop.AppNotFoundError
	if !errors.As(err, &notFound) || len(l.Command) > 0 || strings.Contains(l.Name, "/") {
		return err
	}
	for _, system := range []string{snap, flatpak} {
		place := confinedPlaces[system]
		for _, name := range []string{l.Name, fold.Text(l.Name)} {
			if path := filepath.Join(place.bin, name); isExecutable(path) {
				return confinedError(l.Name, system, path)
			}
		}
		there := readCatalog(append(slices.Clone(env), "XDG_DATA_HOME="+place.data, "XDG_DATA_DIRS="+place.data))
		if e := there.find(l.Name, env); e != nil {
			return confinedError(l.Name, system, strings.Join(e.exec, " "))
		}
	}
	return err
}
