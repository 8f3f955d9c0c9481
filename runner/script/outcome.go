package script

import "time"

// The names of limits, as Outcome.Limit has them.
const (
	LimitTime      = "time"
	LimitCPU       = "cpu"
	LimitMemory    = "memory"
	LimitDisk      = "disk"
	LimitOutput    = "output"
	LimitProcesses = "processes"
	LimitCalls     = "calls"
)

// ExitTimeout is the exit code of a script that took longer than Limits.Time.
const ExitTimeout = 124

// Outcome is what came of a script.
type Outcome struct {
	// ExitCode is the script's: 0 for success, 1 for an error that it did not
	// catch, ExitTimeout, and 128 and the signal's number where one ended it.
	ExitCode int `json:"exit_code"`
	// Signal is the name of that signal ("killed"), "" for none.
	Signal string `json:"signal,omitempty"`
	// Stdout and Stderr are what it printed, trimmed to MaxStdout and MaxStderr
	// characters: head and tail, with a line between them that counts what was
	// cut. StdoutCut and StderrCut are those counts, in characters.
	Stdout    string `json:"stdout,omitempty"`
	Stderr    string `json:"stderr,omitempty"`
	StdoutCut int64  `json:"stdout_cut,omitempty"`
	StderrCut int64  `json:"stderr_cut,omitempty"`
	// Output is the beginning of stdout, at most MaxOutput bytes of it, and
	// OutputLost the number of bytes after that.
	Output     []byte `json:"-"`
	OutputLost int64  `json:"output_lost,omitempty"`
	// Error is the error that it did not catch, in one line ("ValueError: no
	// amount in f007.txt"), "" for none. Traceback is where that came from: the
	// last frames of the script's own code, as Python prints them, with Error.
	Error     string `json:"error,omitempty"`
	Traceback string `json:"traceback,omitempty"`
	// Limit is the limit that it ran into, "" for none; Advice says in one
	// sentence which, how much it is, and what to do about it. Of several it is
	// the one that ended the script.
	Limit  string `json:"limit,omitempty"`
	Advice string `json:"advice,omitempty"`
	// Files are the files that it left in WorkDir, by name. FilesLeft counts
	// those that were not taken: too many, too large, or no files.
	Files     []File `json:"files,omitempty"`
	FilesLeft int    `json:"files_left,omitempty"`
	// Calls counts the tool calls.
	Calls int `json:"calls,omitempty"`
	// Took is from the script's begin to its end, CPU the processor's time.
	Took time.Duration `json:"took"`
	CPU  time.Duration `json:"cpu"`
	// MemoryPeak is the most memory that its processes had at a time, in bytes,
	// as far as it was seen: a look every 50 ms, and at the end its own account.
	MemoryPeak int64 `json:"memory_peak,omitempty"`
	// Audit is what the code tried that leads out of its sandbox, in the order
	// in which it first did. AuditLeft counts what did not fit into it.
	Audit     []Attempt `json:"audit,omitempty"`
	AuditLeft int       `json:"audit_left,omitempty"`
	// Sandbox is what held the script.
	Sandbox Confinement `json:"sandbox"`
}

// File is a file that a script left in WorkDir.
type File struct {
	// Name is relative to WorkDir, with slashes.
	Name string `json:"name"`
	// Size is in bytes.
	Size int64 `json:"size"`
	// SHA256 is the hash of the contents, in hexadecimal digits.
	SHA256 string `json:"sha256"`
	// Data are the contents.
	Data []byte `json:"-"`
}

// Attempt is something that the code tried and that leads out of its sandbox:
// a file elsewhere, a socket, a process.
type Attempt struct {
	// Event is what it tried, by the name of Python's audit event ("open",
	// "socket.connect", "subprocess.Popen").
	Event string `json:"event"`
	// Target is what it tried it on ("/etc/passwd").
	Target string `json:"target,omitempty"`
	// Outcome is one of the Attempt constants; of AttemptRefused, Errno is the
	// error that the call saw ("EACCES") and Number its number.
	Outcome string `json:"outcome"`
	Errno   string `json:"errno,omitempty"`
	Number  int    `json:"errno_number,omitempty"`
	// Place is the line of the script's own code that did it ("main.py:14").
	Place string `json:"place,omitempty"`
	// Times is how often it did.
	Times int `json:"times"`
}

// What came of attempts.
const (
	// AttemptRefused: the call failed with an error number.
	AttemptRefused = "refused"
	// AttemptAllowed: the call came back without an error.
	AttemptAllowed = "allowed"
	// AttemptUnseen: what came of it was not seen, since the call did not come
	// back, or came from where nothing looks.
	AttemptUnseen = "unseen"
)

// Confinement is what held a script.
type Confinement struct {
	// Mode is what made it: "bwrap".
	Mode string `json:"mode"`
	// UID is the user on the machine that the script ran as.
	UID int `json:"uid"`
	// Seccomp says whether system calls were filtered, too.
	Seccomp bool `json:"seccomp"`
	// Limits are the limits in force, and what keeps each.
	Limits []Limit `json:"limits,omitempty"`
}

// Limit is a limit in force.
type Limit struct {
	// Name is one of the Limit constants.
	Name string `json:"name"`
	// Max is in bytes, milliseconds, or a number.
	Max int64 `json:"max"`
	// By is what keeps it: "cgroup v2", "rlimit", "tmpfs", "watch", and
	// combinations of them.
	By string `json:"by"`
}

// UnavailableError says that scripts cannot be run here: the environment's
// fault, not the script's.
type UnavailableError struct {
	// Reason is why, Fix what to do about it, "" for nothing known.
	Reason string
	Fix    string
}

// Error is both.
func (e *UnavailableError) Error() string {
	if e.Fix == "" {
		return e.Reason
	}
	return e.Reason + " (" + e.Fix + ")"
}
