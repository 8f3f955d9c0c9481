//go:build linux

package linux

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// Bounds of the evidence of one application.
const (
	maxFactProcesses = 12
	maxFactArguments = 500 // bytes of a command line
	factTime         = time.Second
)

// clockTick is the unit of the times in /proc/PID/stat. It is the same on
// every system that Go runs on.
const clockTick = 10 * time.Millisecond

// facts tells what the system knows of an application that was started here.
func (d *Desktop) facts(ctx context.Context, a *openedApp) *desktop.AppFacts {
	f := &desktop.AppFacts{
		Command: bounded(a.cmd.Args), PID: a.root.pid, Exited: a.exited(),
		Running: time.Since(a.startedAt), Output: a.tail(),
	}
	all := processes()
	pids := d.opened.family(a)
	for pid, p := range all {
		if !p.alive() && (pid == a.root.pid || pids[p.parent]) {
			pids[pid] = true
		}
	}
	d.addProcesses(ctx, f, all, pids)
	return f
}

// factsOf tells what the system knows of the processes of an application that
// was not started here.
func (d *Desktop) factsOf(ctx context.Context, pids map[int]bool) *desktop.AppFacts {
	f := &desktop.AppFacts{}
	d.addProcesses(ctx, f, processes(), pids)
	return f
}

func (d *Desktop) addProcesses(ctx context.Context, f *desktop.AppFacts, all map[int]process, pids map[int]bool) {
	sorted := make([]int, 0, len(pids))
	for pid := range pids {
		if _, known := all[pid]; known {
			sorted = append(sorted, pid)
		}
	}
	slices.Sort(sorted)
	if len(sorted) > maxFactProcesses {
		f.Left = len(sorted) - maxFactProcesses
		sorted = sorted[:maxFactProcesses]
	}
	sockets := unixSockets()
	for _, pid := range sorted {
		f.Processes = append(f.Processes, processFacts(all[pid], sockets))
	}
	if len(f.Processes) > 0 {
		f.Remarks = append(f.Remarks, d.connections(ctx, pids)...)
	}
}

// connections says how far the processes have come on the accessibility bus
// and in its registry.
func (d *Desktop) connections(ctx context.Context, pids map[int]bool) []string {
	ctx, cancel := context.WithTimeout(ctx, factTime)
	defer cancel()
	connected, err := d.clients.connected(ctx)
	if err != nil {
		return nil // the environment's fault, which the probes tell
	}
	var on []string
	for _, pid := range slices.Sorted(maps.Keys(pids)) {
		if connected[pid] {
			on = append(on, strconv.Itoa(pid))
		}
	}
	if len(on) == 0 {
		return []string{"none of its processes is connected to the accessibility bus"}
	}
	return []string{fmt.Sprintf("connected to the accessibility bus: process %s", strings.Join(on, ", "))}
}

func processFacts(p process, sockets map[uint32]unixSocket) desktop.ProcessFacts {
	f := desktop.ProcessFacts{PID: p.pid, Parent: p.parent, Name: p.name, State: string(p.state), Threads: p.threads, CPU: p.cpu}
	if p.alive() {
		f.WaitsIn = waitChannel(p.pid)
		f.WaitsFor = waitsFor(p.pid, f.WaitsIn, sockets)
		f.ConnectedTo = connectedTo(p.pid, sockets)
	}
	return f
}

// waitChannel is the kernel's function in which the process sleeps, or "".
func waitChannel(pid int) string {
	b, err := os.ReadFile(procPath(pid, "wchan"))
	if err != nil || string(b) == "0" {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(b)), ".") // the compiler's .constprop.0
	return name
}

// bounded is a command line that is cut where it is very long.
func bounded(args []string) []string {
	left := maxFactArguments
	for i, a := range args {
		if left -= len(a); left < 0 {
			return append(slices.Clone(args[:i]), "…")
		}
	}
	return slices.Clone(args)
}
