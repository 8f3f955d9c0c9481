package desktop

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestRecordRoundTrip(t *testing.T) {
	info := AppInfo{Name: "Numbers", Class: "numbers.py", PID: 7}
	root := &Element{Role: "application", RawRole: "application", Name: "numbers.py", App: &info}
	window := &Element{Role: "window", RawRole: "frame", Name: "Report", States: Showing | Active, App: &info, Parent: root, Ref: "frame[0]",
		Bounds: Rect{1, 2, 3, 4}, BoundsKnown: true}
	window.Window = window
	button := &Element{Role: "button", RawRole: "push button", Name: "PDF\u00a0…", Identifier: "export-pdf", Value: "1", Text: "x", Description: "d",
		States: Sensitive | Password | HasPopup, Actions: []string{"click", "press"}, App: &info, Parent: window, Window: window,
		Ref: "frame[0]/push button[0]", Truncated: true, NoRoom: true}
	root.Children, window.Children = []*Element{window}, []*Element{button}
	want := &Snapshot{
		Apps: []*AppTree{{Info: info, Root: root}, {Info: info, Root: &Element{Role: "x", RawRole: "x", App: &info}}},
		Faults: []AppFault{
			{Info: info, Err: &HungError{Name: "Numbers", After: 800 * time.Millisecond}},
			{Info: info, Err: &NoTreeError{Name: "Numbers"}},
			{Info: info, Err: &GoneError{What: "app 'Numbers'"}},
			{Info: info, Err: errors.New("other")},
		},
	}
	var file bytes.Buffer
	if err := want.Record().Write(&file); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(file.String(), "\n"); lines != 11 {
		t.Errorf("%d lines:\n%s", lines, &file)
	}
	record, err := ReadRecord(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := record.DropRefs(); err != nil {
		t.Fatal(err)
	}
	for _, e := range record.Apps[0].Elements {
		if e.Ref != "" {
			t.Errorf("the ref %q is kept", e.Ref)
		}
	}
	got, err := record.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back:\n%+v\nwant:\n%+v", got.Apps[0].Root.Children[0], want.Apps[0].Root.Children[0])
	}
}

func TestRecordRefusesNonsense(t *testing.T) {
	for name, file := range map[string]string{
		"no JSON":        `{`,
		"no elements":    `{"apps": [{"app": {}}]}`,
		"a gap":          `{"apps": [{"app": {}, "elements": [{"depth": 0, "role": "x"}, {"depth": 2, "role": "x"}]}]}`,
		"two roots":      `{"apps": [{"app": {}, "elements": [{"depth": 0, "role": "x"}, {"depth": 0, "role": "x"}]}]}`,
		"negative depth": `{"apps": [{"app": {}, "elements": [{"depth": -1, "role": "x"}]}]}`,
		"a state":        `{"apps": [{"app": {}, "elements": [{"depth": 0, "role": "x", "states": "shiny"}]}]}`,
	} {
		record, err := ReadRecord(strings.NewReader(file))
		if err == nil {
			_, err = record.Snapshot()
		}
		if err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func FuzzReadRecord(f *testing.F) {
	f.Add([]byte(`{"apps": [{"app": {}, "elements": [{"depth": 0, "role": "x", "states": "showing"}, {"depth": 1, "role": "y"}]}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		record, err := ReadRecord(bytes.NewReader(file))
		if err != nil {
			return
		}
		snap, err := record.Snapshot()
		if err != nil {
			return
		}
		again, err := snap.Record().Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Apps) != len(snap.Apps) {
			t.Errorf("%d apps became %d", len(snap.Apps), len(again.Apps))
		}
	})
}
