// Package script runs saved code strictly, in a sandbox of its own: no network,
// no processes but its own, the project read-only, one writable folder, and
// limits on all that it could use up.
//
// Sandbox.Run is the worker's side. Who starts the sandbox is a Starter: Local
// does it from this process; in a session it is the keeper, outside of the
// session's own sandbox. Code that cannot be confined is not run at all.
package script

import (
	"context"
	"encoding/json"
	"time"
)

// The places that a script sees.
const (
	// ArchiveDir is the project's folder, read-only.
	ArchiveDir = "/archive"
	// CodeDir is the folder of the script's own code, read-only.
	CodeDir = "/code"
	// WorkDir is the only folder that can be written to, the script's working
	// directory and its HOME. What is in it at the end are the files written.
	WorkDir = "/work"
	// ToolsDir has the modules of Job.Modules, and is on Python's path.
	ToolsDir = "/opt/opendesk"
)

// ToolsFD is the descriptor of the pipe for tool calls: the script writes a line
// and reads a line, one call at a time and from its first process only.
const ToolsFD = 3

// DefaultInterpreter is what runs scripts.
const DefaultInterpreter = "/usr/bin/python3"

// Job says what to run.
type Job struct {
	// Interpreter is DefaultInterpreter by default. It must lie below /usr.
	Interpreter string
	// Code is the folder of the code, absolute; File the script in it, with
	// slashes; Args its arguments. What is in it must be readable by everybody.
	Code string
	File string
	Args []string
	// Archive is the folder that the script can read, absolute; "" for none.
	// Hidden are files and folders in it, relative and with slashes, that it is
	// not to see, beside those of AlwaysHidden.
	Archive string
	Hidden  []string
	// Modules are Python modules that the script can import: their sources by
	// their names, such as "opendesk_tools".
	Modules map[string][]byte
	// Limits are the limits; a zero in it is that of DefaultLimits.
	Limits Limits
	// Handle answers one line of the tool pipe with one line, both JSON, neither
	// longer than MaxLine. It is called for one call at a time; its context ends
	// with the script. Nil refuses every call.
	Handle func(ctx context.Context, request json.RawMessage) (reply json.RawMessage)
}

// Runner runs scripts: a Sandbox does.
type Runner interface {
	// Run runs one script and returns when every process of it has ended. The
	// error is an *UnavailableError where no sandbox can be had, the context's
	// where that ended first, and else a fault of our own: a script that fails
	// is no error.
	Run(ctx context.Context, job Job) (Outcome, error)
}

// AlwaysHidden are the places in a project that no script sees: earlier runs
// and the skeleton of homes, the repository with what it may hold of tokens,
// and files of secrets.
var AlwaysHidden = []string{".opendesk/eval", ".git", ".env"}

// Limits bound what a script may use.
type Limits struct {
	// Time is how long it may take, tool calls included.
	Time time.Duration
	// CPU is the processor's time, of all its processes together.
	CPU time.Duration
	// Memory is for all its processes together, in bytes.
	Memory int64
	// Disk is what may be in WorkDir, in bytes.
	Disk int64
	// Output is how much it may print on stdout and stderr before it is
	// stopped, in bytes. Far less is kept.
	Output int64
	// Processes is how many processes and threads there may be at a time.
	Processes int
	// Calls is how many tool calls there may be. The call after the last gets
	// {"error":{"kind":"call_limit","message":"…"}}; the script goes on.
	Calls int
}

// DefaultLimits are the limits of a script that names none.
var DefaultLimits = Limits{
	Time: 30 * time.Second, CPU: 30 * time.Second,
	Memory: 512 << 20, Disk: 200 << 20, Output: 16 << 20,
	Processes: 64, Calls: 500,
}

// CallLimit is the kind of the error that a call beyond Limits.Calls gets.
const CallLimit = "call_limit"

// How much of what a script prints is kept, in characters: the head and the
// tail of it. The traceback has at most MaxFrames frames of the script's own.
const (
	MaxStdout = 4000
	MaxStderr = 1500
	MaxFrames = 3
)

// MaxOutput is how much of stdout is kept whole, for who looks for a text in
// it, in bytes.
const MaxOutput = 1 << 20

// MaxLine bounds a line of the tool pipe, in bytes.
const MaxLine = 1 << 20

// What is taken of the files that a script has written: their number, and bytes
// of one and of all. What is over is counted in Outcome.FilesLeft.
const (
	MaxFiles      = 100
	MaxFileBytes  = 16 << 20
	MaxFilesBytes = 64 << 20
)

// The variables that tell a script's modules where things are: the numbers and
// paths above.
const (
	ToolsVariable   = "OPENDESK_TOOLS_FD"
	ArchiveVariable = "OPENDESK_ARCHIVE"
	WorkVariable    = "OPENDESK_WORK"
)
