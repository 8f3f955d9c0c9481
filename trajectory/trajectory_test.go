package trajectory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/trajectory"
)

func at(n int) *int { return &n }

// full is a recording in which every field says something.
func full() trajectory.Recording {
	value := "wéékly <report>"
	return trajectory.Recording{
		TaskName: "Weekly report", StartedAt: 1764500000.25, StoppedAt: 1764500009.5,
		Start: &trajectory.Scene{App: "Numbers", Window: "Report"}, Notes: []string{"the session ended"},
		Events: []trajectory.Event{
			{Timestamp: 1, EndedAt: 1.5, Action: trajectory.Drag, X: at(0), Y: at(2), EndX: at(3), EndY: at(4), Button: "left",
				Modifiers: []string{"ctrl"}, Late: true},
			{Timestamp: 2, Action: trajectory.Type, Text: "${env:P}", Password: true, Before: &trajectory.Scene{App: "Numbers"}},
			{Timestamp: 3, Action: trajectory.Scroll, ScrollDX: -1, ScrollDY: 2, Context: &trajectory.Context{
				App: "a", Window: "w", Role: "r", Title: "t", Identifier: "i", Value: "v", Ref: "x[0]", MenuPath: []string{"File", "Save"},
				Bounds: &trajectory.Bounds{X: 1, Y: 2, Width: 3, Height: 4},
			}, After: &trajectory.Change{
				Front: &trajectory.Scene{Window: "Export"}, FrontAfter: 0.25, Started: trajectory.StartedByApp, Windows: []trajectory.Context{{Role: "dialog"}},
				Value: &value, Appeared: []trajectory.Context{{Title: "done"}},
			}},
			{Timestamp: 4, Action: trajectory.Key, Key: "ctrl+s"},
		},
	}
}

// write writes the recording into a file and calls see after every step.
func write(t *testing.T, r trajectory.Recording, see func(file string, events int)) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.trajectory.json")
	f, err := trajectory.Create(file, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events := r.Events
	r.Events = nil
	w, err := trajectory.NewWriter(f, r)
	if err != nil {
		t.Fatal(err)
	}
	see(file, 0)
	for i, e := range events {
		draft := e
		draft.Text = strings.Repeat("longer than it will be ", 3)
		if err := w.Append(draft); err != nil {
			t.Fatal(err)
		}
		see(file, i+1)
		if err := w.Amend(e); err != nil {
			t.Fatal(err)
		}
		see(file, i+1)
	}
	if err := w.Close(r.StoppedAt, r.Notes...); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(events[0]); !errors.Is(err, trajectory.ErrClosed) {
		t.Errorf("added to a complete recording: %v", err)
	}
	return file
}

func read(t *testing.T, file string) (*trajectory.Recording, []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, notes, err := trajectory.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return r, notes
}

// TestWriter: the file is whole JSON after every step, and what is read is what
// was written.
func TestWriter(t *testing.T) {
	want := full()
	file := write(t, want, func(file string, events int) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) {
			t.Fatalf("no JSON after %d events:\n%s", events, data)
		}
		if r, notes := read(t, file); len(r.Events) != events || len(notes) > 0 {
			t.Fatalf("%d events after %d: %v\n%s", len(r.Events), events, notes, data)
		}
	})
	if got, notes := read(t, file); !reflect.DeepEqual(*got, want) || len(notes) > 0 {
		t.Errorf("read %+v %v, written %+v", *got, notes, want)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read what was typed: %v %v", info.Mode(), err)
	}
	if _, err := trajectory.Create(file, false); !errors.Is(err, os.ErrExist) {
		t.Errorf("a recording was replaced: %v", err)
	}
	if f, err := trajectory.Create(file, true); err != nil {
		t.Error(err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestReadTorn: wherever a file breaks off, the events before are read.
func TestReadTorn(t *testing.T) {
	want := full()
	data, err := os.ReadFile(write(t, want, func(string, int) {}))
	if err != nil {
		t.Fatal(err)
	}
	events := bytes.Index(data, []byte("[")) + 1
	for n := events; n < len(data)-2; n++ {
		r, notes, err := trajectory.Read(bytes.NewReader(data[:n]))
		if err != nil || len(notes) == 0 {
			t.Fatalf("%d of %d bytes: %v %v", n, len(data), err, notes)
		}
		whole := bytes.Count(data[:n], []byte("},\n")) // lines that are over
		if len(r.Events) < whole || len(r.Events) > whole+1 {
			t.Fatalf("%d of %d bytes: %d events, %d lines", n, len(data), len(r.Events), whole)
		}
		if len(r.Events) > 0 && !reflect.DeepEqual(r.Events[0], want.Events[0]) {
			t.Fatalf("%d of %d bytes: %+v", n, len(data), r.Events[0])
		}
	}
	r, _, err := trajectory.Read(strings.NewReader(string(data) + "left over"))
	if err != nil || len(r.Events) != len(want.Events) {
		t.Errorf("with something behind it: %v", err)
	}
}

func TestReadOthers(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		events int
		notes  int
	}{
		"a list":             {`[{"action_type": "click", "x": 1.6, "y": "2", "extra": {}}]`, 1, 0},
		"an empty list":      {` [] `, 0, 0},
		"a byte order mark":  {"\xEF\xBB\xBF{\"events\": [{\"action_type\": \"key\"}]}", 1, 0},
		"no events in it":    {`[1, null, {}, {"action_type": ""}, {"action_type": "key"}]`, 1, 4},
		"other types":        {`{"events": [{"action_type": "type", "text": 5, "x": true, "timestamp": "1e400", "accessibility_context": "none", "after": []}]}`, 1, 0},
		"two lists":          {`{"events": [{"action_type": "key"}], "events": [{"action_type": "key"}]}`, 2, 0},
		"events that are no": {`{"events": 5, "other": 1}`, -1, 0},
		"an object":          {`{"steps": []}`, -1, 0},
		"a text":             {`"events"`, -1, 0},
		"nothing":            {``, -1, 0},
		"no JSON":            {`{"a": nope`, -1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, notes, err := trajectory.Read(strings.NewReader(c.text))
			if c.events < 0 {
				if err == nil {
					t.Errorf("taken for a recording: %+v", r)
				}
				return
			}
			if err != nil || len(r.Events) != c.events || len(notes) != c.notes {
				t.Errorf("%+v %v %v", r, notes, err)
			}
		})
	}
}

// FuzzRead: whatever is read can be written, and is the same when it is read
// again.
func FuzzRead(f *testing.F) {
	data, err := json.Marshal(full())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`[{"action_type": "click", "x": "12"}, {"action_type": "wink", "after": {"value": null, "windows": [{}, 3]}}`))
	f.Add([]byte("{\"events\": [{\"action_type\": \"\\ud800\xff\", \"x\": 1e99}], \"events\": 3}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, _, err := trajectory.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var file memory
		w, err := trajectory.NewWriter(&file, *first)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(first.StoppedAt, first.Notes...); err != nil {
			t.Fatal(err)
		}
		second, notes, err := trajectory.Read(bytes.NewReader(file))
		if err != nil || len(notes) > 0 || !reflect.DeepEqual(first, second) {
			t.Errorf("%v %v\n%+v\n%+v\n%s", err, notes, first, second, file)
		}
	})
}

// memory is a file in memory.
type memory []byte

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	*m = append((*m)[:off], p...)
	return len(p), nil
}

func (m *memory) Truncate(size int64) error {
	*m = (*m)[:size]
	return nil
}
