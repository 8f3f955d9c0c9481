package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// File is what a recording is written to: an empty *os.File that was opened for
// reading and writing, not for appending.
type File interface {
	io.WriterAt
	Truncate(size int64) error
}

// Create creates the file of a recording, which only its owner may read: it holds
// whatever was typed. One that is there already is replaced where overwrite is
// set; otherwise the error is an fs.ErrExist.
func Create(name string, overwrite bool) (*os.File, error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_EXCL
	if overwrite {
		flags = os.O_RDWR | os.O_CREATE | os.O_TRUNC
	}
	return os.OpenFile(name, flags, 0o600)
}

// Writer writes a recording event by event. After each call the file is whole
// JSON; a writer that is killed within one leaves a file that Read understands,
// without its last event at worst. It is not safe for concurrent use.
type Writer struct {
	file File
	// end is where the next event goes, last where the last one begins.
	end, last int64
	events    int
	err       error
}

// The end of a file to which nothing has been added since.
const tail = "\n]}\n"

// ErrClosed says that a recording is complete already.
var ErrClosed = errors.New("the recording is complete: nothing can be added")

// NewWriter begins a recording in the file: with the task's name, when it
// started, what was in front, and the events that there are already.
func NewWriter(f File, r Recording) (*Writer, error) {
	head, err := marshal(struct {
		TaskName  string  `json:"task_name"`
		StartedAt float64 `json:"started_at"`
		Start     *Scene  `json:"start,omitempty"`
	}{r.TaskName, r.StartedAt, r.Start})
	if err != nil {
		return nil, err
	}
	head = append(bytes.TrimSuffix(head, []byte("}")), `, "events": [`...)
	w := &Writer{file: f, last: int64(len(head)), end: int64(len(head))}
	if err := w.put(append(head, tail...), 0); err != nil {
		return nil, err
	}
	for _, e := range r.Events {
		if err := w.Append(e); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Append adds an event. After an error nothing more can be added.
func (w *Writer) Append(e Event) error { return w.add(e, w.end, w.events) }

// Amend puts the event in the place of the last one: what came after it is
// known later than itself. Where there is none, it is the first.
func (w *Writer) Amend(e Event) error {
	return w.add(e, w.last, max(0, w.events-1))
}

// add writes the event behind that many others.
func (w *Writer) add(e Event, at int64, before int) error {
	if w.err != nil {
		return w.err
	}
	event, err := marshal(e)
	if err != nil {
		return err
	}
	line := append([]byte("\n"), event...)
	if before > 0 {
		line = append([]byte(","), line...)
	}
	end := at + int64(len(line))
	if err := w.put(append(line, tail...), at); err != nil {
		return err
	}
	w.last, w.end, w.events = at, end, before+1
	return nil
}

// put writes the data and cuts off what is behind it.
func (w *Writer) put(data []byte, at int64) error {
	if _, err := w.file.WriteAt(data, at); err != nil {
		w.err = err
		return err
	}
	if err := w.file.Truncate(at + int64(len(data))); err != nil {
		w.err = err
		return err
	}
	return nil
}

// Close completes the recording, which stopped at that time in Unix seconds,
// with what there is to say of it. It leaves the file open.
func (w *Writer) Close(stoppedAt float64, notes ...string) error {
	if w.err != nil {
		return w.err
	}
	end, err := marshal(struct {
		StoppedAt float64  `json:"stopped_at"`
		Notes     []string `json:"notes,omitempty"`
	}{stoppedAt, notes})
	if err != nil {
		return err
	}
	end = append([]byte("\n], "), bytes.TrimPrefix(end, []byte("{"))...)
	if err := w.put(append(end, '\n'), w.end); err != nil {
		return err
	}
	w.err = ErrClosed
	return nil
}

// marshal writes JSON on one line with "<" and the like as they are.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
