//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/desktop/session"
)

// bench is one run of the benchmark.
type bench struct {
	ctx context.Context
	// opendesk is the program under test, dir this package's folder, temp a
	// folder that is removed at the end.
	opendesk, dir, temp string
	rounds              int
	quick               bool
	// who leaves contestants out, "" for nobody.
	who  string
	book *book
}

// rig is a session that nobody has used yet: warm, and the same for everybody.
type rig struct {
	bench *bench
	*session.Session
	spool string
}

// rig starts a session without isolation: the peers know none.
func (b *bench) rig() (*rig, error) {
	spool, err := os.MkdirTemp(b.temp, "spool")
	if err != nil {
		return nil, err
	}
	s, err := session.Start(b.ctx, session.Options{
		Isolation: session.None, Executable: b.opendesk, HostArgs: []string{"session-host"}, Spool: spool, TempDir: b.temp,
	})
	if err != nil {
		return nil, err
	}
	return &rig{bench: b, Session: s, spool: spool}, nil
}

// close ends the session with everything in it.
func (r *rig) close() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.bench.ctx), 20*time.Second)
	defer cancel()
	return r.Close(ctx)
}

// command is a command in the session, in a process group of its own.
func (r *rig) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = r.Info().Env
	c.Dir = r.Info().Home
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// peer is the path of a script below peers.
func (b *bench) peer(name string) string { return filepath.Join(b.dir, "peers", name) }

// onDisplay makes the session's display the one that this process has the
// right to connect to.
func (r *rig) onDisplay() {
	for _, pair := range r.Info().Env {
		if name, value, _ := strings.Cut(pair, "="); slices.Contains([]string{"XAUTHORITY", "DISPLAY"}, name) {
			_ = os.Setenv(name, value)
		}
	}
}

// desktop opens the session as a worker does, without pointer and keyboard.
func (r *rig) desktop() (*linux.Desktop, error) {
	r.onDisplay()
	info := r.Info()
	return linux.Open(r.bench.ctx, linux.Options{
		Display: info.Display, SessionBus: info.SessionBus, A11yBus: info.A11yBus, SessionID: info.ID, Env: info.Env, NoInput: true,
	})
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}
