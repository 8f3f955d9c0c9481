package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// watchInterval is how often is looked at what a sandbox uses.
const watchInterval = 50 * time.Millisecond

// killPatience is how long what was killed may take to end.
const killPatience = 5 * time.Second

// Serve starts the sandbox of an order, watches over it, and returns when every
// process in it has ended; the end of the context ends them. It is the side of
// those who start processes: what it reads of the script's is nothing but
// numbers that the kernel gives. The files stay the caller's.
func Serve(ctx context.Context, o Order, files []*os.File, s Spawner) (Exit, error) {
	o.Limits = o.Limits.withDefaults()
	if len(files) != orderFiles+len(o.Modules) {
		return Exit{}, fmt.Errorf("%d files came with the order of a script, not %d", len(files), orderFiles+len(o.Modules))
	}
	group := s.Group(o.Limits.Memory, o.Limits.Processes+ownProcesses)
	defer group.Remove()
	uid := os.Geteuid()
	limit, exact := processLimit(uid, o.Limits.Processes, group.Keeps(LimitProcesses) != "")
	box, err := confine(o, uid, limit)
	if err != nil {
		return Exit{}, err
	}
	info, child, err := start(box, files, s, group)
	if err != nil {
		return Exit{}, err
	}
	w := &watch{child: child, group: group, limits: o.Limits}
	w.run(ctx, info)
	ended := child.Ended()
	exit := Exit{
		Code: ended.Code, Limit: w.limit,
		CPU:        max(ended.CPU, w.peak.cpu),
		MemoryPeak: w.peak.memory,
		Sandbox:    confinement(o.Limits, uid, group, exact),
	}
	if exit.Limit == "" && group.Reached(LimitMemory) > 0 {
		exit.Limit = LimitMemory
	}
	if exit.Limit == "" && (group.Reached(LimitProcesses) > 0 || exact && w.peak.processes >= o.Limits.Processes) {
		exit.Limit = LimitProcesses
	}
	return exit, nil
}

// ownProcesses are those of bwrap, which are in the group as well: one outside
// and one inside of the sandbox.
const ownProcesses = 2

// start starts bwrap. The first process of the sandbox comes over the channel.
func start(box *confined, files []*os.File, s Spawner, group Group) (<-chan int, Child, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	infoRead, infoWrite, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, null.Close())
	}
	given := slices.Concat([]*os.File{null}, files[:orderFiles], []*os.File{infoWrite})
	ours := []*os.File{null, infoWrite}
	defer func() {
		for _, f := range ours {
			_ = f.Close()
		}
	}()
	for _, data := range box.data {
		f, err := inMemory(data)
		if err != nil {
			return nil, nil, errors.Join(err, infoRead.Close())
		}
		ours = append(ours, f)
		given = append(given, f)
	}
	given = append(given, files[orderFiles:]...)
	child, err := s.Start(Command{Path: box.path, Args: box.args, Env: environment, Files: given}, group)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("start bwrap: %w", err), infoRead.Close())
	}
	info := make(chan int, 1)
	go func() {
		var told struct {
			PID int `json:"child-pid"`
		}
		if json.NewDecoder(infoRead).Decode(&told) == nil && told.PID > 1 {
			info <- told.PID
		}
		_ = infoRead.Close()
	}()
	return info, child, nil
}

// inMemory is a file that lies nowhere, to be read from its beginning.
func inMemory(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("opendesk-script", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory for the sandbox's files: %w", err)
	}
	f := os.NewFile(uintptr(fd), "memory")
	if _, err := f.Write(data); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// watch keeps the limits that nothing else keeps for all processes together.
type watch struct {
	child  Child
	group  Group
	limits Limits

	first  int // the sandbox's first process, 0 before it is known
	handle int // of that process, -1 for none
	peak   usage
	limit  string // the limit that was reached, "" for none
}

// run watches until the sandbox has ended.
func (w *watch) run(ctx context.Context, info <-chan int) {
	w.handle = -1
	defer func() {
		if w.handle >= 0 {
			_ = unix.Close(w.handle)
		}
	}()
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.child.Done():
			return
		case w.first = <-info:
			w.handle = handleOf(w.first, w.child.PID())
			info = nil
		case <-tick.C:
			if limit := w.look(); limit != "" {
				w.limit = limit
				w.end()
				return
			}
		case <-ctx.Done():
			w.look()
			w.end()
			return
		}
	}
}

// handleOf is a handle of the sandbox's first process, -1 where it has ended.
func handleOf(pid, parent int) int {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1
	}
	if parentOf(pid) != parent { // the number is another's already
		_ = unix.Close(handle)
		return -1
	}
	return handle
}

// look measures, and gives the limit that ends the script.
func (w *watch) look() string {
	if w.first == 0 {
		return ""
	}
	now := measure(w.first)
	if now.memory > w.peak.memory && now.processes > ownProcesses {
		now.memory = proportional(w.first)
	}
	w.peak = usage{max(w.peak.processes, now.processes-1), max(w.peak.cpu, now.cpu), max(w.peak.memory, now.memory)}
	switch {
	case now.cpu > w.limits.CPU:
		return LimitCPU
	case w.group.Reached(LimitMemory) > 0: // the kernel has ended a part of the script: half of it is no script
		return LimitMemory
	case w.group.Keeps(LimitMemory) == "" && now.memory > w.limits.Memory:
		return LimitMemory
	case now.processes-1 > w.limits.Processes:
		return LimitProcesses
	}
	if _, tooMany := diskFull(w.first); tooMany {
		return LimitDisk
	}
	return ""
}

// end ends every process of the sandbox: with its first process the kernel ends
// all others, and bwrap collects that one only when they have ended.
func (w *watch) end() {
	if w.handle >= 0 {
		_ = unix.PidfdSendSignal(w.handle, unix.SIGKILL, nil, 0)
		select {
		case <-w.child.Done():
			return
		case <-time.After(killPatience):
		}
	}
	w.child.Kill() // the kernel ends its first process with it
	<-w.child.Done()
}

// confinement says what holds the script.
func confinement(l Limits, uid int, group Group, exact bool) Confinement {
	c := Confinement{Mode: "bwrap", UID: uid, Seccomp: filter() != nil}
	if uid == 0 {
		c.UID = nobody
	}
	by := func(limit, otherwise string) string {
		if kept := group.Keeps(limit); kept != "" {
			return kept
		}
		return otherwise
	}
	processes := "watch"
	if exact {
		processes = "rlimit"
	}
	c.Limits = []Limit{
		{LimitTime, l.Time.Milliseconds(), "watch"},
		{LimitCPU, l.CPU.Milliseconds(), "rlimit, watch"},
		{LimitMemory, l.Memory, by(LimitMemory, "rlimit, watch")},
		{LimitDisk, l.Disk, "tmpfs"},
		{LimitOutput, l.Output, "watch"},
		{LimitProcesses, int64(l.Processes), by(LimitProcesses, processes)},
		{LimitCalls, int64(l.Calls), "watch"},
	}
	return c
}
