// Package resultstest has canned runs for tests: event streams with a fixed
// clock, from which results are made as in earnest.
package resultstest

import (
	"fmt"
	"time"

	"github.com/opendesk/opendesk/results"
)

// Start is when every canned run begins.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)

// Stream builds the events of a run. Its clock moves only where it is told to.
type Stream struct {
	Events []results.Event

	now     time.Time
	path    string
	repeat  int
	attempt int
}

// NewStream begins a run with the planned programs.
func NewStream(programs ...results.Program) *Stream { return NewStreamAt(Start, programs...) }

// NewStreamAt begins it at that moment.
func NewStreamAt(start time.Time, programs ...results.Program) *Stream {
	s := &Stream{now: start}
	s.add(results.Event{Type: results.EventRunStarted, Run: &results.Run{
		SchemaVersion: results.SchemaVersion,
		ID:            "20260102T030405Z-0001",
		Suite:         "learn-regression",
		Project:       "/home/ann/office",
		Tool:          results.Tool{Name: "opendesk", Version: "0.1.0", Commit: "abc1234"},
		Environment: results.Environment{
			OS: "linux", Arch: "amd64", Hostname: "desk", UID: 1000,
			Display: "virtual", Geometry: "1280x800x24", Isolation: "bwrap",
			Locale: "C.UTF-8", Timezone: "UTC", TimeoutScale: 1,
		},
		StartedAt: start,
		Programs:  programs,
	}})
	return s
}

// Program is a planned program of the given short name.
func Program(name string) results.Program {
	path := ".opendesk/learned/" + name + ".program.json"
	return results.Program{Path: path, File: "office/" + path, Name: name}
}

// Sleep moves the clock.
func (s *Stream) Sleep(d time.Duration) *Stream {
	s.now = s.now.Add(d)
	return s
}

// Begin starts a program.
func (s *Stream) Begin(p results.Program) *Stream {
	s.path, s.repeat, s.attempt = p.Path, p.Repeat, 0
	return s.add(results.Event{Type: results.EventProgramStarted, Path: s.path, Program: &p})
}

// Attempt starts the next attempt of the program with these planned steps.
func (s *Stream) Attempt(steps ...results.Step) *Stream {
	s.attempt++
	planned := make([]results.Step, len(steps))
	for i, st := range steps {
		planned[i] = plannedStep(st)
	}
	return s.add(results.Event{
		Type: results.EventAttemptStarted, Path: s.path, AttemptNumber: s.attempt,
		Attempt: &results.Attempt{
			Number:    s.attempt,
			StartedAt: s.now,
			Session:   &results.Session{Display: ":7", Geometry: "1280x800x24", Isolation: "bwrap", UID: 1000, StartMS: 310},
			Steps:     planned,
		},
	})
}

// plannedStep is what is known of a step before it ran.
func plannedStep(st results.Step) results.Step {
	out := results.Step{
		ID: st.ID, Index: st.Index, Line: st.Line, Column: st.Column,
		Tool: st.Tool, Action: st.Action, Summary: st.Summary, Status: results.StepBlocked,
	}
	if pc := st.Postcondition; pc != nil {
		out.Postcondition = &results.PostconditionResult{Kind: pc.Kind, Value: pc.Value, TimeoutMS: pc.TimeoutMS}
	}
	return out
}

// StartStep starts a step that the stream does not finish.
func (s *Stream) StartStep(st results.Step) *Stream {
	planned := plannedStep(st)
	return s.add(results.Event{
		Type: results.EventStepStarted, Path: s.path, AttemptNumber: s.attempt, Step: &planned,
	})
}

// Steps starts and finishes each of the steps; blocked ones only finish.
func (s *Stream) Steps(steps ...results.Step) *Stream {
	for _, st := range steps {
		if st.Status != results.StepBlocked {
			s.StartStep(st)
			st.StartedAt = s.now
			s.Sleep(time.Duration(st.Timing.TotalMS) * time.Millisecond)
		}
		s.add(results.Event{
			Type: results.EventStepFinished, Path: s.path, AttemptNumber: s.attempt, Step: &st,
		})
	}
	return s
}

// Warn adds a warning.
func (s *Stream) Warn(kind results.WarningKind, step, message string) *Stream {
	return s.add(results.Event{Type: results.EventWarning, Path: s.path, AttemptNumber: s.attempt,
		Warning: &results.Warning{Kind: kind, Step: step, Message: message}})
}

// Artifact adds a file of the attempt.
func (s *Stream) Artifact(kind, name string) *Stream {
	a := artifact(kind, name)
	return s.add(results.Event{Type: results.EventArtifact, Path: s.path, AttemptNumber: s.attempt, Artifact: &a})
}

// EndAttempt finishes the attempt.
func (s *Stream) EndAttempt(status results.Status, reason string, fault *results.Failure) *Stream {
	return s.add(results.Event{
		Type: results.EventAttemptFinished, Path: s.path, AttemptNumber: s.attempt,
		Attempt: &results.Attempt{Number: s.attempt, Status: status, Reason: reason, Fault: fault},
	})
}

// End finishes the program.
func (s *Stream) End(status results.Status, reason string) *Stream {
	return s.add(results.Event{
		Type: results.EventProgramFinished, Path: s.path,
		Program: &results.Program{Path: s.path, Status: status, Reason: reason},
	})
}

// Finish ends the run as the harness does.
func (s *Stream) Finish(interrupted bool) *Stream {
	acc := s.accumulate()
	return s.add(results.Event{Type: results.EventRunFinished, Run: acc.Closing(interrupted, false)})
}

// Run is the results of the events so far.
func (s *Stream) Run() *results.Run { return s.accumulate().Run() }

func (s *Stream) accumulate() *results.Accumulator {
	acc := results.NewAccumulator()
	for _, ev := range s.Events {
		if err := acc.Apply(ev); err != nil {
			panic(fmt.Sprintf("resultstest: %v", err))
		}
	}
	return acc
}

func (s *Stream) add(ev results.Event) *Stream {
	ev.Time = s.now
	if ev.Path != "" {
		ev.Repeat = s.repeat
	}
	return s.Add(ev)
}

// Add adds an event of another stream, with its time and its program.
func (s *Stream) Add(ev results.Event) *Stream {
	ev.Seq = int64(len(s.Events) + 1)
	s.now = ev.Time
	s.Events = append(s.Events, ev)
	return s
}
