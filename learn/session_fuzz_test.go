package learn

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/audit"
)

// FuzzCompileSession: whatever a log holds, what is made of it loads.
func FuzzCompileSession(f *testing.F) {
	for _, name := range []string{"python.json", "do.ndjson"} {
		data, err := os.ReadFile(filepath.Join("testdata", "session", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"id":"a1","action":"keyboard_press","replay_params":{"key":"retrun"}}` + "\n" +
		`{"id":"a2","action":"ui_action","replay_params":{"action":"click","app":"x"}}` + "\n" +
		`{"id":"a3","action":"postcondition","params":{"kind":"what"}}` + "\n" +
		`{"id":"a4","action":"mouse_drag","replay_params":{"x":"a","end_x":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _, err := audit.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		steps, _ := compileSession(entries)
		if len(steps) == 0 {
			return
		}
		composed, err := compose("x", program.Header{Name: "x"}, steps)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		again, _ := compileSession(entries)
		if second, err := compose("x", program.Header{Name: "x"}, again); err != nil || !bytes.Equal(composed.Data, second.Data) {
			t.Errorf("the same log makes other bytes: %v", err)
		}
	})
}
