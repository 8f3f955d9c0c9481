package desktop

import (
	"fmt"
	"strings"
	"time"
)

// AppFacts is what the system tells of an application that does not do what
// it should: the evidence for a failure's details. Everything in it is
// bounded, and nothing of it is asked of the application itself.
type AppFacts struct {
	// Command is what was started, nil where the application was not started
	// here; PID is the process that it became.
	Command []string `json:"command,omitempty"`
	PID     int      `json:"pid,omitempty"`
	// Running is how long ago it was started, 0 where that is not known.
	Running time.Duration `json:"running_ns,omitempty"`
	// Exited says how the started process ended, "" while it runs.
	Exited string `json:"exited,omitempty"`
	// Processes are its living processes and those that ended and that their
	// parent has not asked about yet; Left is how many more there are.
	Processes []ProcessFacts `json:"processes,omitempty"`
	Left      int            `json:"left,omitempty"`
	// Remarks are what the display and the buses know of its processes.
	Remarks []string `json:"remarks,omitempty"`
	// Output is the end of what it printed.
	Output string `json:"output,omitempty"`
}

// ProcessFacts is one process at one moment.
type ProcessFacts struct {
	PID    int    `json:"pid"`
	Parent int    `json:"parent"`
	Name   string `json:"name"`
	// State is the kernel's letter: R runs, S sleeps, D waits for a device,
	// T is stopped, Z has ended.
	State string `json:"state"`
	// WaitsIn is the kernel's function that it sleeps in, "" where it does
	// not or that cannot be told; WaitsFor is what it waits for there.
	WaitsIn  string   `json:"waits_in,omitempty"`
	WaitsFor []string `json:"waits_for,omitempty"`
	// ConnectedTo are the Unix sockets of others that it is connected to: the
	// X server's, a bus's.
	ConnectedTo []string `json:"connected_to,omitempty"`
	Threads     int      `json:"threads,omitempty"`
	// CPU is the processor time that it has used.
	CPU time.Duration `json:"cpu_ns"`
}

// stateWords say the kernel's letters in words.
var stateWords = map[string]string{
	"R": "running", "S": "sleeping", "D": "waiting for a device", "T": "stopped", "t": "stopped by a debugger",
	"Z": "ended", "X": "ended", "I": "idle",
}

// Lines are the facts for people, one sentence each. A nil f has none.
func (f *AppFacts) Lines() []string {
	if f == nil {
		return nil
	}
	var lines []string
	if len(f.Command) > 0 {
		line := fmt.Sprintf("started %s as process %d", strings.Join(f.Command, " "), f.PID)
		if f.Running > 0 {
			line += fmt.Sprintf(" %d ms before", f.Running.Milliseconds())
		}
		if f.Exited != "" {
			line += fmt.Sprintf(", which has ended (%s)", f.Exited)
		}
		lines = append(lines, line)
	}
	for _, p := range f.Processes {
		lines = append(lines, p.String())
	}
	if f.Left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more processes", f.Left))
	}
	lines = append(lines, f.Remarks...)
	if f.Output != "" {
		lines = append(lines, "its last output: "+f.Output)
	}
	return lines
}

// String is the process in one sentence.
func (p ProcessFacts) String() string {
	state := stateWords[p.State]
	if state == "" {
		state = "state " + p.State
	}
	s := fmt.Sprintf("process %d %s (child of %d) is %s", p.PID, p.Name, p.Parent, state)
	if p.WaitsIn != "" {
		s += " in " + p.WaitsIn
	}
	if len(p.WaitsFor) > 0 {
		s += " for " + strings.Join(p.WaitsFor, ", ")
	}
	if len(p.ConnectedTo) > 0 {
		s += ", connected to " + strings.Join(p.ConnectedTo, " and ")
	}
	if p.Threads > 1 {
		s += fmt.Sprintf(", %d threads", p.Threads)
	}
	return s + fmt.Sprintf(", %d ms of processor time", p.CPU.Milliseconds())
}
