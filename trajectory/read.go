package trajectory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxBytes is the largest recording that is read: those of the Python opendesk
// may hold screenshots.
const MaxBytes = 256 << 20

// ErrNoRecording says that a text is no recording.
var ErrNoRecording = errors.New("is no recording: it is neither a list of events nor an object with one")

// Read reads a recording: an object with events, or nothing but their list. It
// is tolerant of what others wrote: unknown fields are left out, numbers may be
// texts and fractions, and an event that is none is left out, which a note says.
// What breaks off is read up to there, and a note says so.
func Read(r io.Reader) (*Recording, []string, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > MaxBytes {
		return nil, nil, fmt.Errorf("the recording has more than %d MiB", MaxBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	d := &reader{json: jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	switch d.json.PeekKind() {
	case jsontext.KindBeginArray:
		d.found = true
		err = d.events()
	case jsontext.KindBeginObject:
		err = d.object()
	default:
		return nil, nil, ErrNoRecording
	}
	if err != nil && d.found {
		d.notef("the recording breaks off after %d events: %v", len(d.recording.Events), err)
	} else if err != nil {
		return nil, nil, fmt.Errorf("the recording cannot be read: %w", err)
	}
	if !d.found {
		return nil, nil, ErrNoRecording
	}
	return &d.recording, d.notes, nil
}

// reader reads one recording.
type reader struct {
	json      *jsontext.Decoder
	recording Recording
	notes     []string
	// found says that there is a list of events; number counts what is in it.
	found  bool
	number int
}

func (d *reader) notef(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// object reads the object around the events.
func (d *reader) object() error {
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	for d.json.PeekKind() != jsontext.KindEndObject {
		name, err := d.json.ReadToken()
		if err != nil {
			return err
		}
		if field := name.String(); field == "events" && d.json.PeekKind() == jsontext.KindBeginArray {
			d.found = true
			if err := d.events(); err != nil {
				return err
			}
			continue
		} else if err := d.field(field); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// field reads a member that is not the list of events.
func (d *reader) field(name string) error {
	v, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	switch name {
	case "task_name":
		d.recording.TaskName = text(v)
	case "started_at":
		d.recording.StartedAt = number(v)
	case "stopped_at":
		d.recording.StoppedAt = number(v)
	case "notes":
		d.recording.Notes = texts(v)
	case "start":
		d.recording.Start = members(v).scene()
	}
	return nil
}

// events reads the list.
func (d *reader) events() error {
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	for d.json.PeekKind() != jsontext.KindEndArray {
		v, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		d.number++
		e, ok := event(v)
		if !ok {
			d.notef("item %d of the recording is no event, and left out", d.number)
			continue
		}
		d.recording.Events = append(d.recording.Events, e)
	}
	_, err := d.json.ReadToken()
	return err
}

// event reads one event; ok is false for what has no action.
func event(v jsontext.Value) (e Event, ok bool) {
	o := members(v)
	e = Event{
		Timestamp: number(o["timestamp"]), EndedAt: number(o["ended_at"]), Action: Action(text(o["action_type"])),
		X: pixel(o["x"]), Y: pixel(o["y"]), EndX: pixel(o["end_x"]), EndY: pixel(o["end_y"]),
		Button: text(o["button"]), Text: text(o["text"]), Password: truth(o["password"]), Key: text(o["key"]),
		Modifiers: texts(o["modifiers"]), ScrollDX: whole(o["scroll_dx"]), ScrollDY: whole(o["scroll_dy"]),
		Late: truth(o["late"]), Before: members(o["before"]).scene(),
	}
	if c := members(o["accessibility_context"]); c != nil {
		context := c.context()
		e.Context = &context
	}
	if a := members(o["after"]); a != nil {
		e.After = &Change{
			Front: members(a["front"]).scene(), FrontAfter: number(a["front_after"]), Started: text(a["started"]),
			Windows: contexts(a["windows"]), Appeared: contexts(a["appeared"]),
		}
		if v, has := a["value"]; has && v.Kind() != jsontext.KindNull {
			value := text(v)
			e.After.Value = &value
		}
	}
	return e, e.Action != ""
}

// object is an object's members; the last one of a name counts. nil is what is
// no object.
type object map[string]jsontext.Value

func members(v jsontext.Value) object {
	if len(v) == 0 || v.Kind() != jsontext.KindBeginObject {
		return nil
	}
	d := decoder(v)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	o := object{}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadToken()
		if err != nil {
			return o
		}
		field := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return o
		}
		o[field] = value.Clone()
	}
	return o
}

func decoder(v jsontext.Value) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func (o object) scene() *Scene {
	if o == nil {
		return nil
	}
	return &Scene{App: text(o["app"]), Window: text(o["window"])}
}

func (o object) context() Context {
	return Context{
		App: text(o["app"]), Window: text(o["window"]), Role: text(o["role"]), Title: text(o["title"]),
		Identifier: text(o["identifier"]), Value: text(o["value"]), Ref: text(o["ref"]), MenuPath: texts(o["menu_path"]),
		Bounds: members(o["bounds"]).bounds(),
	}
}

func (o object) bounds() *Bounds {
	if o == nil {
		return nil
	}
	return &Bounds{X: whole(o["x"]), Y: whole(o["y"]), Width: whole(o["width"]), Height: whole(o["height"])}
}

// items are the items of a list, nil for what is none.
func items(v jsontext.Value) (list []jsontext.Value) {
	if len(v) == 0 || v.Kind() != jsontext.KindBeginArray {
		return nil
	}
	d := decoder(v)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() != jsontext.KindEndArray {
		item, err := d.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, item.Clone())
	}
	return list
}

func contexts(v jsontext.Value) (list []Context) {
	for _, item := range items(v) {
		if o := members(item); o != nil {
			list = append(list, o.context())
		}
	}
	return list
}

func texts(v jsontext.Value) (list []string) {
	for _, item := range items(v) {
		list = append(list, text(item))
	}
	return list
}

// text is a value as a text, "" for null and what is not there.
func text(v jsontext.Value) string {
	if len(v) == 0 {
		return ""
	}
	switch v.Kind() {
	case jsontext.KindNull:
		return ""
	case jsontext.KindString:
		plain, err := jsontext.AppendUnquote(nil, v)
		if plain == nil && err != nil {
			return ""
		}
		return strings.ToValidUTF8(string(plain), "\uFFFD")
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}

// number is a value as a finite number, 0 for what is none.
func number(v jsontext.Value) float64 {
	n, err := strconv.ParseFloat(text(v), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return n
}

// maxPixel bounds a place and a count: screens are smaller.
const maxPixel = 1 << 20

// whole is a value as a whole number within maxPixel of 0, 0 for what is none.
func whole(v jsontext.Value) int {
	n := math.Round(number(v))
	return int(max(-maxPixel, min(maxPixel, n)))
}

// pixel is a value as a place on the screen, nil where there is none.
func pixel(v jsontext.Value) *int {
	if len(v) == 0 || v.Kind() != jsontext.KindNumber && v.Kind() != jsontext.KindString {
		return nil
	}
	n := whole(v)
	return &n
}

func truth(v jsontext.Value) bool { return len(v) > 0 && v.Kind() == jsontext.KindTrue }
