package results

import (
	"fmt"
	"strings"
	"time"
)

// KindScriptOutput is the kind of the file of what a script printed, where
// that is more than results show; KindScriptFile is that of a file that it left.
const (
	KindScriptOutput = "output"
	KindScriptFile   = "result"
)

// Script is what a script did and left.
type Script struct {
	// File is the script, relative to the folder of the program's code.
	File string `json:"file"`
	// Args are what it was given.
	Args []string `json:"args,omitempty"`
	// ExitCode is what it ended with: 124 where it took too long, 128 and the
	// number of the signal where one ended it.
	ExitCode int `json:"exit_code"`
	// Signal is the name of that signal, "" for none.
	Signal string `json:"signal,omitempty"`
	// Error is the error that it did not catch, in one line, "" for none.
	Error string `json:"error,omitempty"`
	// Traceback is where that came from: at most three frames of its own code.
	Traceback string `json:"traceback,omitempty" volatile:"true"`
	// Limit is the limit that it ran into ("time", "cpu", "memory", "disk",
	// "output", "processes", "calls"), "" for none.
	Limit string `json:"limit,omitempty"`
	// Advice says in a sentence how much that is and what to do about it.
	Advice string `json:"advice,omitempty"`
	// Stdout is what it printed, at most 4,000 characters: head and tail.
	Stdout string `json:"stdout,omitempty" volatile:"true"`
	// StdoutCut is how many characters are missing in between.
	StdoutCut int64 `json:"stdout_cut,omitempty" volatile:"true"`
	// Stderr is what it printed there, at most 1,500 characters.
	Stderr string `json:"stderr,omitempty" volatile:"true"`
	// StderrCut is how many characters are missing in between.
	StderrCut int64 `json:"stderr_cut,omitempty" volatile:"true"`
	// Files are what it left in its work folder, by name.
	Files []ScriptFile `json:"files,omitempty"`
	// FilesLeft counts the files that were not taken: too many, or too large.
	FilesLeft int `json:"files_left,omitempty"`
	// Calls are the calls of its tools, by name.
	Calls []ScriptCalls `json:"calls,omitempty"`
	// Attempts are what its code tried that leads out of its sandbox, in the
	// order in which it first did.
	Attempts []ScriptAttempt `json:"attempts,omitempty"`
	// AttemptsLeft counts those that did not fit into Attempts.
	AttemptsLeft int `json:"attempts_left,omitempty"`
	// DurationMS is from its begin to its end, in milliseconds.
	DurationMS int64 `json:"duration_ms" volatile:"true"`
	// CPUMS is the processor's time, in milliseconds.
	CPUMS int64 `json:"cpu_ms" volatile:"true"`
	// MemoryBytes is the most memory that was in use at a time, as far as it was
	// seen, in bytes.
	MemoryBytes int64 `json:"memory_bytes,omitempty" volatile:"true"`
	// Sandbox is what held it.
	Sandbox ScriptSandbox `json:"sandbox" volatile:"true"`
}

// ScriptFile is a file that a script left.
type ScriptFile struct {
	// Name is relative to its work folder, forward slashes.
	Name string `json:"name"`
	// Size is in bytes.
	Size int64 `json:"size" volatile:"true"`
	// SHA256 is the content's hash, in lower-case hexadecimal.
	SHA256 string `json:"sha256" volatile:"true"`
	// Artifact is the name of the file as it is kept with the run, "" where it
	// could not be kept.
	Artifact string `json:"artifact,omitempty"`
}

// ScriptCalls is how often a script called a tool.
type ScriptCalls struct {
	// Name is the function's name ("ui_click", "read").
	Name string `json:"name"`
	// Count is how often it was called.
	Count int `json:"count"`
	// Failed is how many of these calls could not be done.
	Failed int `json:"failed,omitempty"`
}

// ScriptAttempt is something that a script's code tried and that leads out of
// its sandbox.
type ScriptAttempt struct {
	// Event is what it tried, by Python's name ("open", "socket.connect").
	Event string `json:"event"`
	// Target is what it tried it on ("/etc/passwd").
	Target string `json:"target,omitempty"`
	// Outcome is "refused", "allowed", or "unseen" where nobody saw what came of
	// it.
	Outcome string `json:"outcome" enum:"refused,allowed,unseen"`
	// Errno is the error that a refused call saw ("EACCES").
	Errno string `json:"errno,omitempty"`
	// Place is the line of the script's own code ("main.py:14").
	Place string `json:"place,omitempty"`
	// Times is how often.
	Times int `json:"times"`
}

