package script

import (
	"context"
	"os"
	"time"
)

// Order is what a Starter is to start: the part of a Job that decides what the
// sandbox holds.
type Order struct {
	Interpreter string   `json:"interpreter"`
	Code        string   `json:"code"`
	File        string   `json:"file"`
	Args        []string `json:"args,omitempty"`
	Archive     string   `json:"archive,omitempty"`
	Hidden      []string `json:"hidden,omitempty"`
	// Modules are the names of the modules whose sources are in the descriptors
	// after the first orderFiles.
	Modules []string `json:"modules,omitempty"`
	Limits  Limits   `json:"limits"`
	// NoProc leaves /proc out, for where none can be mounted.
	NoProc bool `json:"no_proc,omitempty"`
}

// The descriptors that come with an order: the script's stdout and stderr, its
// ends of the tool pipe and of the pipe for reports, and the modules.
const (
	fileStdout = iota
	fileStderr
	fileTools
	fileReports
	orderFiles
)

// Starter starts sandboxes.
type Starter interface {
	// Start starts the sandbox of an order. The files stay the caller's. The
	// error is an *UnavailableError where no sandbox can be had.
	Start(ctx context.Context, order Order, files []*os.File) (Process, error)
}

// Process is a sandbox that was started.
type Process interface {
	// Wait waits for the end of every process in it. Its error means that
	// nobody can say how it ended.
	Wait(ctx context.Context) (Exit, error)
	// Kill ends them all. Wait tells when they have ended.
	Kill()
}

// Exit is how a sandbox ended.
type Exit struct {
	// Code is the script's exit code, 128 and the signal's number where one
	// ended it.
	Code int `json:"code"`
	// Limit is the limit that whoever started it saw reached, "" for none.
	Limit string `json:"limit,omitempty"`
	// CPU and MemoryPeak are those of Outcome.
	CPU        time.Duration `json:"cpu"`
	MemoryPeak int64         `json:"memory_peak,omitempty"`
	// Sandbox is what held it.
	Sandbox Confinement `json:"sandbox"`
}
