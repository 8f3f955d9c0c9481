package schedule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Entry is one schedule of the store.
type Entry struct {
	// ID is a short random name that never changes, Name what people call it.
	ID, Name string
	// Task is what is run: a line that only the caller understands.
	Task string
	// Timing, Cron and Interval (seconds) are as the file has them. Timing
	// counts; the two others do where there is none.
	Timing   string
	Cron     string
	Interval float64
	// Timezone is the name of a zone ("Europe/Berlin"), "" for the machine's.
	Timezone string
	Enabled  bool
	// CreatedAt and LastRun are when it was added, and when its last run began;
	// zero for unknown and never.
	CreatedAt, LastRun time.Time
	// LastStatus is what came of that: StatusOK, StatusRunning or a sentence; ""
	// for never run.
	LastStatus string

	// fields are all members of the object in their order, known or not.
	fields []field
	// line and column are where the object begins in the file, from 1.
	line, column int
}

// Words that LastStatus can be; everything else is a sentence for people.
const (
	StatusOK      = "ok"
	StatusRunning = "running"
)

// field is one member of an entry's object.
type field struct {
	name  string
	value jsontext.Value
}

// When is when the entry is due: by its timing, or where it has none by cron or
// interval. Stores are about whose cron says Sunday for Monday.
func (e *Entry) When() (Timing, error) {
	switch {
	case e.Timing != "":
		return ParseTiming(e.Timing)
	case e.Cron != "":
		return ParseTiming(e.Cron)
	case e.Interval > 0:
		return ParseTiming(fmt.Sprintf("%.0f", e.Interval))
	}
	return ParseTiming("")
}

// Zone is the zone of the entry's times.
func (e *Entry) Zone() (*time.Location, error) { return LoadZone(e.Timezone) }

// LoadZone gives a zone by its name; "" is the machine's.
func LoadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("the time zone %q is unknown: write a name such as Europe/Berlin", name)
	}
	return zone, nil
}

// read takes the known fields from the object; the error names the field.
func (e *Entry) read() error {
	e.Enabled = true
	for _, f := range e.fields {
		if f.value.Kind() == jsontext.KindNull {
			continue
		}
		var err error
		switch f.name {
		case "id":
			err = json.Unmarshal(f.value, &e.ID)
		case "name":
			err = json.Unmarshal(f.value, &e.Name)
		case "task":
			err = json.Unmarshal(f.value, &e.Task)
		case "timing":
			err = json.Unmarshal(f.value, &e.Timing)
		case "cron":
			err = json.Unmarshal(f.value, &e.Cron)
		case "interval_seconds":
			err = json.Unmarshal(f.value, &e.Interval)
		case "timezone":
			err = json.Unmarshal(f.value, &e.Timezone)
		case "enabled":
			err = json.Unmarshal(f.value, &e.Enabled)
		case "created_at":
			e.CreatedAt, err = readTime(f.value)
		case "last_run":
			e.LastRun, err = readTime(f.value)
		case "last_status":
			err = json.Unmarshal(f.value, &e.LastStatus)
		}
		if err != nil {
			return fmt.Errorf("%s has a value of the wrong type: %s", f.name, short(f.value))
		}
	}
	if e.Name == "" {
		return fmt.Errorf("a schedule needs a name")
	}
	return nil
}

func short(value []byte) string {
	const most = 40
	if len(value) > most {
		return string(bytes.ToValidUTF8(value[:most], nil)) + "…"
	}
	return string(value)
}

// readTime reads Unix seconds, or a text in RFC 3339.
func readTime(value jsontext.Value) (time.Time, error) {
	if value.Kind() == jsontext.KindString {
		var t time.Time
		err := json.Unmarshal(value, &t)
		return t, err
	}
	var seconds float64
	if err := json.Unmarshal(value, &seconds); err != nil || math.Abs(seconds) > 1e11 {
		return time.Time{}, fmt.Errorf("%s is no time", value)
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)), nil
}

// set writes one known field, at its place or at the end.
func (e *Entry) set(name string, v any) error {
	if t, isTime := v.(time.Time); isTime {
		v = float64(t.UnixMilli()) / 1000
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	value := jsontext.Value(bytes.TrimSpace(text.Bytes()))
	for i := range e.fields {
		if e.fields[i].name == name {
			e.fields[i].value = value
			return nil
		}
	}
	e.fields = append(e.fields, field{name, value})
	return nil
}

// Disagrees says that the cron of the file is not what its timing says, "" where
// it is.
func (e *Entry) Disagrees() string {
	when, err := e.When()
	if err != nil || e.Timing == "" || e.Cron == "" {
		return ""
	}
	if cron, err := ParseTiming(e.Cron); err == nil && cron.Cron == when.Cron {
		return ""
	}
	return fmt.Sprintf("its timing is %q, its cron %q says something else: the timing counts", e.Timing, e.Cron)
}
