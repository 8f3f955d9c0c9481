// Package ndjson writes the events of a run as they come, one JSON object in a
// line: the same lines as events.ndjson in the run's folder.
package ndjson

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/opendesk/opendesk/results"
)

// Reporter writes events while a run goes on, or those of a run that is over.
type Reporter struct {
	open   func() (io.WriteCloser, error)
	events string
	file   io.WriteCloser
	w      *results.EventWriter
	err    error
}

// New makes a reporter. It opens what it writes to when it first writes. Where
// it is told of no event, it copies those of the file called events, "" for
// none.
func New(open func() (io.WriteCloser, error), events string) *Reporter {
	return &Reporter{open: open, events: events}
}

// Event writes the event at once.
func (r *Reporter) Event(ev results.Event) {
	if r.w == nil && r.err == nil {
		if r.file, r.err = r.open(); r.err == nil {
			r.w = results.NewEventWriter(r.file)
		}
	}
	if r.err == nil {
		r.err = r.w.Write(&ev)
	}
}

// Finish ends the file. The error is the first that kept an event from being
// written.
func (r *Reporter) Finish(*results.Run) error {
	if r.w == nil && r.err == nil {
		r.copy()
	}
	if r.file == nil {
		return r.err
	}
	return errors.Join(r.err, r.file.Close())
}

// errNoEvents is the error of a run whose events are not there.
func errNoEvents(file string) error {
	return fmt.Errorf("the run's events are not there (%s), and its results alone hold none: keep the run's whole folder", file)
}

// copy copies the events of a run that is over; a torn last line is left out.
func (r *Reporter) copy() {
	if r.events == "" {
		r.err = errNoEvents("events.ndjson")
		return
	}
	f, err := os.Open(r.events)
	if errors.Is(err, fs.ErrNotExist) {
		r.err = errNoEvents(r.events)
		return
	}
	if err != nil {
		r.err = err
		return
	}
	defer f.Close() //nolint:errcheck // read only
	for reader := results.NewEventReader(f, "events.ndjson"); r.err == nil; {
		ev, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, results.ErrTorn):
			return
		case err != nil:
			r.err = err
		default:
			r.Event(ev)
		}
	}
}
