//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

// userDesktop is a desktop that was started by other means than opendesk, with
// what a user has on it: windows, a text that is selected, something in the
// clipboard, another keyboard layout than the English one.
type userDesktop struct {
	*xvfbtest.Server
	home string
	env  []string // of a terminal on it
}

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// newBareDesktop has an X server and a session bus.
func newBareDesktop(t *testing.T) *userDesktop {
	t.Helper()
	for _, needed := range []string{"Xvfb", "openbox", "dbus-daemon", "mousepad", "xterm", "xclip", "xdotool", "setxkbmap", "xkbcomp"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Fatal("the machine has no " + needed + " (ci/install-deps.sh installs it)")
		}
	}
	home, err := os.MkdirTemp("", "od-user-") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	u := &userDesktop{home: home, Server: xvfbtest.Start(t)}
	bus := filepath.Join(home, "bus")
	u.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "TMPDIR=" + home, "LANG=C.UTF-8",
		"DISPLAY=" + u.Display, "DBUS_SESSION_BUS_ADDRESS=unix:path=" + bus, "XDG_SESSION_TYPE=x11",
		"GSETTINGS_BACKEND=memory", "GTK_USE_PORTAL=0", "GIO_USE_VFS=local", "NO_COLOR=1", "MY_SECRET=" + secretText,
	}
	config := filepath.Join(home, "bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, bus), 0o600); err != nil {
		t.Fatal(err)
	}
	u.run(t, "dbus-daemon", "--nofork", "--nopidfile", "--config-file="+config)
	u.await(t, "the session bus", func() bool { _, err := os.Stat(bus); return err == nil })
	return u
}

func newUserDesktop(t *testing.T) *userDesktop {
	t.Helper()
	u := newBareDesktop(t)
	u.run(t, firstOf(t, session.LauncherPrograms), "--launch-immediately")
	u.await(t, "the accessibility bus", func() bool { _, err := u.a11yBus(); return err == nil })
	u.run(t, firstOf(t, session.RegistryPrograms))
	u.sh(t, "setxkbmap de")
	u.Openbox()
	u.run(t, "xterm", "-T", "a terminal", "-geometry", "40x10+400+300", "-e", "sleep", "600")
	u.window(t, "a terminal")
	file := filepath.Join(u.home, "letter.txt")
	if err := os.WriteFile(file, []byte("Dear reader"), 0o600); err != nil {
		t.Fatal(err)
	}
	u.run(t, "mousepad", file)
	u.window(t, "letter.txt")
	u.sh(t, "xdotool search --onlyvisible --name letter.txt windowactivate --sync; sleep 0.5; xdotool key ctrl+a; xdotool mousemove 700 150")
	u.sh(t, "printf 'of the user' | xclip -selection clipboard >/dev/null 2>&1")
	u.await(t, "the selected text", func() bool { return u.sh(t, "timeout 2 xclip -o 2>/dev/null || true") == "Dear reader" })
	return u
}

func firstOf(t *testing.T, programs []string) string {
	t.Helper()
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("the machine has none of %v", programs)
	return ""
}

// run starts a program of the user's, which ends with the test.
func (u *userDesktop) run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = u.env, u.home
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endPolitely(cmd) })
}

// endPolitely ends a program as its user's log-out would: the launcher of the
// accessibility bus ends its bus on SIGTERM, and only then.
func endPolitely(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(3*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait()
}

func (u *userDesktop) sh(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Env = u.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return string(out)
}

func (u *userDesktop) await(t *testing.T, what string, there func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !there(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s is not there", what)
		}
	}
}

func (u *userDesktop) window(t *testing.T, title string) {
	t.Helper()
	u.await(t, "window "+title, func() bool {
		x := u.open(t)
		defer x.Close() //nolint:errcheck // it only asked
		windows, err := x.Windows(context.Background())
		for _, w := range windows {
			if strings.Contains(w.Title, title) {
				return true
			}
		}
		return err != nil
	})
}

func (u *userDesktop) open(t *testing.T) *x11.Display {
	t.Helper()
	x, err := x11.Open(context.Background(), u.Display)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (u *userDesktop) bus() (*dbus.Conn, error) {
	return dbus.Connect("unix:path=" + filepath.Join(u.home, "bus"))
}

func (u *userDesktop) a11yBus() (address string, err error) {
	bus, err := u.bus()
	if err != nil {
		return "", err
	}
	defer bus.Close() //nolint:errcheck // it only asked
	err = bus.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", dbus.FlagNoAutoStart).Store(&address)
	return address, err
}

// state is everything that a run must put back, as text.
func (u *userDesktop) state(t *testing.T) string {
	t.Helper()
	x := u.open(t)
	defer x.Close() //nolint:errcheck // it only asked
	s, err := x.Remember(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s.Selections = nil // who owns them may be another
	windows, err := x.AllWindows(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, w := range windows {
		fmt.Fprintf(&b, "window %s %+v\n", w.Title, w.Bounds)
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "display %s\nclipboard %s\n", data, u.sh(t, "timeout 5 xclip -o -selection clipboard 2>&1 || true"))
	bus, err := u.bus()
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close() //nolint:errcheck // it only asked
	for _, property := range []string{"IsEnabled", "ScreenReaderEnabled"} {
		value, err := bus.Object("org.a11y.Bus", "/org/a11y/bus").GetProperty("org.a11y.Status." + property)
		fmt.Fprintf(&b, "%s %v %v\n", property, value, err)
	}
	b.WriteString(u.sh(t, "xkbcomp -xkb "+u.Display+" - 2>/dev/null"))
	return b.String()
}

// same fails where the desktop is not as it was.
func (u *userDesktop) same(t *testing.T, before string) {
	t.Helper()
	after := u.state(t)
	if after == before {
		return
	}
	was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := 0; i < max(len(was), len(is)); i++ {
		a, b := "", ""
		if i < len(was) {
			a = was[i]
		}
		if i < len(is) {
			b = is[i]
		}
		if a != b && !t.Failed() {
			t.Errorf("the desktop is not as it was:\n%s\nwas\n%s\nall:\n%s", b, a, firstLines(after, 12))
		}
	}
}

// filesBelow are the files of a folder, by path.
func filesBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		found[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func firstLines(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}
