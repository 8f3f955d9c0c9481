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
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/spf13/cobra"
)

// viewer is the program that shows displays over VNC.
const viewer = "x11vnc"

// How long it may take to start, and to end when it is told to.
const (
	viewerStart = 10 * time.Second
	viewerGrace = 3 * time.Second
)

// showVNC shows the session until ctx ends or the session has ended. Both end
// the viewer, which runs in the session.
func showVNC(ctx context.Context, st *State, s *session.Session, n *session.Named) (err error) {
	program, err := exec.LookPath(viewer)
	if err != nil {
		return usage("--vnc needs %s (Debian/Ubuntu: apt-get install %s)", viewer, viewer)
	}
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
	told, telling, err := os.Pipe()
	if err != nil {
		return err
	}
	defer told.Close() //nolint:errcheck // read end
	starting, cancel := context.WithTimeout(ctx, viewerStart)
	defer cancel()
	w, err := s.RunWorker(starting, session.WorkerSpec{
		Args: []string{"vnc", "--viewer", program, "--display", n.Info.Display, "--password", file}, Events: telling, Aside: true,
	})
	if closing := telling.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	defer w.Kill()
	stop := context.AfterFunc(ctx, w.Kill)
	defer stop()
	shown := false
	for lines := bufio.NewScanner(told); lines.Scan(); {
		if port, is := strings.CutPrefix(lines.Text(), "PORT="); is {
			shown = true
			fmt.Fprintf(st.Stdout, "session %s is shown at 127.0.0.1:%s, password %s, until this command is interrupted\n", n.Name, port, password)
		}
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), viewerGrace)
	defer cancel()
	exit, err := w.Wait(ending)
	if ctx.Err() != nil || shown {
		return nil // interrupted, or the session ended
	}
	lines := strings.Split(strings.TrimSpace(exit.Output), "\n")
	return errors.Join(fmt.Errorf("%s shows nothing: %s", viewer, lines[len(lines)-1]), err)
}

// newVNC is the hidden command that becomes the viewer of a session. What the
// viewer prints goes to its file descriptor 3.
func newVNC() *cobra.Command {
	var program, display, password string
	cmd := &cobra.Command{
		Use:    "vnc",
		Short:  "Show a display over VNC (started by a session host)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return &exit{exitInternal, becomeViewer(program, []string{
				viewer, "-display", display, "-localhost", "-no6", "-noipv6", "-passwdfile", password,
				"-autoport", "5900", "-forever", "-shared", "-quiet", "-norc",
			})}
		},
	}
	cmd.Flags().StringVar(&program, "viewer", "", "the viewer's path")
	cmd.Flags().StringVar(&display, "display", "", "the display")
	cmd.Flags().StringVar(&password, "password", "", "the file with the password")
	return cmd
}
