package results

import "time"

// EventType names what an event tells.
type EventType string

// The events of a run, in the order in which they can occur. A program that
// is not run (invalid, skipped) has program_started and program_finished only.
//
// Two of them carry the plan, so that a stream that ends anywhere still names
// everything: run_started lists every planned program (path, file, name), and
// attempt_started lists every step of the program as blocked. A step_finished
// takes the place of the planned step with its index.
const (
	EventRunStarted      EventType = "run_started"      // Run: everything known at the start, the planned programs
	EventEnvironment     EventType = "environment"      // Environment: the run's, once all of it is known; at most once
	EventProgramStarted  EventType = "program_started"  // Program: path, file, name, problems
	EventAttemptStarted  EventType = "attempt_started"  // Attempt: number, session, the planned steps as blocked
	EventStepStarted     EventType = "step_started"     // Step: id, index, tool, summary
	EventStepFinished    EventType = "step_finished"    // Step: complete
	EventWarning         EventType = "warning"          // Warning
	EventArtifact        EventType = "artifact"         // Artifact of the attempt
	EventAction          EventType = "action"           // Action; from a worker to the launcher only, which keeps audit.ndjson
	EventAttemptFinished EventType = "attempt_finished" // Attempt: status, reason, duration, fault; no steps
	EventProgramFinished EventType = "program_finished" // Program: status, reason, duration; no attempts
	EventRunFinished     EventType = "run_finished"     // Run: status, exit code, interrupted, duration, notes; no programs
)

// EventTypes lists every type of event.
var EventTypes = []EventType{
	EventRunStarted, EventEnvironment, EventProgramStarted, EventAttemptStarted, EventStepStarted,
	EventStepFinished, EventWarning, EventArtifact, EventAction, EventAttemptFinished,
	EventProgramFinished, EventRunFinished,
}

// Event is one line of events.ndjson. A worker writes the same events about
// its attempt to its pipe; the harness adds Seq, Path and Attempt's number.
// Exactly the payload that the type names is set.
type Event struct {
	// Seq counts the run's events from 1 without gaps.
	Seq int64 `json:"seq"`
	// Time is when it happened, in UTC.
	Time time.Time `json:"time"`
	// Type names the payload.
	Type EventType `json:"type"`
	// Path is the program that it is about, "" for the run.
	Path string `json:"path,omitempty"`
	// Repeat is the program's repetition, 0 where programs are not repeated.
	Repeat int `json:"repeat,omitempty"`
	// AttemptNumber is the attempt that it is about, 0 for none.
	AttemptNumber int `json:"attempt_number,omitempty"`

	// Run is the payload of run_started and run_finished.
	Run *Run `json:"run,omitempty"`
	// Environment is the payload of environment.
	Environment *Environment `json:"environment,omitempty"`
	// Program is the payload of program_started and program_finished.
	Program *Program `json:"program,omitempty"`
	// Attempt is the payload of attempt_started and attempt_finished.
	Attempt *Attempt `json:"attempt,omitempty"`
	// Step is the payload of step_started and step_finished.
	Step *Step `json:"step,omitempty"`
	// Warning is the payload of warning.
	Warning *Warning `json:"warning,omitempty"`
	// Artifact is the payload of artifact.
	Artifact *Artifact `json:"artifact,omitempty"`
	// Action is the payload of action.
	Action *AuditEntry `json:"action,omitempty"`
}
