package linux

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

func TestSnapsAndFlatpaksAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "viewer")
	if err := os.Symlink(file("snap", ""), link); err != nil {
		t.Fatal(err)
	}
	packaged := "#!/bin/sh\nif ! [ -x /snap/bin/firefox ]; then\n  exit 1\nfi\nexec /snap/bin/firefox \"$@\"\n"
	for _, c := range []struct {
		args   []string
		system string
	}{
		{[]string{"/snap/bin/firefox"}, snap},
		{[]string{"/var/lib/snapd/snap/bin/firefox"}, snap},
		{[]string{"/usr/bin/snap", "run", "firefox"}, snap},
		{[]string{link}, snap},
		{[]string{"/usr/bin/env", "BAMF_DESKTOP_FILE_HINT=/x.desktop", "/snap/bin/firefox", "%u"}, snap},
		{[]string{file("firefox", packaged)}, snap},
		{[]string{"/usr/bin/flatpak", "run", "--branch=stable", "org.gnome.Calculator"}, flatpak},
		{[]string{"/var/lib/flatpak/exports/bin/org.gnome.Calculator"}, flatpak},
		{[]string{file("calculator", "#!/bin/sh\nexec flatpak run org.gnome.Calculator\n")}, flatpak},
		{[]string{"/usr/bin/flatpak", "list"}, ""},
		{[]string{"/usr/bin/mousepad", "/snap/bin/firefox"}, ""},
		{[]string{file("tool", "#!/bin/sh\n# not exec /snap/bin/firefox\necho exec /snap/bin/firefox\n")}, ""},
		{[]string{file("binary", "\x7fELF\nexec /snap/bin/firefox\n")}, ""},
		{[]string{"/nowhere"}, ""},
		{nil, ""},
	} {
		err := confined("App", c.args)
		var refused *desktop.ConfinedAppError
		var environment *desktop.EnvironmentError
		if found := errors.As(err, &refused); found != (c.system != "") || found && (refused.System != c.system || !errors.As(err, &environment)) {
			t.Errorf("%q: %v, want %q", c.args, err, c.system)
		}
	}
	const want = "isolation: app 'App' is a snap (/snap/bin/app), which cannot run inside of bwrap: " +
		"install the app as an ordinary package, or give another command for it under apps in eval.yaml"
	if got := confined("App", []string{"/snap/bin/app"}).Error(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestNamesThatOnlySnapAndFlatpakKnow(t *testing.T) {
	env, root := place(t)
	old := confinedPlaces
	t.Cleanup(func() { confinedPlaces = old })
	confinedPlaces = map[string]struct{ bin, data string }{
		snap:    {filepath.Join(root, "snap", "bin"), filepath.Join(root, "snapd")},
		flatpak: {filepath.Join(root, "flatpak", "bin"), filepath.Join(root, "flatpak", "share")},
	}
	for name, text := range map[string]string{
		"snap/bin/browser": "", "flatpak/share/applications/org.x.Paint.desktop": "[Desktop Entry]\nName=Paint\nExec=mousepad run org.x.Paint\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, system := range map[string]string{"Browser": snap, "paint": flatpak, "Nothing": "", "mousepad": ""} {
		l := desktop.Launch{Name: name}
		c, err := findCommand(l, env, readCatalog(env))
		err = refuseConfined(l, c, err, env)
		var refused *desktop.ConfinedAppError
		if found := errors.As(err, &refused); found != (system != "") || found && refused.System != system {
			t.Errorf("%s: %v, want %q", name, err, system)
		}
	}
}
