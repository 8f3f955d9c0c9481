//go:build linux

package atspi

import (
	"bufio"
	"context"
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

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"golang.org/x/sys/unix"

	"github.com/opendesk/opendesk/desktop"
)

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

// screen is a virtual display with buses and a window manager of its own.
type screen struct {
	dir                 string
	env                 []string
	sessionBus, a11yBus string
	registry, a11y      *exec.Cmd
	parts               []*exec.Cmd
}

// starter runs functions on one OS thread that lives as long as the process:
// Pdeathsig follows the thread that started the child.
var starter = func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
}()

// openScreen brings everything up and takes it down after the spec.
func openScreen() *screen {
	dir, err := os.MkdirTemp("", "opendesk-atspi-test-")
	Expect(err).NotTo(HaveOccurred())
	s := &screen{dir: dir}
	DeferCleanup(s.close)
	for _, d := range []string{"home", "run", "bus"} {
		Expect(os.Mkdir(filepath.Join(dir, d), 0o700)).To(Succeed())
	}
	home := filepath.Join(dir, "home")
	s.env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/games", "LANG=C.UTF-8", "TZ=UTC",
		"HOME=" + home, "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
		"XDG_CONFIG_HOME=" + home + "/.config", "XDG_DATA_HOME=" + home + "/.local/share", "XDG_CACHE_HOME=" + home + "/.cache",
		"GSK_RENDERER=cairo", "LIBGL_ALWAYS_SOFTWARE=1", "GTK_USE_PORTAL=0", "GSETTINGS_BACKEND=keyfile", "NO_AT_BRIDGE=0",
		"GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "QT_ACCESSIBILITY=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
	}
	display := reserveDisplay()
	s.startAndRead("Xvfb", display, "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "local", "-nolisten", "tcp", "-noreset")
	s.env = append(s.env, "DISPLAY="+display)
	config := filepath.Join(dir, "bus.conf")
	Expect(os.WriteFile(config, fmt.Appendf(nil, busConfig, filepath.Join(dir, "bus")), 0o600)).To(Succeed())
	s.sessionBus = s.startAndRead("dbus-daemon", "--nofork", "--nopidfile", "--print-address=3", "--config-file="+config)
	s.env = append(s.env, "DBUS_SESSION_BUS_ADDRESS="+s.sessionBus)

	s.a11y = s.start("/usr/libexec/at-spi-bus-launcher", "--launch-immediately")
	s.parts = append(s.parts, s.a11y)
	Eventually(func() error {
		address, err := switchOn(context.Background(), s.sessionBus, 5*time.Second, true)
		s.a11yBus = address
		return err
	}).WithTimeout(20 * time.Second).WithPolling(10 * time.Millisecond).Should(Succeed())
	s.env = append(s.env, "AT_SPI_BUS_ADDRESS="+s.a11yBus)
	s.registry = s.start("/usr/libexec/at-spi2-registryd")
	s.parts = append(s.parts, s.registry)
	s.awaitName(registryName)
	s.parts = append(s.parts, s.start("openbox", "--sm-disable"))
	return s
}

// reserveDisplay finds a display number that nobody else takes: an abstract
// socket of the server's name is bound to it and never listened on. With
// -displayfd alone, servers that start at the same time take each other's.
func reserveDisplay() string {
	for range 100 {
		n := 2000 + rand.IntN(8000)
		path := fmt.Sprintf("/tmp/.X11-unix/X%d", n)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		Expect(err).NotTo(HaveOccurred())
		if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "@" + path}); err != nil {
			unix.Close(fd)
			continue
		}
		DeferCleanup(func() {
			_ = os.Remove(path) // a server that is killed leaves it
			_ = unix.Close(fd)
		})
		return fmt.Sprintf(":%d", n)
	}
	Fail("no free display number")
	return ""
}

func (s *screen) awaitName(name string) {
	conn, err := dial(context.Background(), s.a11yBus, 5*time.Second, true)
	Expect(err).NotTo(HaveOccurred())
	defer conn.Close()
	Eventually(func() (owned bool) {
		Expect(conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned)).To(Succeed())
		return owned
	}).WithTimeout(20 * time.Second).WithPolling(5 * time.Millisecond).Should(BeTrue())
}

// start starts a program of the session; it ends with the test at the latest.
func (s *screen) start(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	// Should the test be killed: SIGTERM, since the launcher then ends its bus.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if os.Getenv("ATSPI_TEST_OUTPUT") != "" {
		cmd.Stdout, cmd.Stderr = GinkgoWriter, GinkgoWriter
	}
	done := make(chan error)
	starter <- func() { done <- cmd.Start() }
	Expect(<-done).To(Succeed())
	return cmd
}

// startAndRead starts a part that writes one line to descriptor 3.
func (s *screen) startAndRead(name string, args ...string) string {
	r, w, err := os.Pipe()
	Expect(err).NotTo(HaveOccurred())
	defer r.Close()
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	done := make(chan error)
	starter <- func() { done <- cmd.Start() }
	Expect(<-done).To(Succeed())
	s.parts = append(s.parts, cmd)
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil && err != io.EOF {
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(line).NotTo(BeEmpty(), name)
	return strings.TrimSpace(line)
}

func (s *screen) close() {
	for i := len(s.parts) - 1; i >= 0; i-- {
		end(s.parts[i])
	}
	os.RemoveAll(s.dir)
}

// end kills a process with its group and waits for it.
func end(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
}

// run starts an application and waits until it shows a window in its tree.
func (s *screen) run(b *Bus, name string, args ...string) (App, *exec.Cmd) {
	cmd := s.start(name, args...)
	DeferCleanup(end, cmd)
	var app App
	Eventually(func(g Gomega) {
		apps, err := b.Apps(context.Background())
		g.Expect(err).NotTo(HaveOccurred())
		for _, a := range apps {
			if a.PID != cmd.Process.Pid {
				continue
			}
			root, err := b.Tree(context.Background(), a, 0)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(root.Children).NotTo(BeEmpty())
			app = a
		}
		g.Expect(app.PID).NotTo(BeZero(), "in %v", apps)
	}).WithTimeout(30 * time.Second).WithPolling(20 * time.Millisecond).Should(Succeed())
	return app, cmd
}

func (s *screen) widgets(b *Bus, args ...string) (App, *exec.Cmd) {
	return s.run(b, "/usr/bin/python3", append([]string{"testdata/gtk3app.py"}, args...)...)
}

func (s *screen) open(o Options) *Bus {
	o.SessionAddress = s.sessionBus
	b, err := Open(context.Background(), o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(b.Close)
	return b
}

// find gives the first element of that role and name.
func find(root *desktop.Element, role, name string) *desktop.Element {
	var found *desktop.Element
	root.Walk(func(e *desktop.Element) bool {
		if found == nil && desktop.SameRole(e.Role, role) && strings.TrimSpace(e.Name) == name {
			found = e
		}
		return found == nil
	})
	return found
}
