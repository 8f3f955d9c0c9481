package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/trajectory"
)

// trajectorySource says of a program that it was made out of a recording.
const trajectorySource = "trajectory"

// ErrNothingRecorded says that a recording holds no action that can be done
// again.
var ErrNothingRecorded = errors.New("the recording holds nothing that can be done again")

// NoRecordingError says that a task has no recording.
type NoRecordingError struct{ File string }

func (e *NoRecordingError) Error() string { return "there is no recording " + e.File }

// CompileTrajectory writes a program for the task out of its recording, and a
// basic procedure where it has none. title is the task's name where the recording
// does not say it. The same recording always makes the same bytes. The errors are
// those of Compile, *NoRecordingError, and ErrNothingRecorded.
func CompileTrajectory(ctx context.Context, t Task, title, description string, overwrite bool, by Author) (*Saved, error) {
	r, err := retraceTask(t)
	if err != nil {
		return nil, err
	}
	h := program.Header{Name: cmp.Or(r.title, title), Source: trajectorySource, Description: description}
	return save(ctx, t, h, r.steps, r.notes, overwrite, by)
}

// Retrace gives the program that the task's recording compiles to and writes
// nothing. The errors are those of CompileTrajectory.
func Retrace(t Task) (*program.Composed, error) {
	r, err := retraceTask(t)
	if err != nil {
		return nil, err
	}
	return compose(t.ProgramFile(), program.Header{Name: r.title, Source: trajectorySource}, r.steps)
}

// retracing is what comes of a recording.
type retracing struct {
	title string // of the task, "" where the recording does not say it
	steps []draft
	notes []string
}

func retraceTask(t Task) (*retracing, error) {
	recording, notes, err := readTrajectory(t.TrajectoryFile())
	if err != nil {
		return nil, err
	}
	steps, more := retraceSteps(recording)
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s: %w", t.TrajectoryFile(), ErrNothingRecorded)
	}
	return &retracing{recording.TaskName, steps, slices.Concat(notes, recording.Notes, more)}, nil
}

func readTrajectory(file string) (*trajectory.Recording, []string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &NoRecordingError{file}
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // nothing is written through it
	r, notes, err := trajectory.Read(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, notes, nil
}

// retracer makes steps out of events, one after the other.
type retracer struct {
	events []trajectory.Event
	// started is when the recording began, in Unix seconds.
	started float64
	steps   []retraced
	// left are notes on what makes no step.
	left []string
	// front is the application that is in front after the steps so far, opened
	// are those that the steps have opened.
	front  string
	opened map[string]bool
	// shown are the texts that each application was seen to show so far.
	shown map[string]texts
}

// retraced is a step with the event that it was made of.
type retraced struct {
	draft
	// event is its place among the events, -1 for a step that brings an
	// application to the front.
	event   int
	remarks []string
}

// remark notes what needs a look, in the step and for whoever compiles.
func (s *retraced) remark(text string) { s.remarks = append(s.remarks, text) }

// retraceSteps makes the steps of a program out of a recording, with notes on
// what needs a look.
func retraceSteps(r *trajectory.Recording) ([]draft, []string) {
	c := retracer{events: tidy(r.Events), started: r.StartedAt, opened: map[string]bool{}, shown: map[string]texts{}}
	if c.started == 0 && len(c.events) > 0 {
		c.started = c.events[0].Timestamp
	}
	for i := range c.events {
		c.add(i)
	}
	c.pause()
	drafts := make([]draft, 0, len(c.steps))
	notes := c.left
	for i, s := range c.steps {
		for _, remark := range s.remarks {
			notes = append(notes, fmt.Sprintf("s%d: %s", i+1, remark))
			s.Note = join(s.Note, remark)
		}
		drafts = append(drafts, s.draft)
	}
	return drafts, notes
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// add makes the steps of one event.
func (c *retracer) add(i int) {
	e := c.events[i]
	app := c.appOf(e)
	if c.shown[app] == nil {
		c.shown[app] = texts{}
	}
	c.shown[app].add(textsBefore(e)...)
	defer func() { c.shown[app].add(textsAfter(e)...) }()
	if c.switches(i, app) {
		return // what it switched to is brought to the front by a step of its own
	}
	made := c.make(i, app)
	if len(made) == 0 {
		return
	}
	c.bringToFront(app)
	for j := range made {
		made[j].event = i
		if err := made[j].fault(); err != nil {
			c.leave(i, "it makes no valid step: "+err.Error())
			return
		}
	}
	if path := made[0].Params["path"]; path != nil || made[0].Params["menu"] != nil {
		c.dropOpening(i, app)
	}
	made[len(made)-1].Postcondition = c.proof(i, app)
	c.steps = append(c.steps, made...)
	if next := c.broughtToFront(e, app); next != "" {
		c.front, c.opened[next] = next, true
	}
}

// appOf is the application that the event was done to, "" where nothing says.
func (c *retracer) appOf(e trajectory.Event) string {
	switch {
	case e.Context != nil && e.Context.App != "":
		return e.Context.App
	case e.Before != nil && e.Before.App != "":
		return e.Before.App
	}
	return c.front
}

// bringToFront adds the step that brings the application to the front, if it is
// not there: opening it the first time, which does for one that runs as well.
func (c *retracer) bringToFront(app string) {
	if app == "" || app == c.front {
		return
	}
	action := "focus"
	if !c.opened[app] {
		action = "open"
	}
	s := retraced{event: -1, draft: draft{
		Tool: "app", Params: map[string]any{"action": action, "name": app}, Target: &draftTarget{App: app},
		Postcondition: condition(program.AppFrontmost, app),
	}}
	if err := s.fault(); err != nil {
		c.left = append(c.left, fmt.Sprintf("'%s' cannot be brought to the front by a step: %v", app, err))
		return
	}
	c.steps = append(c.steps, s)
	c.front, c.opened[app] = app, true
}

func condition(kind program.Kind, value any) map[string]any {
	return map[string]any{"kind": string(kind), "value": value}
}
