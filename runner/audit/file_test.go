package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
)

func TestAppendBySeveral(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.ndjson")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				if err := Append(file, results.AuditEntry{Action: "app_list", Params: map[string]any{}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	entries, notes := read(t, file)
	ids := map[string]bool{}
	for _, e := range entries {
		ids[e.ID] = true
	}
	if len(entries) != 80 || len(ids) != 80 || len(notes) > 0 {
		t.Errorf("%d entries with %d ids, %v", len(entries), len(ids), notes)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is open to others: %v %v", info.Mode(), err)
	}
}

func TestAppendAfterTornLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.ndjson")
	if err := os.WriteFile(file, []byte(`{"id":"a1","action":"app_list"}`+"\n"+`{"id":"a2","act`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Append(file, results.AuditEntry{Action: "ocr"}); err != nil {
		t.Fatal(err)
	}
	entries, notes := read(t, file)
	if len(entries) != 2 || entries[1].ID != "a3" || entries[1].Action != "ocr" {
		t.Errorf("%+v", entries)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "line 2 of the log is no entry") {
		t.Errorf("%q", notes)
	}
}

func read(t *testing.T, file string) ([]results.AuditEntry, []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	entries, notes, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return entries, notes
}

// TestCall: what an entry is called leads back to what was done, for everything
// in the table of tools that is written down.
func TestCall(t *testing.T) {
	for _, tool := range tools.All() {
		for _, action := range tool.Actions {
			e, ok := Of(program.Step{Tool: tool.Name, Action: action.Name}, time.Now(), Outcome{})
			if !ok {
				if tool.Name != "wait" {
					t.Errorf("%s %s is not written down", tool.Name, action.Name)
				}
				continue
			}
			if name, back, ok := Call(e.Action, e.Params); !ok || name != tool.Name || back != action.Name {
				t.Errorf("%s of %s %s leads to %s %s", e.Action, tool.Name, action.Name, name, back)
			}
		}
	}
	for name, want := range map[string]string{
		"mouse_click": "mouse click", "mouse_down": "mouse left_down", "mouse_up": "mouse left_up", "keyboard_hotkey": "keyboard hotkey",
		"app_focus": "app focus", "ui_action": " ", "screenshot": " ", "": " ",
	} {
		if tool, action, _ := Call(name, nil); tool+" "+action != want {
			t.Errorf("%s without an action leads to %s %s, want %s", name, tool, action, want)
		}
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]struct {
		entries int
		notes   int
	}{
		"":                                     {},
		"\n \n":                                {},
		"[]":                                   {},
		"\xEF\xBB\xBF[{\"action\": \"ocr\"}]":  {1, 0},
		" [{\"action\": \"ocr\"}, 3, {}]":      {1, 2},
		"{\"action\":\"ocr\",\"id\":7}":        {1, 0},
		"{\"action\":\"ocr\"}\r\n{\"action\":": {1, 1},
		"null\n{\"action\":\"ocr\",\"result\":{\"a\":1}}\n": {1, 1},
	} {
		entries, notes, err := Read(strings.NewReader(text))
		if err != nil || len(entries) != want.entries || len(notes) != want.notes {
			t.Errorf("%q: %d entries, notes %q, %v", text, len(entries), notes, err)
		}
	}
	if _, _, err := Read(strings.NewReader("[{")); err == nil {
		t.Error("half a list was taken")
	}
	if _, _, err := Read(broken{}); err == nil {
		t.Error("a file that cannot be read was taken")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"action":"ocr"}]`))
	f.Add([]byte("{\"id\":\"a1\",\"timestamp\":1.5,\"action\":\"app_open\",\"replay_params\":{\"name\":\"x\"}}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _, _ := Read(bytes.NewReader(data))
		for _, e := range entries {
			if e.Action == "" {
				t.Error("an entry without an action")
			}
		}
	})
}
