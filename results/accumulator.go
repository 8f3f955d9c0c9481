package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Accumulator turns the events of one run into its results. It is for one
// goroutine.
//
// It accepts only events that can follow each other, so that no verdict rests
// on a stream with a hole in it, and no status that is better than what it is
// made of. An event that is refused changes nothing.
type Accumulator struct {
	run      Run
	started  bool
	finished bool
	lastSeq  int64
	lastTime time.Time
	programs []*programState
	byKey    map[key]*programState
}

// key is the identity of a program in a run.
type key struct {
	path   string
	repeat int
}

// key is the identity of the program that the event is about.
func (ev *Event) key() key { return key{ev.Path, ev.Repeat} }

// String is the key for people.
func (k key) String() string {
	if k.repeat == 0 {
		return k.path
	}
	return fmt.Sprintf("%s (repeat %d)", k.path, k.repeat)
}

// programState is a program while its events arrive.
type programState struct {
	result    Program
	started   bool
	finished  bool
	startedAt time.Time
	lastTime  time.Time
	attempts  []*attemptState
}

// attemptState is an attempt while its events arrive.
type attemptState struct {
	result   Attempt
	finished bool
	lastTime time.Time
	// steps are in the order of their index.
	steps []stepState
}

// stepState is a step while its events arrive.
type stepState struct {
	result   Step
	running  bool
	finished bool
}

// NewAccumulator makes an accumulator that waits for run_started.
func NewAccumulator() *Accumulator {
	return &Accumulator{byKey: map[key]*programState{}}
}

// Apply takes the next event. The error says why it cannot be.
func (a *Accumulator) Apply(ev Event) error {
	err := a.check(ev)
	if err == nil {
		err = a.dispatch(ev)
	}
	if err != nil {
		return fmt.Errorf("event %d (%s): %w", ev.Seq, ev.Type, err)
	}
	if ev.Seq > 0 {
		a.lastSeq = ev.Seq
	}
	if ev.Time.After(a.lastTime) {
		a.lastTime = ev.Time
	}
	return nil
}

// check refuses events that cannot stand where they stand. Events that nobody
// has numbered (Seq 0) are taken as they come.
func (a *Accumulator) check(ev Event) error {
	switch {
	case ev.Seq != 0 && ev.Seq != a.lastSeq+1:
		return fmt.Errorf("seq is %d after %d: events are missing or doubled", ev.Seq, a.lastSeq)
	case a.finished:
		return errors.New("the run has finished already")
	case a.started && ev.Type == EventRunStarted:
		return errors.New("the run has started already")
	case !a.started && ev.Type != EventRunStarted:
		return errors.New("the run has not started")
	default:
		return nil
	}
}

func (a *Accumulator) dispatch(ev Event) error {
	switch ev.Type {
	case EventRunStarted:
		return a.runStarted(ev)
	case EventRunFinished:
		return a.runFinished(ev)
	case EventEnvironment:
		return a.environment(ev)
	case EventProgramStarted:
		return a.programStarted(ev)
	case EventWarning:
		return a.warning(ev)
	}
	p := a.byKey[ev.key()]
	if p == nil || !p.started || p.finished {
		return fmt.Errorf("program %q is not under way", ev.key())
	}
	var err error
	switch ev.Type {
	case EventProgramFinished:
		err = p.finish(ev)
	case EventAttemptStarted:
		err = p.attemptStarted(ev)
	case EventStepStarted, EventStepFinished, EventArtifact, EventAttemptFinished:
		var at *attemptState
		if at, err = p.attempt(ev.AttemptNumber); err == nil {
			err = at.apply(ev)
		}
	default:
		err = errors.New("unknown type of event")
	}
	if err != nil {
		return fmt.Errorf("program %s: %w", ev.key(), err)
	}
	p.lastTime = ev.Time
	return nil
}

var errNoPayload = errors.New("the event lacks its payload")

func (a *Accumulator) runStarted(ev Event) error {
	if ev.Run == nil {
		return errNoPayload
	}
	if v := ev.Run.SchemaVersion; v != 0 && v != SchemaVersion {
		return fmt.Errorf("schema version %d is not supported (this build knows %d)", v, SchemaVersion)
	}
	byKey := map[key]*programState{}
	var programs []*programState
	for _, p := range ev.Run.Programs {
		k := key{p.Path, p.Repeat}
		if p.Path == "" || byKey[k] != nil {
			return fmt.Errorf("the plan names program %q twice, or without a path", k)
		}
		p.Status, p.Attempts = "", nil
		st := &programState{result: p}
		byKey[k] = st
		programs = append(programs, st)
	}
	a.run = *ev.Run
	a.run.Programs = nil
	a.run.Notes = slices.Clone(ev.Run.Notes)
	a.run.SchemaVersion = SchemaVersion
	if a.run.StartedAt.IsZero() {
		a.run.StartedAt = ev.Time
	}
	a.programs, a.byKey = programs, byKey
	a.started = true
	return nil
}

