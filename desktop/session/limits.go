package session

import (
	"fmt"
	"strings"
)

// Limits bound what a session may use; 0 is no limit.
type Limits struct {
	// Memory is for all processes of the session together, in bytes.
	Memory int64
	// Processes is how many processes and threads there may be at a time.
	Processes int64
	// Home is how much may be in the private home, in bytes. It needs Bwrap.
	Home int64
}

// The names of limits, as eval.yaml and results have them.
const (
	LimitMemory    = "memory"
	LimitProcesses = "processes"
	LimitHome      = "home"
)

// Limit is what became of one limit.
type Limit struct {
	// Name is one of the Limit constants.
	Name string `json:"name"`
	// Max is in bytes, or the number of processes and threads; 0 where none was
	// asked for.
	Max int64 `json:"max"`
	// By is what keeps it: "cgroup v2", "cgroup v1" or "tmpfs"; "" where nothing
	// can.
	By string `json:"by,omitempty"`
	// Unavailable says why nothing can, "" where something does.
	Unavailable string `json:"unavailable,omitempty"`
}

// String is the limit with its unit: "memory 2 GiB (cgroup v2)".
func (l Limit) String() string {
	how := l.By
	if l.Unavailable != "" {
		how = "unavailable: " + l.Unavailable
	}
	return fmt.Sprintf("%s %s (%s)", l.Name, l.Amount(), how)
}

// Amount is Max with its unit, "no limit" for 0.
func (l Limit) Amount() string {
	switch {
	case l.Max == 0:
		return "no limit"
	case l.Name == LimitProcesses:
		return fmt.Sprint(l.Max)
	}
	return bytesText(l.Max)
}

// bytesText writes a number of bytes in the largest unit that keeps it whole.
func bytesText(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	for i := len(units) - 1; i > 0; i-- {
		if size := int64(1) << (10 * i); n >= size && n%size == 0 {
			return fmt.Sprintf("%d %s", n/size, units[i])
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Reached is a limit that a session has run into.
type Reached struct {
	Limit
	// Times is how often, for what can be counted.
	Times int64 `json:"times,omitempty"`
}

// String is one sentence for people.
func (r Reached) String() string {
	switch r.Name {
	case LimitMemory:
		return fmt.Sprintf("the session's memory limit of %s was reached: the system ended %s of it (limits.memory in eval.yaml)",
			r.Amount(), plural(r.Times, "process", "processes"))
	case LimitProcesses:
		return fmt.Sprintf("the session's limit of %s processes and threads was reached: %s refused (limits.processes in eval.yaml)",
			r.Amount(), strings.Replace(plural(r.Times, "start was", "starts were"), "1 ", "one ", 1))
	}
	return fmt.Sprintf("the private home is full: it holds %s (limits.home in eval.yaml)", r.Amount())
}

// Brief is a part of a sentence for people.
func (r Reached) Brief() string {
	switch r.Name {
	case LimitMemory:
		return fmt.Sprintf("the session's memory limit of %s was reached", r.Amount())
	case LimitProcesses:
		return fmt.Sprintf("the session's limit of %s processes was reached", r.Amount())
	}
	return fmt.Sprintf("the private home is full at its limit of %s", r.Amount())
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
