//go:build linux

package linux

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/opendesk/opendesk/desktop/x11"
)

// testSession is a virtual display with buses and a window manager of its own.
type testSession struct {
	display, sessionBus, a11yBus, dir string
	env                               environ
	parts                             map[string]*exec.Cmd
	order                             []*exec.Cmd
}

// starts runs functions on one OS thread that lives as long as the process,
// because Pdeathsig follows the thread that started the child.
var starts = func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
}()

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

const testSessionID = "linux-test"

// startSession brings up an X server, a session bus without services, the
// accessibility bus with its registry, and openbox.
func startSession() (*testSession, error) {
	dir, err := os.MkdirTemp("", "opendesk-linux-test-")
	if err != nil {
		return nil, err
	}
	s := &testSession{dir: dir, parts: map[string]*exec.Cmd{}}
	for _, d := range []string{"home", "run", "bus", "log"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			return nil, err
		}
	}
	s.env = environ{
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/games", "LANG=C.UTF-8", "TZ=UTC",
		"HOME=" + filepath.Join(dir, "home"), "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
		"XDG_DATA_HOME=" + filepath.Join(dir, "home", "data"), "XDG_DATA_DIRS=/usr/local/share:/usr/share",
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "home", "config"), "XDG_CACHE_HOME=" + filepath.Join(dir, "home", "cache"),
		"GSK_RENDERER=cairo", "LIBGL_ALWAYS_SOFTWARE=1", "GTK_USE_PORTAL=0", "GSETTINGS_BACKEND=keyfile",
		"QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "QT_ACCESSIBILITY=1", "NO_AT_BRIDGE=0", "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb",
		SessionIDVariable + "=" + testSessionID,
	}
	// The specs share a home: a text that one leaves unsaved would be offered
	// to the next.
	settings := filepath.Join(dir, "home", "config", "glib-2.0", "settings")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return nil, err
	}
	forget := "[org/xfce/mousepad/preferences/file]\nsession-restore='never'\nautosave-timer=uint32 0\n"
	if err := os.WriteFile(filepath.Join(settings, "keyfile"), []byte(forget), 0o600); err != nil {
		return nil, err
	}
	if err := s.startParts(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *testSession) startParts() error {
	if err := s.startXvfb(); err != nil {
		return err
	}
	s.env = append(s.env, "DISPLAY="+s.display)
	if err := s.mark(); err != nil {
		return err
	}

	config := filepath.Join(s.dir, "bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, filepath.Join(s.dir, "bus")), 0o600); err != nil {
		return err
	}
	var err error
	s.sessionBus, err = s.startAndRead("session bus", true, "dbus-daemon", "--nofork", "--print-address=3", "--config-file="+config)
	if err != nil {
		return err
	}
	s.env = append(s.env, "DBUS_SESSION_BUS_ADDRESS="+s.sessionBus)

	if _, err := s.startAndRead("launcher", false, "/usr/libexec/at-spi-bus-launcher", "--launch-immediately"); err != nil {
		return err
	}
	if s.a11yBus, err = s.askA11yBus(); err != nil {
		return err
	}
	s.env = append(s.env, "AT_SPI_BUS_ADDRESS="+s.a11yBus)
	if _, err := s.startAndRead("registry", false, "/usr/libexec/at-spi2-registryd"); err != nil {
		return err
	}
	if err := s.awaitRegistry(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log", "registry"))
		return fmt.Errorf("%w: %s", err, log)
	}
	if _, err = s.startAndRead("window manager", false, "openbox", "--sm-disable"); err != nil {
		return err
	}
	return s.awaitWindowManager()
}

func (s *testSession) awaitWindowManager() error {
	ctx, cancel := within(20)
	defer cancel()
	x, err := x11.Open(ctx, s.display)
	if err != nil {
		return err
	}
	defer x.Close()
	_, err = poll(func() (string, error) {
		p := x.ProbeWindowManager(ctx)
		if !p.OK {
			return "", errors.New(p.Detail)
		}
		return p.Detail, nil
	})
	return err
}

// startXvfb starts the X server on a number of its own. Left to choose, Xvfb
// takes no lock file and, without an abstract socket, replaces the socket of
// another server; with a number it takes the lock file or ends.
func (s *testSession) startXvfb() error {
	err := errors.New("no free display number")
	for range 20 {
		n := 3000 + rand.IntN(6000) // others may start and end servers now
		if _, taken := os.Lstat(fmt.Sprintf("/tmp/.X11-unix/X%d", n)); taken == nil {
			continue
		}
		s.display = fmt.Sprintf(":%d", n)
		_, err = s.startAndRead("Xvfb", true, "Xvfb", s.display, "-displayfd", "3", "-screen", "0", "1280x800x24",
			"-nolisten", "local", "-nolisten", "tcp", "-noreset")
		if err == nil {
			return nil
		}
	}
	return err
}

