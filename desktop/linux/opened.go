//go:build linux

package linux

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// appVariable marks the processes of one opened application, so that they are
// known even where they leave its process group and session. Its value is
// unique: other Desktops run on the same machine.
const appVariable = "OPENDESK_APP"

// maxOutput bounds what is read of an ended application's output.
const maxOutput = 4 << 10

// openedApp is an application that was started here.
type openedApp struct {
	name string // what the program calls it
	mark string // its appVariable
	cmd  *exec.Cmd
	root process // the process as it was started
	// startedAt is when it was started.
	startedAt time.Time
	output    string // its log file, "" for none
	// seen is its identity as it was when it had opened: a program may call it
	// by any of those names, also once it has ended.
	seen desktop.AppInfo
	// closed says that it was closed here on purpose.
	closed bool
	// done is closed when the process has ended and waitErr says how.
	done    chan struct{}
	waitErr error
}

// start starts the application in a session of its own. It outlives this
// process.
func (d *Desktop) start(c *command, l desktop.Launch) (*openedApp, error) {
	a := &openedApp{name: l.Name, mark: rand.Text(), done: make(chan struct{})}
	a.cmd = exec.Command(c.args[0], c.args[1:]...)
	a.cmd.Env = append(append(append([]string{}, d.env...), l.Env...), appVariable+"="+a.mark, nameVariable+"="+a.name)
	a.cmd.Dir = l.Dir
	if a.cmd.Dir == "" {
		a.cmd.Dir = d.env.get("HOME")
	}
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if d.options.LogDir != "" {
		log, err := os.CreateTemp(d.options.LogDir, "app-"+strconv.Itoa(len(d.opened.apps)+1)+"-*.log")
		if err != nil {
			return nil, err
		}
		defer log.Close()
		a.output = log.Name()
		a.cmd.Stdout, a.cmd.Stderr = log, log
	}
	if err := a.cmd.Start(); err != nil {
		return nil, &desktop.AppNotFoundError{Name: l.Name, Tried: []string{c.args[0] + " (" + startFault(err) + ")"}}
	}
	a.startedAt = time.Now()
	pid := a.cmd.Process.Pid
	a.root = process{pid: pid}
	if p, err := readProcess(pid); err == nil {
		a.root = p
	}
	go func() {
		a.waitErr = a.cmd.Wait()
		close(a.done)
	}()
	d.opened.apps = append(d.opened.apps, a)
	return a, nil
}

// startFault is the reason in an error of starting a process.
func startFault(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if errno == syscall.ENOEXEC {
			return "not a program that this machine can run"
		}
		return errno.Error()
	}
	return err.Error()
}

// waitTime is how long the system may take to report how a process ended
// that does not run any more.
const waitTime = time.Second

// exited tells how the process that was started ended; "" while it runs.
func (a *openedApp) exited() string {
	select {
	case <-a.done:
	default:
		if a.root.key().running() {
			return ""
		}
		timer := time.NewTimer(waitTime)
		defer timer.Stop()
		select {
		case <-a.done:
		case <-timer.C:
			return ""
		}
	}
	if a.cmd.ProcessState == nil {
		return fmt.Sprint(a.waitErr)
	}
	return strings.TrimSuffix(a.cmd.ProcessState.String(), " (core dumped)")
}

// succeeded reports whether it ended with exit status 0.
func (a *openedApp) succeeded() bool { return a.exited() != "" && a.cmd.ProcessState.Success() }

// tail is the end of what the application printed.
func (a *openedApp) tail() string {
	if a.output == "" {
		return ""
	}
	f, err := os.Open(a.output)
	if err != nil {
		return ""
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		if _, err := f.Seek(max(0, size-maxOutput), io.SeekStart); err != nil {
			return ""
		}
	}
	b, _ := io.ReadAll(io.LimitReader(f, maxOutput))
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "\ufffd"))
}

// openedApps are the applications started here, in order.
type openedApps struct {
	apps []*openedApp
	// aliases are names under which a process was opened, the last one last.
	aliases map[processKey][]string
	// marks remembers the appVariable of processes.
	marks map[processKey]string
	// names remembers what applications were called that others have opened,
	// by their appVariable.
	names map[string]string
}

// processKey names a process for good.
type processKey struct {
	pid     int
	started uint64
}

func (p process) key() processKey { return processKey{p.pid, p.started} }

// family are the living processes of an application that was started here.
func (o *openedApps) family(a *openedApp) map[int]bool {
	all := processes()
	in := family(all, a.root.key())
	for pid, p := range all {
		if !in[pid] && p.alive() && p.started >= a.root.started && o.mark(p) == a.mark {
			in[pid] = true
		}
	}
	return in
}

// belongs reports whether the process is in the application's family, by it and
// those above it alone: reading every process there is takes long, and is done
// at every look while an application starts, by which it is held up.
func (o *openedApps) belongs(a *openedApp, pid int) bool {
	p, err := readProcess(pid)
	if err != nil || !p.alive() {
		return false
	}
	if root, err := readProcess(a.root.pid); err != nil || a.root.started == 0 || root.started == a.root.started {
		for at, hops := p, 0; hops < maxGenerations; hops++ {
			if at.pid == a.root.pid || at.session == a.root.pid {
				return true
			}
			if at, err = readProcess(at.parent); err != nil {
				break
			}
		}
	}
	return p.started >= a.root.started && o.mark(p) == a.mark
}

// maxGenerations bounds the way up from a process: parents can change meanwhile.
const maxGenerations = 100

// started reports whether the process is one of an application's that was
// started here.
func (o *openedApps) started(pid int) bool {
	for _, a := range o.apps {
		if o.family(a)[pid] {
			return true
		}
	}
	return false
}

func (o *openedApps) mark(p process) string {
	m, known := o.marks[p.key()]
	if !known {
		env := environment(p.pid)
		if len(env) == 0 {
			return "" // none, or not yet: it is being started
		}
		m = env.get(appVariable)
		o.marks[p.key()] = m
	}
	return m
}

// called notes that the processes are those of an application that was opened
// under that name.
func (o *openedApps) called(name string, pids ...int) {
	for _, pid := range pids {
		p, err := readProcess(pid)
		if err != nil {
			continue
		}
		names := o.aliases[p.key()]
		for i, n := range names {
			if n == name {
				names = append(names[:i:i], names[i+1:]...)
				break
			}
		}
		o.aliases[p.key()] = append(names, name)
	}
}

// namesOf are the names under which the process was opened here, or else the
// one under which another process has opened it on this display.
func (o *openedApps) namesOf(pid int) []string {
	if pid == 0 {
		return nil
	}
	p, err := readProcess(pid)
	if err != nil {
		return nil
	}
	if names := o.aliases[p.key()]; len(names) > 0 {
		return names
	}
	return o.earlier(p)
}

// nameOf is the name under which the process was opened last, or "".
func (o *openedApps) nameOf(pid int) string {
	if names := o.namesOf(pid); len(names) > 0 {
		return names[len(names)-1]
	}
	return ""
}

// last is the application that was opened last under a name that matches, or
// nil. "" is the one that was opened last and not closed since.
func (o *openedApps) last(name string) *openedApp {
	for _, a := range slices.Backward(o.apps) {
		if name == "" && !a.closed {
			return a
		}
		own := desktop.AppInfo{OpenedAs: a.name, Process: filepath.Base(a.cmd.Path)}
		if own.Matches(name) || a.seen.Matches(name) {
			return a
		}
	}
	return nil
}
