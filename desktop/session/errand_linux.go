package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Errand is something that a worker has the keeper do, since the keeper stands
// outside of the session's isolation: to start what needs namespaces of its own.
type Errand struct {
	// Order is what the worker asks for, Files what came with it. They are
	// closed when the errand is over.
	Order json.RawMessage
	Files []*os.File

	office *office
	number int
}

// DoorFD is the descriptor at which a worker with an event pipe finds the door
// to the keeper, after that pipe; see OpenDoor.
const DoorFD = 4

// maxErrands is how many errands a session may have at a time.
const maxErrands = 8

// office is where the keeper takes errands.
type office struct {
	order keeperOrder
	kids  *children
	do    func(context.Context, *Errand) json.RawMessage
	wire  *wire

	ctx     context.Context
	close   context.CancelFunc
	free    chan struct{}
	errands sync.WaitGroup
}

// newOffice makes the door: errands that come through it are done until the
// office is closed. The file is the other side.
func newOffice(order keeperOrder, kids *children, do func(context.Context, *Errand) json.RawMessage) (*office, *os.File, error) {
	wire, door, err := socketPair()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := &office{order: order, kids: kids, do: do, wire: wire, ctx: ctx, close: cancel, free: make(chan struct{}, maxErrands)}
	o.errands.Go(o.open)
	return o, door, nil
}

// shut ends every errand and waits for that, for a while: what does not end is
// ended with everything else that is below the keeper.
func (o *office) shut() {
	o.close()
	o.wire.close()
	over := make(chan struct{})
	go func() {
		o.errands.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(killGrace):
	}
}

// open takes errands until the door closes.
func (o *office) open() {
	for number := 1; ; number++ {
		m, files, _, err := o.wire.read()
		if err != nil && !garbled(err) {
			return
		}
		if m.Op != opErrand || len(files) == 0 {
			closeAll(files)
			continue
		}
		o.errands.Go(func() { o.run(m, files, number) })
	}
}

