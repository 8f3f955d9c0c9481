//go:build linux

// Package xvfbtest gives tests virtual X displays of their own, with a window
// manager and applications, all of which end with the test.
package xvfbtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop/x11"
)

// Size of the screens.
const (
	Width  = 1024
	Height = 768
)

// patience is how long anything may take to start.
const patience = 20 * time.Second

// Server is an Xvfb.
type Server struct {
	Display string
	Process *Process
	t       testing.TB
	home    string
}

// Process is a program that ends with the test.
type Process struct {
	*exec.Cmd
	Stdin  io.WriteCloser
	Stdout *bufio.Reader
	once   sync.Once
	ended  func() // may be nil
}

// Start starts an Xvfb that is reachable through its socket file alone. Such
// a server takes a socket file over even from one that runs, and with
// -displayfd makes no lock file: so the number is a random one.
func Start(t testing.TB) *Server {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	s := &Server{t: t, home: t.TempDir(), Display: freeDisplay()}
	cmd := exec.Command("Xvfb", s.Display, "-displayfd", "3", "-screen", "0", "1024x768x24",
		"-nolisten", "local", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{write}
	s.Process = s.start(cmd)
	write.Close()
	_ = read.SetReadDeadline(time.Now().Add(patience))
	if _, err := bufio.NewReader(read).ReadString('\n'); err != nil {
		t.Fatalf("Xvfb is not ready: %v", err)
	}
	s.Process.ended = func() { os.Remove(socketFile(s.Display)) }
	return s
}

func freeDisplay() string {
	for {
		display := fmt.Sprintf(":%d", 1000+rand.IntN(50000))
		if _, err := os.Lstat(socketFile(display)); err != nil {
			return display
		}
	}
}

func socketFile(display string) string { return "/tmp/.X11-unix/X" + display[1:] }

// Run starts a program on the display.
func (s *Server) Run(name string, args ...string) *Process {
	s.t.Helper()
	return s.start(exec.Command(name, args...))
}

func (s *Server) start(cmd *exec.Cmd) *Process {
	s.t.Helper()
	p := &Process{Cmd: cmd}
	cmd.Env = append(os.Environ(), cmd.Env...)
	cmd.Env = append(cmd.Env, "DISPLAY="+s.Display, "HOME="+s.home, "XDG_RUNTIME_DIR="+s.home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"NO_AT_BRIDGE=1", "GTK_A11Y=none", "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "GSK_RENDERER=cairo",
		"LIBGL_ALWAYS_SOFTWARE=1", "GSETTINGS_BACKEND=memory", "GTK_USE_PORTAL=0",
		"DBUS_SESSION_BUS_ADDRESS=disabled:", "WAYLAND_DISPLAY=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if p.Stdin, err = cmd.StdinPipe(); err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	p.Stdout = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(p.Kill)
	return p
}

// Kill ends the process, its children and waits for it.
func (p *Process) Kill() {
	p.once.Do(func() {
		_ = syscall.Kill(-p.Cmd.Process.Pid, syscall.SIGKILL)
		_ = p.Wait()
		if p.ended != nil {
			p.ended()
		}
	})
}

// Signal sends the process a signal.
func (p *Process) Signal(sig syscall.Signal) { _ = p.Cmd.Process.Signal(sig) }

// Openbox starts a window manager and waits until it answers: windows that
// appear after it has announced itself and before it manages can take seconds
// or for ever to be shown.
func (s *Server) Openbox() *Process {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	d, err := x11.Open(ctx, s.Display)
	if err != nil {
		s.t.Fatal(err)
	}
	defer d.Close()
	p := s.Run("openbox", "--sm-disable")
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !d.ProbeWindowManager(ctx).OK {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			s.t.Fatalf("openbox did not answer within %v", patience)
		}
	}
	return p
}
