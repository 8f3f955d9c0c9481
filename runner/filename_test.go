package runner_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/runner"
)

// Whatever a step's id is, its files have names that a file can have.
func TestFilesOfStepsWithOddIDs(t *testing.T) {
	for id, want := range map[string]string{
		"s1": "s1", "export.2-b_C": "export.2-b_C",
		"a/b": "step~1", "..": "step~1", "/": "step~1", "Größe 1": "step~1", strings.Repeat("x", 300): "step~1",
	} {
		quoted, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		o := run(t, fake.New(80, 60), `{"name":"f","version":1,"steps":[{"id":`+string(quoted)+`,"tool":"wait",
		  "postcondition":{"kind":"text_visible","value":"never","timeout_ms":1}}]}`,
			func(r *runner.Request) { r.Reader = &reader{} })
		for _, name := range []string{want + ".png", want + "-ocr.txt"} {
			if _, ok := o.files[name]; !ok {
				t.Errorf("%.20q: no file %s among %d", id, name, len(o.files))
			}
		}
	}
}