// garbled says whether a packet came that is none of ours.
func garbled(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// run does one errand and answers. It is ended when the worker hangs up, by
// itself or by its end.
func (o *office) run(m message, files []*os.File, number int) {
	defer closeAll(files)
	conn, err := net.FileConn(files[0])
	if err != nil {
		return
	}
	caller, ok := conn.(*net.UnixConn)
	if !ok {
		_ = conn.Close()
		return
	}
	line := wireOf(caller)
	defer line.close()
	ctx, cancel := context.WithCancel(o.ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, more, _, err := line.read() // whatever comes is the end
		if err == nil {
			closeAll(more)
		}
	}()
	reply := message{Op: opReply}
	if o.do == nil {
		reply.Error = "this session's keeper does no errands"
	} else {
		select {
		case o.free <- struct{}{}:
			reply.Errand = o.do(ctx, &Errand{Order: m.Errand, Files: files[1:], office: o, number: number})
			<-o.free
		case <-ctx.Done():
			return
		}
	}
	_ = line.write(reply) // who is not there any more needs no answer
}

// Visible says whether the session's own processes can read the path: an errand
// is not to show them more than that.
func (e *Errand) Visible(path string) bool {
	if e.office.order.Isolation != Bwrap {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for _, root := range e.office.order.Readable {
		if r, err := filepath.EvalSymlinks(root); err == nil && inside(real, r) {
			return true
		}
	}
	for _, root := range privateRoots {
		if inside(real, root) || strings.HasPrefix(root, strings.TrimSuffix(real, "/")+"/") {
			return false
		}
	}
	return true
}

// ErrandGroup is the control group of an errand's processes.
type ErrandGroup struct{ groups []group }

// Group makes a control group with these limits, in bytes and in processes and
// threads. What cannot be limited here goes on without.
func (e *Errand) Group(memory int64, processes int) *ErrandGroup {
	planned, _ := planGroups(errandPrefix(e.office.order.Dir)+strconv.Itoa(e.number), ownTrees())
	limits := map[string]int64{LimitMemory: memory, LimitProcesses: int64(processes)}
	made := &ErrandGroup{}
	for _, g := range planned {
		if g.make(limits[g.limit]) == nil {
			made.groups = append(made.groups, g)
		}
	}
	return made
}

// errandPrefix begins the names of the groups of a session's errands.
func errandPrefix(dir string) string { return filepath.Base(dir) + "-errand-" }

// errandGroups are the groups of errands that a keeper has not removed.
func errandGroups(dir string) []string {
	var left []string
	parents, _ := planGroups("", ownTrees())
	for _, g := range parents {
		entries, _ := os.ReadDir(g.parent)
		for _, entry := range entries {
			if group := filepath.Join(g.parent, entry.Name()); strings.HasPrefix(entry.Name(), errandPrefix(dir)) && !slices.Contains(left, group) {
				left = append(left, group)
			}
		}
	}
	return left
}

// Keeps says what keeps the limit of that name ("cgroup v2"), "" for nothing.
func (g *ErrandGroup) Keeps(limit string) string {
	for _, one := range g.groups {
		if one.limit == limit {
			return one.version
		}
	}
	return ""
}

// Reached says how often the limit was reached.
func (g *ErrandGroup) Reached(limit string) int64 {
	for _, one := range g.groups {
		if one.limit == limit {
			return one.reached()
		}
	}
	return 0
}

// Remove removes the group once its processes have ended.
func (g *ErrandGroup) Remove() { _ = removeGroups(groupsOf(g.groups), killGrace) }

// ErrandProcess is a process that an errand has started.
type ErrandProcess struct {
	kids  *children
	child *child
}

// enterGroups is a script for a shell: enter control groups, then become a
// command. To start this program for that would take longer than all the rest.
const enterGroups = `while [ "$1" != -- ]; do echo 0 >"$1/` + procsFile + `" || exit 125; shift; done; shift; exec "$@"`

// Start starts a process in the group. The files become its descriptors from 0
// on; it has no others.
func (e *Errand) Start(path string, args, env []string, files []*os.File, g *ErrandGroup) (*ErrandProcess, error) {
	c := command{name: "errand", path: path, args: args, env: env, dir: "/", files: files}
	if dirs := groupsOf(g.groups); len(dirs) > 0 {
		c.path, c.args = "/bin/sh", append(append([]string{"-c", enterGroups, "sh"}, dirs...), append([]string{"--", path}, args...)...)
	}
	child, err := e.office.kids.start(c)
	if err != nil {
		return nil, err
	}
	return &ErrandProcess{kids: e.office.kids, child: child}, nil
}

// PID is its process id.
func (p *ErrandProcess) PID() int { return p.child.pid }

// Done is closed when it has ended.
func (p *ErrandProcess) Done() <-chan struct{} { return p.child.done }

// Kill sends SIGKILL to it.
func (p *ErrandProcess) Kill() { p.kids.signal(p.child, unix.SIGKILL) }

// Ended is how it ended, once Done is closed: its exit code, 128 and the
// signal's number where one ended it; and the processor's time of it and of what
// it has waited for.
func (p *ErrandProcess) Ended() (code int, cpu time.Duration) {
	code = p.child.status.ExitStatus()
	if p.child.status.Signaled() {
		code = 128 + int(p.child.status.Signal())
	}
	return code, time.Duration(p.child.usage.Utime.Nano() + p.child.usage.Stime.Nano())
}

// Door is a worker's way to the keeper.
type Door struct{ wire *wire }

// OpenDoor takes over the descriptor of the door, DoorFD. Applications must not
// inherit it.
func OpenDoor(fd uintptr) (*Door, error) {
	wire, err := newWire(fd)
	if err != nil {
		return nil, fmt.Errorf("the way to the session's keeper: %w", err)
	}
	return &Door{wire}, nil
}

// Asked is an errand that a worker has asked for.
type Asked struct {
	line   *wire
	once   sync.Once
	done   chan struct{}
	answer json.RawMessage // set before done is closed
	err    error
}

// Ask asks the keeper to do an errand. The files stay the caller's.
func (d *Door) Ask(order json.RawMessage, files []*os.File) (*Asked, error) {
	line, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer func() { _ = theirs.Close() }()
	fds := []int{int(theirs.Fd())}
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	if err := d.wire.write(message{Op: opErrand, Errand: order}, fds...); err != nil {
		line.close()
		return nil, fmt.Errorf("ask the session's keeper: %w", err)
	}
	a := &Asked{line: line, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		defer line.close()
		m, more, _, err := line.read()
		closeAll(more)
		switch {
		case err != nil:
			a.err = fmt.Errorf("the session's keeper does not answer: %w", err)
		case m.Error != "":
			a.err = errors.New(m.Error)
		default:
			a.answer = m.Errand
		}
	}()
	return a, nil
}

// Wait waits for the keeper's answer.
func (a *Asked) Wait(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-a.done:
		return a.answer, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Kill tells the keeper to end the errand, which it then answers.
func (a *Asked) Kill() { a.once.Do(func() { _ = a.line.write(message{Op: opKill}) }) }