// ScriptSandbox is what held a script.
type ScriptSandbox struct {
	// Mode is what made it ("bwrap").
	Mode string `json:"mode"`
	// UID is the user on the machine that the script ran as.
	UID int `json:"uid"`
	// Seccomp says whether system calls were filtered as well.
	Seccomp bool `json:"seccomp"`
	// Limits are the limits in force.
	Limits []Limit `json:"limits,omitempty"`
}

// Renamed gives the file that was kept under a name its new one.
func (s *Script) Renamed(from, to string) {
	if s == nil {
		return
	}
	for i := range s.Files {
		if s.Files[i].Artifact == from && from != "" {
			s.Files[i].Artifact = to
		}
	}
}

// Ended says how the script ended: "exit code 1", "exit code 137, signal
// killed, limit memory".
func (s *Script) Ended() string {
	text := fmt.Sprintf("exit code %d", s.ExitCode)
	if s.Signal != "" {
		text += ", signal " + s.Signal
	}
	if s.Limit != "" {
		text += ", limit " + s.Limit
	}
	return text
}

// Used says what the script used: "12 calls, 0.21 s, 31 MiB".
func (s *Script) Used() string {
	calls := 0
	for _, c := range s.Calls {
		calls += c.Count
	}
	parts := []string{fmt.Sprintf("%.2f s", (time.Duration(s.DurationMS) * time.Millisecond).Seconds())}
	if calls > 0 {
		parts = append([]string{plural(calls, "call")}, parts...)
	}
	if s.MemoryBytes > 0 {
		parts = append(parts, fmt.Sprintf("%d MiB", s.MemoryBytes>>20))
	}
	return strings.Join(parts, ", ")
}

// Refused are the attempts that came to nothing.
func (s *Script) Refused() []ScriptAttempt {
	var refused []ScriptAttempt
	for _, a := range s.Attempts {
		if a.Outcome == "refused" {
			refused = append(refused, a)
		}
	}
	return refused
}

// String is the attempt in words: "open /etc/passwd: refused (ENOENT), 3
// times, main.py:14".
func (a ScriptAttempt) String() string {
	text := a.Event
	if a.Target != "" {
		text += " " + a.Target
	}
	text += ": " + a.Outcome
	if a.Errno != "" {
		text += " (" + a.Errno + ")"
	}
	if a.Times > 1 {
		text += fmt.Sprintf(", %d times", a.Times)
	}
	if a.Place != "" {
		text += ", " + a.Place
	}
	return text
}

// Told is what a reader of a step that passed wants of the script.
func (s *Script) Told() []Line { return s.explain("") }

// CallsText lists what was called: "find 1, read 40 (1 failed)".
func (s *Script) CallsText() string {
	parts := make([]string, len(s.Calls))
	for i, c := range s.Calls {
		parts[i] = fmt.Sprintf("%s %d", c.Name, c.Count)
		if c.Failed > 0 {
			parts[i] += fmt.Sprintf(" (%d failed)", c.Failed)
		}
	}
	return strings.Join(parts, ", ")
}

// explain is what a reader of a failure wants of the script, beyond the reason.
func (s *Script) explain(reason string) []Line {
	lines := []Line{{"script", s.File + ": " + s.Ended() + " (" + s.Used() + ")"}}
	add := func(label, text string) {
		for line := range strings.Lines(strings.TrimRight(text, "\n")) {
			lines = append(lines, Line{label, cutLine(strings.TrimRight(line, "\n"))})
		}
	}
	if !strings.Contains(reason, strings.TrimPrefix(s.Advice, "it ")) {
		add("advice", s.Advice)
	}
	add("traceback", s.Traceback)
	add("stdout", ending(s.Stdout))
	if s.Traceback == "" { // it is the end of that
		add("stderr", ending(s.Stderr))
	}
	refused := s.Refused()
	for _, a := range refused[:min(len(refused), explainedRefusals)] {
		add("refused", a.String())
	}
	if more := len(refused) - explainedRefusals; more > 0 {
		add("refused", fmt.Sprintf("and %d more (opendesk learn audit-code)", more))
	}
	return lines
}

// How many lines of what a script printed, and how many refusals, an explanation
// has.
const (
	explained         = 10
	explainedRefusals = 5
)

// cutLine is the beginning of a line.
func cutLine(line string) string {
	const most = 300
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

// ending is the end of what a script printed.
func ending(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if over := len(lines) - explained; over > 0 {
		return fmt.Sprintf("[… %s before …]\n", plural(over, "line")) + strings.Join(lines[over:], "\n")
	}
	return text
}