// environment takes what was not known of the environment at the beginning.
func (a *Accumulator) environment(ev Event) error {
	if ev.Environment == nil {
		return errNoPayload
	}
	a.run.Environment = *ev.Environment
	return nil
}

func (a *Accumulator) runFinished(ev Event) error {
	if ev.Run == nil {
		return errNoPayload
	}
	a.finished = true
	a.run.Interrupted = ev.Run.Interrupted
	a.run.ExitCode = ev.Run.ExitCode
	a.run.News = ev.Run.News
	a.run.DurationMS = ev.Run.DurationMS
	if a.run.DurationMS == 0 {
		a.run.DurationMS = millisBetween(a.run.StartedAt, ev.Time)
	}
	for _, note := range ev.Run.Notes {
		if !slices.Contains(a.run.Notes, note) {
			a.run.Notes = append(a.run.Notes, note)
		}
	}
	return nil
}

func (a *Accumulator) programStarted(ev Event) error {
	if ev.Program == nil {
		return errNoPayload
	}
	path, k := ev.Path, ev.key()
	if path == "" || ev.Program.Path != "" && ev.Program.Path != path {
		return fmt.Errorf("the event is about program %q, its payload about %q", path, ev.Program.Path)
	}
	p := a.byKey[k]
	if p == nil {
		p = &programState{}
		a.byKey[k] = p
		a.programs = append(a.programs, p)
	}
	if p.started {
		return fmt.Errorf("program %s has started already", k)
	}
	planned := p.result
	p.result = *ev.Program
	p.result.Path, p.result.Repeat = path, ev.Repeat
	p.result.Status, p.result.Attempts = "", nil
	p.result.File = cmp.Or(p.result.File, planned.File, path)
	p.result.Name = cmp.Or(p.result.Name, planned.Name)
	p.result.Description = cmp.Or(p.result.Description, planned.Description)
	if p.result.Quarantine == nil {
		p.result.Quarantine = planned.Quarantine
	}
	if len(p.result.Tags) == 0 {
		p.result.Tags = planned.Tags
	}
	if len(p.result.Problems) == 0 {
		p.result.Problems = planned.Problems
	}
	p.result.Warnings = slices.Concat(planned.Warnings, p.result.Warnings)
	p.started = true
	p.startedAt, p.lastTime = ev.Time, ev.Time
	return nil
}

// warning takes a warning at any time after the program's start, also after
// its end; without a path it is a note on the run.
func (a *Accumulator) warning(ev Event) error {
	if ev.Warning == nil {
		return errNoPayload
	}
	if ev.Path == "" {
		a.run.Notes = append(a.run.Notes, ev.Warning.Message)
		return nil
	}
	p := a.byKey[ev.key()]
	if p == nil {
		return fmt.Errorf("program %q is not known", ev.key())
	}
	p.warn(*ev.Warning)
	return nil
}

// warn adds a warning once.
func (p *programState) warn(w Warning) {
	if !slices.Contains(p.result.Warnings, w) {
		p.result.Warnings = append(p.result.Warnings, w)
	}
}

// Rebuild makes results from a stream of events that may end anywhere, as it
// does when the harness is killed. A torn last line counts as the end. What
// was unfinished is skipped, the run interrupted. An error means that the
// stream has no beginning or is damaged elsewhere than at its end; the results
// up to that place come with it, nil where there are none.
func Rebuild(r io.Reader) (*Run, error) {
	reader := NewEventReader(r, "events.ndjson")
	acc := NewAccumulator()
	for {
		ev, err := reader.Next()
		if err == nil {
			err = acc.Apply(ev)
			if err != nil {
				err = reader.locate(err)
			}
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF), errors.Is(err, ErrTorn):
			if !acc.started {
				return nil, errors.New("events.ndjson holds no run: it ends before its first event")
			}
			return acc.Run(), nil
		case !acc.started:
			return nil, err
		default:
			return acc.Run(), err
		}
	}
}

// millisBetween is the time between two moments in milliseconds, 0 where one
// is unknown or they are in the wrong order.
func millisBetween(from, to time.Time) int64 {
	if from.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from).Milliseconds()
}