// mark puts the session's id on the X server.
func (s *testSession) mark() error {
	ctx, cancel := within(10)
	defer cancel()
	x, err := x11.Open(ctx, s.display)
	if err != nil {
		return err
	}
	defer x.Close()
	return x.SetIdentity(ctx, testSessionID)
}

// startAndRead starts a part and reads one line from its descriptor 3.
func (s *testSession) startAndRead(name string, read bool, argv ...string) (string, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	log, err := os.Create(filepath.Join(s.dir, "log", strings.ReplaceAll(name, " ", "-")))
	if err != nil {
		return "", err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	var r, w *os.File
	if read {
		if r, w, err = os.Pipe(); err != nil {
			return "", err
		}
		defer r.Close()
		cmd.ExtraFiles = []*os.File{w}
	}
	started := make(chan error)
	starts <- func() { started <- cmd.Start() }
	err = <-started
	if w != nil {
		w.Close()
	}
	if err != nil {
		return "", err
	}
	s.parts[name] = cmd
	s.order = append(s.order, cmd)
	if !read {
		return "", nil
	}
	_ = r.SetReadDeadline(time.Now().Add(20 * time.Second))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(line), nil
}

func (s *testSession) askA11yBus() (string, error) {
	return poll(func() (string, error) {
		conn, err := dbus.Connect(s.sessionBus)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		var address string
		err = conn.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address)
		return address, err
	})
}

func (s *testSession) awaitRegistry() error {
	_, err := poll(func() (string, error) {
		conn, err := dbus.Connect(s.a11yBus)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		var owned bool
		err = conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.a11y.atspi.Registry").Store(&owned)
		if err == nil && !owned {
			err = fmt.Errorf("no registry")
		}
		return "", err
	})
	return err
}

func poll[T any](f func() (T, error)) (T, error) {
	deadline := time.Now().Add(20 * time.Second)
	for {
		v, err := f()
		if err == nil || time.Now().After(deadline) {
			return v, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// start runs a program in the session, outside of Desktop.
func (s *testSession) start(argv ...string) (*exec.Cmd, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = s.env, s.env.get("HOME")
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error)
	starts <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, err
	}
	s.order = append(s.order, cmd)
	return cmd, nil
}

// stop ends every process of the session, whoever started it, by pid, and
// removes its folder.
func (s *testSession) stop() {
	for pid, p := range processes() {
		if p.alive() && pid != os.Getpid() && p.name != "Xvfb" && variable(pid, "HOME") == s.env.get("HOME") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if x := s.parts["Xvfb"]; x != nil { // which removes its lock file and socket
		_ = x.Process.Signal(syscall.SIGTERM)
		_ = x.Wait()
		if n := strings.TrimPrefix(s.display, ":"); n != "" { // one that was killed leaves them
			_ = os.Remove("/tmp/.X11-unix/X" + n)
			_ = os.Remove("/tmp/.X" + n + "-lock")
		}
	}
	for i := len(s.order) - 1; i >= 0; i-- {
		_ = s.order[i].Process.Kill()
		_ = s.order[i].Wait()
	}
	_ = os.RemoveAll(s.dir)
}

// options are those of a Desktop on the session.
func (s *testSession) options() Options {
	return Options{
		Display: s.display, SessionBus: s.sessionBus, A11yBus: s.a11yBus, SessionID: testSessionID,
		Env: s.env, LogDir: filepath.Join(s.dir, "log"),
	}
}

// script writes a program into the session's home and gives its path.
func (s *testSession) script(name, text string) string {
	p := filepath.Join(s.env.get("HOME"), name)
	if err := os.WriteFile(p, []byte(text), 0o700); err != nil {
		panic(err)
	}
	return p
}

// leftovers are the processes of the session that are alive.
func (s *testSession) leftovers() []string {
	var left []string
	for pid, p := range processes() {
		if p.alive() && variable(pid, "HOME") == s.env.get("HOME") {
			left = append(left, fmt.Sprintf("%d %s", pid, p.name))
		}
	}
	return left
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func within(n float64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), seconds(n))
}
