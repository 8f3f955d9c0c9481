package script

import (
	"os"
	"time"
)

// Spawner starts the processes that Serve needs.
type Spawner interface {
	// Group makes a control group with these limits, in bytes and in processes
	// and threads. What it cannot keep it says.
	Group(memory int64, processes int) Group
	// Start starts a process in the group.
	Start(Command, Group) (Child, error)
}

// Command is a process to start.
type Command struct {
	Path string
	Args []string // without the program's own name
	Env  []string
	// Files become the descriptors from 0 on.
	Files []*os.File
}

// Group is a control group, or the lack of one.
type Group interface {
	// Keeps says what keeps the limit of that name ("cgroup v2"), "" for nothing.
	Keeps(limit string) string
	// Reached says how often that limit was reached.
	Reached(limit string) int64
	// Remove removes the group, once its processes have ended.
	Remove()
}

// Child is a process that was started.
type Child interface {
	PID() int
	// Done is closed when it has ended and was collected.
	Done() <-chan struct{}
	// Ended is how it ended, once Done is closed.
	Ended() Ended
	// Kill sends SIGKILL.
	Kill()
}

// Ended is how a process ended.
type Ended struct {
	// Code is its exit code, 128 and the signal's number where one ended it.
	Code int
	// CPU is the processor's time of it and of what it has waited for.
	CPU time.Duration
}

// noGroup keeps nothing.
type noGroup struct{}

func (noGroup) Keeps(string) string  { return "" }
func (noGroup) Reached(string) int64 { return 0 }
func (noGroup) Remove()              {}
