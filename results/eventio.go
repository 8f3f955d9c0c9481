package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// MaxEventBytes is the longest line of an event stream. A program file may
// have 8 MiB, and a failure carries its steps and its procedure.
const MaxEventBytes = 32 << 20

// ErrEventTooLong is the error of an event that was not written since it has
// more than MaxEventBytes.
var ErrEventTooLong = errors.New("is longer than a line can be")

// EventWriter writes events as NDJSON and numbers them. Each event is one
// write, so that a reader never sees half a line unless the writer's process
// or its disk died. It is for one goroutine.
type EventWriter struct {
	w   io.Writer
	buf bytes.Buffer
	seq int64
	err error
}

// eventOptions are encoding/json's rules. That package itself would have the
// text of an event in memory twice, and one that names all programs is large.
var eventOptions = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// NewEventWriter makes a writer whose first event has Seq 1.
func NewEventWriter(w io.Writer) *EventWriter { return &EventWriter{w: w} }

// Write sets ev.Seq, and ev.Time where it is zero, and writes the event. After
// a failed write nothing more is written, since it would follow half a line;
// every further call returns the same error, with Seq counting on.
func (ew *EventWriter) Write(ev *Event) error {
	ew.seq++
	ev.Seq = ew.seq
	if ev.Time.IsZero() {
		ev.Time = time.Now()
	}
	ev.Time = ev.Time.UTC().Round(0)
	if ew.err != nil {
		return ew.err
	}
	ew.buf.Reset()
	if err := jsonv2.MarshalWrite(&ew.buf, ev, eventOptions); err != nil {
		ew.err = fmt.Errorf("encode event %d (%s): %w", ev.Seq, ev.Type, err)
		return ew.err
	}
	ew.buf.WriteByte('\n')
	if ew.buf.Len() > MaxEventBytes {
		ew.err = fmt.Errorf("event %d (%s) %w: %d bytes, %d are allowed",
			ev.Seq, ev.Type, ErrEventTooLong, ew.buf.Len(), MaxEventBytes)
		return ew.err
	}
	if _, err := ew.w.Write(ew.buf.Bytes()); err != nil {
		ew.err = fmt.Errorf("write event %d (%s): %w", ev.Seq, ev.Type, err)
	}
	return ew.err
}

// WriteEvent writes an event that has its number and its time as an EventWriter
// does, but piece by piece: the text of one that names all programs of a large
// run is not in memory. Where it cannot be encoded or is too long
// (ErrEventTooLong), nothing is written.
func WriteEvent(w io.Writer, ev Event) error {
	ev.Time = ev.Time.UTC().Round(0)
	size := lineSize(len("\n"))
	if err := jsonv2.MarshalWrite(&size, &ev, eventOptions); err != nil {
		return fmt.Errorf("event %d (%s): %w", ev.Seq, ev.Type, err)
	}
	err := jsonv2.MarshalWrite(w, &ev, eventOptions)
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	if err != nil {
		return fmt.Errorf("write event %d (%s): %w", ev.Seq, ev.Type, err)
	}
	return nil
}

// lineSize counts the bytes of a line, and refuses more than it may have.
type lineSize int

func (s *lineSize) Write(p []byte) (int, error) {
	*s += lineSize(len(p))
	if *s > MaxEventBytes {
		return 0, ErrEventTooLong
	}
	return len(p), nil
}

// ErrTorn is the error of a last line that has no end and is no event: the
// writer died while it wrote.
var ErrTorn = errors.New("the last line is torn")

// EventReader reads events from NDJSON.
type EventReader struct {
	r    *bufio.Reader
	name string
	line int
	buf  []byte
}

// NewEventReader makes a reader; name stands before the line in its errors.
func NewEventReader(r io.Reader, name string) *EventReader {
	return &EventReader{r: bufio.NewReaderSize(r, 64<<10), name: name}
}

// Next reads one event. At the end it returns io.EOF; at a torn last line an
// error that is ErrTorn. Errors say the line ("events.ndjson:12: …"). Empty
// lines are passed over.
func (er *EventReader) Next() (Event, error) {
	for {
		line, ended, err := er.readLine()
		if err != nil {
			return Event{}, err
		}
		text := bytes.TrimSpace(line)
		if len(text) == 0 {
			if ended {
				continue
			}
			return Event{}, io.EOF
		}
		var ev Event
		if err := json.Unmarshal(text, &ev); err != nil {
			if !ended {
				err = ErrTorn
			}
			return Event{}, er.locate(err)
		}
		if ev.Type == "" {
			return Event{}, er.locate(errors.New("the event has no type"))
		}
		return ev, nil
	}
}

// readLine reads up to and with the next line feed; ended is false where the
// stream ended first. The line is valid until the next call.
func (er *EventReader) readLine() (line []byte, ended bool, err error) {
	er.buf = er.buf[:0]
	er.line++
	for {
		part, err := er.r.ReadSlice('\n')
		if len(er.buf)+len(part) > MaxEventBytes {
			return nil, false, er.locate(fmt.Errorf("the line is longer than %d bytes", MaxEventBytes))
		}
		er.buf = append(er.buf, part...)
		switch {
		case err == nil:
			return er.buf, true, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return er.buf, false, nil
		default:
			return nil, false, er.locate(err)
		}
	}
}

// locate puts name and line before an error.
func (er *EventReader) locate(err error) error {
	return fmt.Errorf("%s:%d: %w", er.name, er.line, err)
}
