package script

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Local starts sandboxes from this process, which must not be in a sandbox
// itself. Its limits are those that need no control groups.
type Local struct{}

// Start starts the sandbox; see Starter.
func (Local) Start(ctx context.Context, o Order, files []*os.File) (Process, error) {
	duplicates := make([]*os.File, 0, len(files))
	closeAll := func() {
		for _, f := range duplicates {
			_ = f.Close()
		}
	}
	for _, f := range files {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		runtime.KeepAlive(f)
		if err != nil {
			closeAll()
			return nil, err
		}
		duplicates = append(duplicates, os.NewFile(uintptr(fd), f.Name()))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &localProcess{kill: cancel, done: make(chan struct{})}
	go func() {
		// The kernel ends the sandbox when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer cancel()
		spawner := localSpawner{started: closeAll}
		p.exit, p.err = Serve(ctx, o, duplicates, &spawner)
		closeAll()
		close(p.done)
	}()
	return p, nil
}

// localProcess is a sandbox that this process has started.
type localProcess struct {
	kill context.CancelFunc
	done chan struct{}
	exit Exit
	err  error
}

func (p *localProcess) Kill() { p.kill() }

func (p *localProcess) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		return p.exit, p.err
	case <-ctx.Done():
		return Exit{}, context.Cause(ctx)
	}
}

// localSpawner starts processes as children of this one.
type localSpawner struct {
	// started is called when the process has been started.
	started func()
}

func (localSpawner) Group(int64, int) Group { return noGroup{} }

func (s *localSpawner) Start(c Command, _ Group) (Child, error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = c.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Files[0], c.Files[1], c.Files[2]
	cmd.ExtraFiles = c.Files[3:]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	err := cmd.Start()
	s.started()
	if err != nil {
		return nil, err
	}
	child := &localChild{cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its state tells
		close(child.done)
	}()
	return child, nil
}

// localChild is a child of this process.
type localChild struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func (c *localChild) PID() int              { return c.cmd.Process.Pid }
func (c *localChild) Done() <-chan struct{} { return c.done }
func (c *localChild) Kill()                 { _ = c.cmd.Process.Kill() }

func (c *localChild) Ended() Ended {
	state := c.cmd.ProcessState
	e := Ended{Code: state.ExitCode(), CPU: state.UserTime() + state.SystemTime()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Code = 128 + int(status.Signal())
	}
	return e
}
