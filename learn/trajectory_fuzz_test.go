package learn

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/trajectory"
)

// FuzzRetrace: whatever a recording holds, what is made of it loads without
// remarks, and no password is in it.
func FuzzRetrace(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "trajectory", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`[{"action_type":"type","text":"hunter2","password":true},{"action_type":"type","text":"${env:1}","password":true,"accessibility_context":{"role":"x"}}]`))
	f.Add([]byte(`[{"action_type":"click","x":-5,"y":1e9,"accessibility_context":{"title":"\u200b","identifier":" ","role":"","ref":"\u0000","menu_path":["a"," ","b > c"]}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _, err := trajectory.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		steps, _ := retraceSteps(r)
		if len(steps) == 0 || len(steps) > program.MaxSteps {
			return
		}
		composed, err := compose("x", program.Header{Name: "x"}, steps)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if len(composed.Warnings) > 0 {
			t.Errorf("%v\n%s\n%s", composed.Warnings, data, composed.Data)
		}
		again, _ := retraceSteps(r)
		if second, err := compose("x", program.Header{Name: "x"}, again); err != nil || !bytes.Equal(composed.Data, second.Data) {
			t.Errorf("the same recording makes other bytes: %v", err)
		}
		for _, e := range r.Events {
			if e.Password && strings.Contains(e.Text, "hunter") && bytes.Contains(composed.Data, []byte(e.Text)) {
				t.Errorf("the password is in the program:\n%s", composed.Data)
			}
		}
	})
}
