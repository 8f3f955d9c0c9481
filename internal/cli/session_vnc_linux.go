package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
)

// vncGrace is how long x11vnc may take to end when it is told to.
const vncGrace = 2 * time.Second

// showVNC shows the session until ctx ends or the session has ended.
func showVNC(ctx context.Context, st *State, s *session.Session, n *session.Named) (err error) {
	program, err := exec.LookPath("x11vnc")
	if err != nil {
		return usage("--vnc needs x11vnc (Debian/Ubuntu: apt-get install x11vnc)")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.Died():
			cancel()
		case <-ctx.Done():
		}
	}()
	dir, err := os.MkdirTemp(n.Info.Spool, "vnc-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	password := rand.Text()[:8] // VNC looks at no more
	file := filepath.Join(dir, "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, "-display", n.Info.Display, "-localhost", "-no6", "-noipv6", "-passwdfile", file,
		"-autoport", "5900", "-forever", "-shared", "-quiet", "-norc", "-noxdamage")
	cmd.Env = append(os.Environ(), n.Info.Env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = vncGrace
	// It goes with this process, whose thread must therefore stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		return err
	}
	told := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if port, is := strings.CutPrefix(lines.Text(), "PORT="); is {
			told = true
			fmt.Fprintf(st.Stdout, "session %s is shown at 127.0.0.1:%s, password %s, until this command is interrupted\n", n.Name, port, password)
		}
	}
	err = cmd.Wait()
	if ctx.Err() != nil || told {
		return nil // interrupted, or the session ended
	}
	lines := strings.Split(strings.TrimSpace(complaints.String()), "\n")
	return fmt.Errorf("x11vnc shows nothing: %w: %s", err, lines[len(lines)-1])
}
