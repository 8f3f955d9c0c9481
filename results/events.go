package results

import "time"

// EventType names what an event tells.
type EventType string

// The events of a run, in the order in which they can occur. A program that
// is not run (invalid, skipped) has program_started and program_finished only.
const (
	EventRunStarted      EventType = "run_started"      // Run: everything known at the start
	EventProgramStarted  EventType = "program_started"  // Program: path, file, name, problems
	EventAttemptStarted  EventType = "attempt_started"  // Attempt: number, session
	EventStepStarted     EventType = "step_started"     // Step: id, index, tool, summary
	EventStepFinished    EventType = "step_finished"    // Step: complete
	EventWarning         EventType = "warning"          // Warning
	EventArtifact        EventType = "artifact"         // Artifact of the attempt
	EventAttemptFinished EventType = "attempt_finished" // Attempt: status, reason, fault; no steps
	EventProgramFinished EventType = "program_finished" // Program: status, reason; no attempts
	EventRunFinished     EventType = "run_finished"     // Run: status, exit code, notes; no programs
)

// Event is one line of events.ndjson. A worker writes the same events about
// its attempt to its pipe; the harness adds Seq, Path and Attempt's number.
// Exactly the payload that the type names is set.
type Event struct {
	// Seq counts the run's events from 1 without gaps.
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Type EventType `json:"type"`
	// Path is the program that it is about, "" for the run.
	Path string `json:"path,omitempty"`
	// AttemptNumber is the attempt that it is about, 0 for none.
	AttemptNumber int `json:"attempt_number,omitempty"`

	Run      *Run      `json:"run,omitempty"`
	Program  *Program  `json:"program,omitempty"`
	Attempt  *Attempt  `json:"attempt,omitempty"`
	Step     *Step     `json:"step,omitempty"`
	Warning  *Warning  `json:"warning,omitempty"`
	Artifact *Artifact `json:"artifact,omitempty"`
}
