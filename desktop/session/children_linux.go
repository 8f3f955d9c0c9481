package session

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// children starts processes and collects every child that ends, adopted
// orphans included. A process may have one of these, and must then start
// nothing in another way: os/exec would find its children collected already.
type children struct {
	mu     sync.Mutex
	known  map[int]*child
	starts chan func()
}

// child is a process that was started here.
type child struct {
	name    string
	pid     int
	started time.Time
	// output is the end of what it printed; drained is closed at the end of it.
	output  *tail
	drained chan struct{}
	// done is closed once it ended; status and usage are set then.
	done   chan struct{}
	status unix.WaitStatus
	usage  unix.Rusage
}

// command says what to start.
type command struct {
	name string
	path string
	args []string // without the program's own name
	env  []string
	dir  string
	// extra become the descriptors 3, 4, …
	extra []*os.File
	// files become the descriptors from 0 on, instead of all that.
	files []*os.File
	// inherit lets it print where we print; else the end is kept.
	inherit bool
	// alone starts it in a network of its own.
	alone bool
}

// newChildren makes the process the one that orphans below it are given to,
// and begins to collect.
func newChildren() (*children, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become subreaper: %w", err)
	}
	c := &children{known: map[int]*child{}, starts: make(chan func())}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	go func() {
		// The kernel ends our children when the thread that started them
		// ends: this one lives as long as the process.
		runtime.LockOSThread()
		for start := range c.starts {
			start()
		}
	}()
	go func() {
		for range ended {
			c.collect()
		}
	}()
	return c, nil
}

// collect takes the status of every child that has ended.
func (c *children) collect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		var status unix.WaitStatus
		var usage unix.Rusage
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, &usage)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if ch := c.known[pid]; ch != nil {
			delete(c.known, pid)
			ch.status, ch.usage = status, usage
			close(ch.done)
		}
	}
}

// start starts a process in a process group of its own that the kernel kills
// when we end.
func (c *children) start(cmd command) (*child, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	ch := &child{name: cmd.name, started: time.Now(), done: make(chan struct{}), drained: make(chan struct{}), output: newTail(MaxOutput, nil)}
	out := os.Stderr
	if cmd.inherit || cmd.files != nil {
		close(ch.drained)
	} else {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer func() { _ = write.Close() }()
		out = write
		go func() {
			_, _ = io.Copy(ch.output, read)
			_ = read.Close()
			close(ch.drained)
		}()
	}
	attr := &syscall.ProcAttr{
		Dir:   cmd.dir,
		Env:   cmd.env,
		Files: []uintptr{null.Fd(), out.Fd(), out.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	}
	if cmd.alone {
		alone(attr.Sys)
	}
	given := cmd.extra
	if cmd.files != nil {
		attr.Files, given = nil, cmd.files
	}
	for _, f := range given {
		attr.Files = append(attr.Files, f.Fd())
	}
	result := make(chan error)
	c.starts <- func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		pid, err := syscall.ForkExec(cmd.path, append([]string{cmd.path}, cmd.args...), attr)
		if err == nil {
			ch.pid = pid
			c.known[pid] = ch
		}
		result <- err
	}
	if err := <-result; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.path, err)
	}
	return ch, nil
}

// signal sends a signal to a child that has not been collected yet, so that
// its process id cannot be another's.
func (c *children) signal(ch *child, sig unix.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[ch.pid] == ch {
		_ = unix.Kill(ch.pid, sig)
	}
}

// ended says whether the child has been collected.
func (ch *child) ended() bool {
	select {
	case <-ch.done:
		return true
	default:
		return false
	}
}

// how describes how a child ended: "exit status 1", "signal: killed".
func (ch *child) how() string { return describe(ch.status) }

func describe(status unix.WaitStatus) string {
	if status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}

// lastOutput is the end of what the child printed. What it had written before
// it ended is waited for, for a moment: others may hold the pipe open.
func (ch *child) lastOutput() string {
	if ch.ended() {
		select {
		case <-ch.drained:
		case <-time.After(100 * time.Millisecond):
		}
	}
	return ch.output.String()
}

// exit is the child's end as the parent is told.
func (ch *child) exit() Exit {
	e := Exit{Code: ch.status.ExitStatus(), Output: ch.lastOutput()}
	if ch.status.Signaled() {
		e.Code, e.Signal = -1, ch.status.Signal().String()
	}
	return e
}
